"""What the terms of a filter mean: conditions on functions, on their changes, and folds.

Conditions are values and compare equal if they have the same meaning; `expression` parses them.
Those on changes need a subject with a base. Folds fold functions into their callers:

    fold:zlib  fold:^std::      those of which the name, or that of the object file, matches
    fold:lib:=/usr/lib/libc.so  the same keys and forms as in other terms
    fold:is:unknown             those of which neither name nor object is known
    fold:libc                   those of the C library and the dynamic linker
    fold:stdlib                 those of the standard libraries of C, C++, Rust, Go, Python, PHP
    only:lib:app                all that do not match
    collapse:parse              the other functions of the recursion cycle of one that matches
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Iterable
from enum import Enum
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from qcachegrind_py.analysis.costs.noise import Sampling
from qcachegrind_py.analysis.costs.scope import BothSides
from qcachegrind_py.analysis.names.function_names import FunctionNames, NameColumn
from qcachegrind_py.analysis.names.text_search import TextColumn
from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.events import CostArray
from qcachegrind_py.profile.tables import UNKNOWN, BoolArray, Int32Array, Int64Array

if TYPE_CHECKING:
    import numpy.typing as npt

_BEYOND_INT64 = 1 << 63
_COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "=": operator.eq,
    "!=": operator.ne,
}


def _no_percentages(event: str, total: int, where: str = "") -> ValueError:
    """Return the error that a total is not positive, so that no cost is a percentage of it."""
    return ValueError(f"the total of {event}{where} is {total:,}, which has no percentages.")


class CostField(Enum):
    """The number of a function that is compared."""

    SELF = "self"
    INCLUSIVE = "incl"
    CALLED = "called"


@frozen
class BaseSide:
    """What the same functions cost in the base of a comparison, and which are in one side only.

    Arrays have the shape (functions,). Costs are of the kinds that `FilterSubject` has; those of
    functions that the base lacks are 0, or NaN for ratios.
    """

    self_cost: npt.NDArray[Any]
    inclusive: npt.NDArray[Any]
    called: Int64Array
    total: int | float  # 100 % of the base
    is_new: BoolArray  # in the new profile only
    is_gone: BoolArray  # in the base only
    is_moved: BoolArray  # in both, in different files
    is_changed: BoolArray | None = None  # by more than chance; None: if a cost is another one
    sampling: Sampling | None = None  # None: costs of a side are exact, or medians

    def values(self, field: CostField) -> npt.NDArray[Any]:
        """Return this number of all functions in the base."""
        return _values(self, field)


@frozen
class FilterSubject:
    """The functions to filter, with all properties that conditions refer to.

    Arrays have the shape (functions,). Costs are integers (int64 or Python's) or ratios as floats,
    with NaN for undefined ones. In a comparison they are those of the new profile.
    """

    names: FunctionNames
    classes: Callable[[], TextColumn]  # called only if a condition needs classes
    self_cost: npt.NDArray[Any]
    inclusive: npt.NDArray[Any]
    called: Int64Array
    cycle: Int32Array  # number of the cycle of each function; 0: none
    total: int | float  # 100 % of integer costs
    base: BaseSide | None = None  # None: nothing is compared
    is_folded: BoolArray | None = None  # those that occur no more, and match nothing
    event: str = ""  # of the costs

    def values(self, field: CostField) -> npt.NDArray[Any]:
        """Return this number of all functions."""
        return _values(self, field)


def _values(side: FilterSubject | BaseSide, field: CostField) -> npt.NDArray[Any]:
    match field:
        case CostField.SELF:
            return side.self_cost
        case CostField.INCLUSIVE:
            return side.inclusive
        case CostField.CALLED:
            return side.called


# ---------------------------------------------------------------- conditions on functions


class TextField(Enum):
    """The text of a function that is searched."""

    NAME = "name"
    CLASS = "class"
    FILE = "file"
    OBJECT = "lib"


class Named(Protocol):
    """The names of functions that conditions on texts are about, such as a `FilterSubject`."""

    @property
    def names(self) -> FunctionNames:
        """The names, files and objects of the functions."""

    @property
    def classes(self) -> Callable[[], TextColumn]:
        """Returns the classes of the functions, which may take long."""


@frozen(eq=True)
class TextCondition:
    """A text contains a string, equals it, or matches a regular expression anywhere."""

    field: TextField
    pattern: str | re.Pattern[str]
    is_exact: bool = False

    def matches(self, subject: Named) -> BoolArray:
        """Return the mask of functions that match, shape (functions,)."""
        column = self._column(subject)
        if isinstance(self.pattern, re.Pattern):
            return column.matching(self.pattern)
        return column.equal_to(self.pattern) if self.is_exact else column.containing(self.pattern)

    def _column(self, subject: Named) -> TextColumn:
        match self.field:
            case TextField.NAME:
                return subject.names.column(NameColumn.NAME)
            case TextField.FILE:
                return subject.names.column(NameColumn.FILE)
            case TextField.OBJECT:
                return subject.names.column(NameColumn.OBJECT)
            case TextField.CLASS:
                return subject.classes()


_ADDRESS = re.compile(r"^0x[0-9a-f]+(?:'\d+)?$", re.IGNORECASE | re.MULTILINE)


@frozen(eq=True)
class UnknownCondition:
    """A function has no name, or an address for a name, in an object that is not known."""

    def matches(self, subject: Named) -> BoolArray:
        """Return the mask of functions that match, shape (functions,)."""
        name = subject.names.column(NameColumn.NAME)
        is_somewhere = ~subject.names.column(NameColumn.OBJECT).equal_to(UNKNOWN)
        return name.equal_to(UNKNOWN) | (name.matching(_ADDRESS) & ~is_somewhere)


@frozen(eq=True)
class CostCondition:
    """A number compares to a constant by `operator`: one of < <= > >= = !=."""

    field: CostField
    operator: str
    number: Fraction
    is_percentage: bool = False

    def matches(self, subject: FilterSubject) -> BoolArray:
        """Return the mask of functions that match, shape (functions,).

        Raises `ValueError` for percentages of a total that is not positive.
        """
        values = subject.values(self.field)
        if values.dtype.kind == "f":  # a ratio has no total: percentages are relative to 1
            return self._matches_ratios(values, self.number / (100 if self.is_percentage else 1))
        if self.is_percentage and subject.total <= 0:
            raise _no_percentages(subject.event, int(subject.total))
        bound = (
            self.number * Fraction(int(subject.total), 100) if self.is_percentage else self.number
        )
        # two integer comparisons express all six operators without rounding
        reached = _at_most(values, math.floor(bound))
        below = _at_most(values, math.ceil(bound) - 1)
        match self.operator:
            case "<":
                return below
            case "<=":
                return reached
            case ">":
                return ~reached
            case ">=":
                return ~below
            case "!=":
                return ~reached | below
        return reached & ~below

    def _matches_ratios(self, values: npt.NDArray[Any], bound: Fraction) -> BoolArray:
        holds: BoolArray = _COMPARISONS[self.operator](values, float(bound))
        holds &= values == values  # undefined ratios (NaN) match nothing
        return holds


@frozen(eq=True)
class CycleCondition:
    """A function is a member of a recursion cycle; None: of any."""

    cycle: int | None

    def matches(self, subject: FilterSubject) -> BoolArray:
        """Return the mask of functions that match, shape (functions,)."""
        cycle = subject.cycle
        return cycle > 0 if self.cycle is None else cycle == self.cycle


def _at_most(values: npt.NDArray[Any], bound: int) -> BoolArray:
    """Return which integers are at most `bound`, which may exceed 64 bits."""
    if values.dtype.kind == "O":
        matches: BoolArray = (values <= bound).astype(bool)
        return matches
    return values <= max(min(bound, _BEYOND_INT64 - 1), -_BEYOND_INT64)


# ---------------------------------------------------------------- changes since a base

_IN_BASE = " in the base"


class ChangeUnit(Enum):
    """What the number of a change counts; the value is its spelling behind the number."""

    COUNT = ""  # the event, or calls
    OWN = "%"  # percent of the function's own value in the base
    TOTAL = "%t"  # percent of the base's total


@frozen(eq=True)
class ChangeLimit:
    """What a change is compared to: one of < <= > >= = != and a number, which has a sign."""

    operator: str
    number: Fraction
    unit: ChangeUnit = ChangeUnit.COUNT

    def holds(
        self, base: npt.NDArray[Any], new: npt.NDArray[Any], total: int | float, event: str = ""
    ) -> BoolArray:
        """Return for which values new - base compares to the number, shape (values,).

        `total` is that of the base. Integers are compared exactly. A growth from 0 is above every
        percentage; 0 → 0 has none, and matches no comparison with one. Undefined ratios (NaN) match
        no comparison at all; ratios have no total: percentages of it are of 1. Raises `ValueError`,
        which names the event, for percentages of a total that is not positive, unless nothing cost
        anything in the base.
        """
        share = self.number if self.unit is ChangeUnit.COUNT else self.number / 100
        is_of_nothing = self.unit is ChangeUnit.OWN
        if new.dtype.kind == "f":
            change, bound = self._ratios(base, new, float(share))
        elif self.unit is ChangeUnit.TOTAL:
            is_of_nothing = int(total) <= 0
            if is_of_nothing and (total or np.any(base)):
                raise _no_percentages(event, int(total), _IN_BASE)
            change, bound = _scaled(base, new, share * int(total), of_base=False)
        else:
            change, bound = _scaled(base, new, share, of_base=self.unit is ChangeUnit.OWN)
        is_met: BoolArray = np.asarray(_COMPARISONS[self.operator](change, bound), bool)
        is_met &= change == change  # not NaN
        return is_met & ((base != 0) | (new != 0)) if is_of_nothing else is_met

    def _ratios(
        self, base: npt.NDArray[Any], new: npt.NDArray[Any], share: float
    ) -> tuple[npt.NDArray[Any], npt.NDArray[Any] | float]:
        with np.errstate(invalid="ignore"):  # the change from ∞ to ∞ is undefined, too
            return new - base, np.abs(base) * share if self.unit is ChangeUnit.OWN else share


@frozen(eq=True)
class ChangeCondition:
    """The change of a number compares to a constant."""

    field: CostField
    limit: ChangeLimit

    def matches(self, subject: FilterSubject) -> BoolArray:
        """Return the mask of functions that match, shape (functions,)."""
        base, field = _base_of(subject), self.field
        values = base.values(field), subject.values(field)
        return self.limit.holds(*values, base.total, subject.event)

    def within_noise(self, subject: FilterSubject) -> BoolArray:
        """Return the mask of functions of which samples may differ so by chance."""
        base, field = _base_of(subject), self.field
        if base.sampling is None or field is CostField.CALLED:
            return np.zeros(len(subject.called), bool)
        return ~base.sampling.is_beyond(BothSides(base.values(field), subject.values(field)))


@frozen(eq=True)
class TotalCondition:
    """The total cost compares to a constant, or its change does."""

    limit: ChangeLimit
    is_change: bool

    def holds(self, subject: FilterSubject) -> bool:
        """Return whether the total of all functions matches."""
        base = _base_of(subject).total if self.is_change else type(subject.total)(0)
        if self.limit.unit is not ChangeUnit.COUNT and isinstance(base, int) and base < 0:
            raise _no_percentages(subject.event, base, _IN_BASE)
        totals = as_array(base), as_array(subject.total)
        return bool(self.limit.holds(*totals, base, subject.event)[0])

    def matches(self, subject: FilterSubject) -> BoolArray:
        """Return the mask of all functions, or of none, shape (functions,)."""
        return np.full(len(subject.names), self.holds(subject))


class Difference(Enum):
    """How a function differs from the base; the value is its spelling behind `is:`."""

    NEW = "new"
    GONE = "gone"
    MOVED = "moved"
    CHANGED = "changed"


@frozen(eq=True)
class DifferenceCondition:
    """A function is new, gone, moved to another file, or costs something else than before."""

    difference: Difference

    def matches(self, subject: FilterSubject) -> BoolArray:
        """Return the mask of functions that match, shape (functions,)."""
        base = _base_of(subject)
        match self.difference:
            case Difference.NEW:
                return base.is_new
            case Difference.GONE:
                return base.is_gone
            case Difference.MOVED:
                return base.is_moved
            case Difference.CHANGED if base.is_changed is not None:
                return base.is_changed
            case Difference.CHANGED:
                own = _differs(base.self_cost, subject.self_cost)
                return own | _differs(base.inclusive, subject.inclusive)


Condition = (
    TextCondition
    | UnknownCondition
    | CostCondition
    | CycleCondition
    | ChangeCondition
    | DifferenceCondition
    | TotalCondition  # of a rule
)


def as_array(total: int | float) -> CostArray:
    """Return a total as an array of one number, which may exceed 64 bits."""
    return np.array([total], float if isinstance(total, float) else object)


def _base_of(subject: FilterSubject) -> BaseSide:
    """Return the base of a comparison; raises ValueError if nothing is compared."""
    if subject.base is None:
        raise ValueError("a change needs a base")
    return subject.base


def _scaled(
    base: npt.NDArray[Any], new: npt.NDArray[Any], share: Fraction, *, of_base: bool
) -> tuple[npt.NDArray[Any], npt.NDArray[Any] | int]:
    """Return the change and its bound, multiplied by the denominator of the share.

    The bound is the share itself, or the share of each base value. Integers that products may
    exceed 64 bits with become Python's: 100,000 comparisons take 20 ms then, instead of 1.
    """
    factor, divisor = share.numerator, share.denominator
    size = max(_largest(base), _largest(new))
    if max(2 * size * divisor, abs(factor) * (size if of_base else 1)) >= _BEYOND_INT64:
        base, new = base.astype(object), new.astype(object)
    return (new - base) * divisor, np.abs(base) * factor if of_base else factor


def _largest(values: npt.NDArray[Any]) -> int:
    return max(abs(int(values.min())), abs(int(values.max()))) if len(values) else 0


def _differs(base: npt.NDArray[Any], new: npt.NDArray[Any]) -> BoolArray:
    """Return where two numbers differ; undefined ratios, which equal nothing, do not."""
    differs: BoolArray = np.asarray((base != new) & ((base == base) | (new == new)), bool)
    return differs


# ---------------------------------------------------------------- folds

STANDARD_LIBRARY = "stdlib"
C_LIBRARY = "libc"
_FLAGS = re.IGNORECASE | re.MULTILINE
_OF_C = (
    "ld-linux ld-musl ld ld64 libc libm libpthread libdl librt libutil libresolv libanl libmvec "
    "libsystem_c libsystem_m libsystem_malloc libsystem_platform libdyld"
)
_LIBRARIES = (
    f"{_OF_C} libstdc++ libsupc++ libgcc_s libc++ libc++abi libunwind libgomp libatomic "
    "libgfortran libquadmath libgo"
)


def _objects_named(names: str) -> tuple[TextField, str]:
    """Return the field and the pattern of objects with one of these base names."""
    one_of = "|".join(map(re.escape, names.split()))
    return TextField.OBJECT, rf"(?:^|[/\\])(?:{one_of})(?:[-.][^/\\\n]*)?$"


_STANDARD = (
    _objects_named(_LIBRARIES),
    (TextField.NAME, r"^<?(?:std|core|alloc|__gnu_cxx|__cxxabiv1|__cxx11)::|^runtime\."),
    (
        TextField.FILE,
        r"^(?:~|php:internal)$|^/rustc/[^/\n]+/library/|/go[^/\n]*/src/(?:runtime|internal)/"
        r"|/lib/python[0-9.]+/(?!site-packages/|dist-packages/)",
    ),
)


# what folds without a key stand for, by name
_NAMED_FOLDS = {STANDARD_LIBRARY: _STANDARD, C_LIBRARY: (_objects_named(_OF_C),)}


class FoldKind(Enum):
    """Which functions a fold charges to their callers; the value is its key."""

    FOLD = "fold"
    ONLY = "only"  # those that do not match
    COLLAPSE = "collapse"  # the other members of the recursion cycles of those that match


@frozen(eq=True)
class Fold:
    """One fold: its text, and the conditions of which a function matches at least one."""

    text: str
    kind: FoldKind
    conditions: tuple[TextCondition | UnknownCondition, ...]

    def functions(self, names: Named, cycle: Int32Array) -> BoolArray:
        """Return which functions are folded, shape (functions,); `cycle` as in `FunctionCosts`."""
        matches = self.matches(names)
        if self.kind is FoldKind.FOLD:
            return matches
        if self.kind is FoldKind.ONLY:
            return ~matches
        collapsed: BoolArray = np.isin(cycle, cycle[matches & (cycle > 0)])
        return collapsed & ~matches

    def matches(self, names: Named) -> BoolArray:
        """Return which functions the term names, shape (functions,)."""
        matches: BoolArray = np.logical_or.reduce([each.matches(names) for each in self.conditions])
        return matches


def folded_functions(folds: Iterable[Fold], names: Named, cycle: Int32Array) -> BoolArray:
    """Return which functions any of the folds charges to its callers, shape (functions,)."""
    folded = np.zeros(len(cycle), bool)
    for fold in folds:
        folded |= fold.functions(names, cycle)
    return folded


def fold_of(
    text: str, key: str, condition: TextCondition | UnknownCondition, *, has_key: bool
) -> Fold:
    """Return the fold of a term; without a key of its own, it is about names and object files."""
    kind = FoldKind(key.lower())
    if (
        isinstance(condition, UnknownCondition)
        or has_key
        or condition.is_exact
        or kind is FoldKind.COLLAPSE
    ):
        return Fold(text, kind, (condition,))
    if named := isinstance(condition.pattern, str) and _NAMED_FOLDS.get(condition.pattern):
        conditions = (TextCondition(field, re.compile(p, re.MULTILINE)) for field, p in named)
        return Fold(text, kind, tuple(conditions))
    return Fold(text, kind, (condition, _of_object_file(condition.pattern)))


def _of_object_file(pattern: str | re.Pattern[str]) -> TextCondition:
    """Return the condition that the last component of an object's path matches."""
    if isinstance(pattern, str):
        pattern = re.compile(rf"{re.escape(pattern)}[^/\\\n]*$", _FLAGS)
    elif pattern.pattern.startswith("^"):
        pattern = re.compile(rf"(?:^|[/\\])(?:{pattern.pattern[1:]})[^/\\\n]*$", pattern.flags)
    return TextCondition(TextField.OBJECT, pattern)
