"""The sums above the list: how much the active function changed, and what that adds up from."""

from __future__ import annotations

from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from qcachegrind_py.analysis.comparison.effects import Explanation
from qcachegrind_py.present.former.change_format import growth_text
from qcachegrind_py.present.former.cost_format import CostFormat
from qcachegrind_py.views.common.buttons import text_button
from qcachegrind_py.views.common.labels import PlainLabel

LINES_TIP = "Show how the lines of Self changed"
_ARROW = " → "


class Headline(QWidget):
    """Sums on one line or two, remarks below, and a button that shows lines."""

    def __init__(self) -> None:
        super().__init__()
        self.sums, self.remarks = PlainLabel(), PlainLabel()
        for label in (self.sums, self.remarks):
            label.setWordWrap(True)
        self.remarks.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self.lines_button = text_button("&Lines", LINES_TIP)
        self.lines_button.setCheckable(True)
        texts, row = QVBoxLayout(), QHBoxLayout(self)
        texts.setSpacing(0)
        texts.addWidget(self.sums)
        texts.addWidget(self.remarks)
        row.setContentsMargins(4, 2, 4, 2)
        row.addLayout(texts, 1)
        row.addWidget(self.lines_button)

    def show_sums(self, sums: str, remarks: str) -> None:
        """Show the sums of another function."""
        self.sums.setText(sums.replace("\N{THIN SPACE}", "\N{NARROW NO-BREAK SPACE}"))
        self.remarks.setText(remarks)
        self.remarks.setVisible(bool(remarks))


def sums_text(
    explained: Explanation, changes: CostFormat, costs: CostFormat, *, is_cycle: bool
) -> str:
    """Return the costs of both sides, and how their change adds up."""
    base, new = explained.inclusive
    if not any((explained.self_change, explained.rest, *explained.cost.change.tolist())):
        return f"Incl. {costs.absolute_text(new)}, unchanged"
    sides = _ARROW.join(dict.fromkeys(map(costs.absolute_text, explained.inclusive)))
    growth = growth_text(base, new, changes)
    change = changes.absolute_text(explained.change) + (f" ({growth})" if growth else "")
    of_calls = sum(explained.cost.change.tolist())
    terms = (
        {"members": of_calls} if is_cycle else {"self": explained.self_change, "calls": of_calls}
    )
    if explained.rest:
        terms["other"] = explained.rest
    sum_ = " + ".join(f"{name} {changes.absolute_text(term)}" for name, term in terms.items())
    return f"Incl. {sides}: {change} = {sum_}"
