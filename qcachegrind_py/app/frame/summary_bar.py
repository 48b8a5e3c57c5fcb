"""The bar below the toolbar with the first answer about a profile, and where its links lead."""

from __future__ import annotations

from qcachegrind_py.analysis.names.function_names import Grouping
from qcachegrind_py.app.frame.docks.docks import Docks
from qcachegrind_py.app.frame.docks.registry import DockRegistry
from qcachegrind_py.app.frame.frame import Frame
from qcachegrind_py.app.frame.notices import ContextBar
from qcachegrind_py.present.summary import Lead, Remark
from qcachegrind_py.profile.ids import NodeId
from qcachegrind_py.views.summary_strip import SummaryStrip
from qcachegrind_py.views.widgets.grid import grid

_WHATS_THIS = (
    "What is hottest, how much is spent in shared libraries, which thread has most of the cost, "
    "and how much of the recorded total is attributed to no function. Click one to go there."
)


class SummaryBar(ContextBar):
    """Shows the strip while a profile is open that is not compared: then it is in another bar."""

    def __init__(self, frame: Frame, leads: Leads) -> None:
        self._session, self._settings = frame.session, frame.settings
        super().__init__("Summary", frame.window, _WHATS_THIS)
        self._leads = leads  # signals do not keep it
        self.strip = SummaryStrip(frame.session)
        self.strip.followed.connect(leads.follow)
        self.strip.setContentsMargins(grid(), 0, grid(), 0)
        self.addWidget(self.strip)
        # bound methods, as a lambda would keep the window
        frame.session.navigation.changed.connect(self._update)
        frame.settings.changed.connect(self._update)
        self.add_below_toolbar(frame.window)
        self._update()

    def _update(self, *_: object) -> None:
        self.setVisible(self.is_needed())

    def is_needed(self) -> bool:
        session = self._session
        is_alone = session.query is not None and not session.query.is_comparing
        return is_alone and self._settings.summary


class Leads:
    """Where the remarks of a summary lead."""

    def __init__(self, frame: Frame, docks: Docks, views: DockRegistry) -> None:
        self._frame, self._docks, self._views = frame, docks, views

    def follow(self, remark: Remark) -> None:
        session, to = self._frame.session, remark.to
        match remark.lead:
            case Lead.FUNCTION if isinstance(to, int):
                session.navigation.select_function(NodeId(to))
            case Lead.OBJECT if isinstance(to, str):
                self._docks.show(DockRegistry.function_list.id)
                self._views.function_list.choose_group(Grouping.OBJECT, to)
            case Lead.PARTS:
                self._docks.show(DockRegistry.part_list.id)
            case Lead.TOTALS:
                self._frame.actions["properties"].trigger()
            case Lead.FILTER if isinstance(to, str):
                self._docks.show(DockRegistry.function_list.id)
                self._frame.filter_bar.set_text(to)
            case _:
                pass
