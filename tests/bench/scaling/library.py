"""What is measured of the library: reading, and the costs and calls that views ask for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from qcachegrind_py.analysis.calls.call_graph import AccountedCalls, costliest_stack
from qcachegrind_py.analysis.calls.frame_tree import build_frame_tree
from qcachegrind_py.analysis.calls.subgraph import SubgraphLimits
from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.names.function_names import Grouping
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.formats.loading import load
from qcachegrind_py.profile.ids import NO_NODE
from tests.bench.scaling.children import Step


def reading(path: Path) -> Iterator[Step]:
    """Reading the file."""
    yield "reading", lambda: _ignore(load(path))


def costs(path: Path) -> Iterator[Step]:
    """Costs of all functions, and calls, code and names of the costliest one."""
    queries, scope = ProfileQueries(load(path)), Scope()
    ask = _Questions(queries, scope)
    for name, question in {
        "costs": ask.costs,
        "costs without cycles": ask.costs_without_cycles,
        "call graph": ask.graph,
        "calls of the program": ask.program,
        "first function": ask.first_function,
        "callers": ask.callers,
        "callees": ask.callees,
        "all callers": ask.all_callers,
        "all callees": ask.all_callees,
        "call stack": ask.stack,
        "subgraph": ask.subgraph,
        "whole subgraph": ask.whole_subgraph,
        "frame tree": ask.frame_tree,
        "frame tree of the program": ask.frame_tree_of_program,
        "frame tree of callers": ask.frame_tree_of_callers,
        "costs of parts": ask.parts,
        "lines": ask.lines,
        "instructions": ask.instructions,
        "groups by object": ask.groups_by_object,
        "groups by file": ask.groups_by_file,
        "groups by class": ask.groups_by_class,
        "labels": ask.labels,
    }.items():
        yield f"query: {name}", lambda question=question: _ignore(question())


class _Questions:
    """Questions to a profile, of the costliest function where they are of one."""

    def __init__(self, queries: ProfileQueries, scope: Scope) -> None:
        self._queries, self._scope = queries, scope
        self._event = queries.events.all[0]

    @property
    def _node(self) -> int:
        inclusive = self._queries.inclusive(self._event, self._scope)
        return int(np.argmax(inclusive[: self._queries.function_count]))

    @property
    def _graph(self) -> object:
        return self._queries.call_graph(self._event, self._scope)

    @property
    def _calls(self) -> AccountedCalls:
        return self._queries.accounted_calls(self._event, self._scope)

    def costs(self) -> object:
        return self._queries.inclusive(self._event, self._scope)

    def costs_without_cycles(self) -> object:
        return self._queries.inclusive(self._event, Scope(cycles=False))

    def graph(self) -> object:
        return self._graph

    def program(self) -> object:
        return self._queries.program_calls(self._event, self._scope)

    def first_function(self) -> object:
        return self._queries.initial_function(self._event, self._scope)

    def callers(self) -> object:
        return self._queries.callers(self._node, self._scope)

    def callees(self) -> object:
        return self._queries.callees(self._node, self._scope)

    def all_callers(self) -> object:
        return self._queries.transitive_callers(self._node, self._event, self._scope)

    def all_callees(self) -> object:
        return self._queries.transitive_callees(self._node, self._event, self._scope)

    def stack(self) -> object:
        return costliest_stack(self._node, self._graph)

    def subgraph(self) -> object:
        return self._subgraph(SubgraphLimits())

    def whole_subgraph(self) -> object:
        cycle = self._queries.cycle_of(self._node, self._scope)
        expanded = frozenset([cycle] if cycle != NO_NODE else [])
        return self._subgraph(
            SubgraphLimits(caller_depth=None, min_node_share=0.0, expanded_cycles=expanded)
        )

    def _subgraph(self, limits: SubgraphLimits) -> object:
        return self._queries.subgraph(self._node, self._event, [self._scope], limits)

    def frame_tree(self) -> object:
        return build_frame_tree(self._calls, [self._node])

    def frame_tree_of_program(self) -> object:
        calls = self._queries.program_calls(self._event, self._scope)
        return build_frame_tree(calls, calls.program_roots())

    def frame_tree_of_callers(self) -> object:
        return build_frame_tree(self._calls, [self._node], up=True)

    def parts(self) -> object:
        return self._queries.part_costs(self._node, self._scope)

    def lines(self) -> object:
        return self._queries.lines(self._node, None)

    def instructions(self) -> object:
        if self._queries.profile.costs.address is None:
            return None
        return self._queries.instructions(self._node, None)

    def groups_by_object(self) -> object:
        return self._queries.groups(Grouping.OBJECT, self._scope)

    def groups_by_file(self) -> object:
        return self._queries.groups(Grouping.FILE, self._scope)

    def groups_by_class(self) -> object:
        return self._queries.groups(Grouping.CLASS, self._scope)

    def labels(self) -> object:
        return self._queries.labels(self._scope)


def _ignore(_answer: object) -> None:
    """Do nothing with an answer, which lived until it was measured."""
