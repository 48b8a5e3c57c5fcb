"""Call graphs of two small profiles that are compared."""

from __future__ import annotations

from pathlib import Path

from qcachegrind_py.analysis.calls.subgraph import Subgraph, SubgraphLimits
from qcachegrind_py.analysis.comparison.comparison import Comparison, compare
from qcachegrind_py.formats.loading import load
from qcachegrind_py.profile.ids import NodeId
from tests.analysis.named_queries import node_id
from tests.profile_text import write_profile_text

NO_LIMITS = SubgraphLimits(caller_depth=None, min_node_share=0, min_call_share=0, max_nodes=10_000)
# work is called twice as often, and leaf costs more in each call; old is gone, fresh is new
BASE = """
    main 10 -> work 2x400, old 1x30
    work 100 -> leaf 4x300
    old 30
    leaf 300
    """
NEW = """
    main 10 -> work 4x820, fresh 1x50
    work 100 -> leaf 8x720
    fresh 50
    leaf 720
    """


def compared_profiles(folder: Path, base: str = BASE, new: str = NEW) -> Comparison:
    """Compare two profiles given as text."""
    paths = [
        write_profile_text(folder, text, name) for text, name in ((base, "base"), (new, "new"))
    ]
    return compare(load(paths[0]), load(paths[1]))


def graph_around(
    compared: Comparison,
    name: str,
    limits: SubgraphLimits = NO_LIMITS,
    *,
    swapped: bool = False,
) -> Subgraph:
    """The graph of both sides around a function, by default without limits."""
    queries, scopes = compared.queries, [compared.base, compared.new]
    active = NodeId(node_id(queries, name, compared.new))
    return queries.subgraph(active, compared.events[0], scopes[:: -1 if swapped else 1], limits)
