"""The sentences about numbers that were shared out: each step with its formula, and the proof."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from qcachegrind_py.analysis.explanation.numbers import (
    EstimateKey,
    EstimateKind,
    Explanation,
    Measure,
    Sharing,
    SharingStep,
    StepRule,
    exact_recording_command,
    exactness_text,
)
from qcachegrind_py.profile.ids import NOT_ATTRIBUTED, NodeId
from qcachegrind_py.profile.numbers import NumberStyle, format_exact
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.reports.explanation.pieces import Piece, Sentence, sentence

ESTIMATE = "≈\N{THIN SPACE}"


def _beyond(step: SharingStep) -> str:
    """Return what is taken off in a step to or from a stand-in."""
    if step.node == NOT_ATTRIBUTED:
        return "what it costs without its self cost and the calls that it makes"
    return "its self cost and the calls that it makes without the calls to it"


@dataclass(frozen=True, slots=True)
class SharingWords:
    """Writes the steps of one estimate."""

    key: EstimateKey
    sharing: Sharing
    name: Callable[[NodeId], str]
    style: NumberStyle

    def heading(self) -> str:
        """Return what the steps are."""
        if not self.key.path:
            return "The functions that the program begins with, added up:"
        if self.sharing.is_flow:
            return f"What reaches {self.name(self.key.path[-1])}, added up:"
        if self.key.kind in (EstimateKind.FRAME, EstimateKind.BRANCH):
            return "How it gets there, call by call:"
        return "How it was shared out:"

    def steps(self) -> Iterator[tuple[str, Sentence]]:
        """Yield the value of each step and how it was made."""
        for step in self.sharing.steps:
            is_marked = step.rule not in (StepRule.RECORDED, StepRule.ALL)
            mark = ESTIMATE if is_marked and not step.is_exact else ""
            yield mark + self._number(round(step.value)), self._step(step)

    def _step(self, step: SharingStep) -> Sentence:
        name, before = self.name(step.node), self.name(step.before)
        match step.rule:
            case StepRule.WHOLE:
                return sentence(f"{name}: its whole ", Piece("inclusive cost", step.part_key))
            case StepRule.REST:
                whole = Piece(self._number(step.whole), step.whole_key)
                part = self._number(step.part)
                return sentence(
                    f"{name}: ", whole, f" − {part}, its inclusive cost without the calls to it"
                )
            case StepRule.INSIDE:
                return sentence(f"{name}: its self cost and the calls that it makes")
            case StepRule.BALANCE:
                whole = Piece(self._number(step.whole), step.whole_key)
                return sentence(
                    f"{name}: ", whole, f" − {self._number(step.part)}, {_beyond(step)}"
                )
            case StepRule.STAND_IN:
                return sentence(f"{name}: all of it, added up")
            case StepRule.LIMITED:
                calls = Piece(self._number(step.part), step.part_key)
                return sentence(f"{name}: all that accounts for the recorded ", calls)
            case StepRule.RECORDED:
                return sentence(*self._recorded(step))
            case StepRule.ALL:
                calls = Piece("these calls", step.part_key)
                return sentence(f"{name}: all of it, as all that {before} costs is in ", calls)
        return sentence(*self._shared(step))

    def _recorded(self, step: SharingStep) -> Iterator[str | Piece]:
        """Yield that a number counts in full, as the function before has its whole cost here."""
        if self._is_self(step):
            yield from (f"{self.name(step.node)}: its whole ", Piece("self cost", step.part_key))
            return
        yield f"{self._flow_from(step)}: "
        yield Piece("as recorded", step.part_key)

    def _flow_from(self, step: SharingStep) -> str:
        """Return the function that passes on what is added up, or else the one that has it."""
        if not self.sharing.is_flow:
            return self.name(step.node)
        return f"{'to' if self.key.up else 'from'} {self.name(step.before)}"

    def _shared(self, step: SharingStep) -> Iterator[str | Piece]:
        """Yield the formula."""
        is_other = not self.sharing.is_flow and self._is_last(step)
        what = f", {self.key.measure.value}" if is_other and not self._is_cost else ""
        yield f"{self._flow_from(step)}{what}: "
        amount, part, whole = map(self._number, (step.amount, step.part, step.whole))
        yield from (Piece(amount, step.amount_key), " × ", Piece(part, step.part_key), " / ")
        yield Piece(whole, step.whole_key)

    def legend(self) -> str:
        """Return what the numbers of the formulas are; empty where nothing is shared out."""
        steps, measure = self.sharing.steps, self.key.measure
        if not any(step.rule is StepRule.SHARED for step in steps):
            return ""
        between = "the cost of the calls between both"
        part = {
            Measure.COST: between,
            Measure.SELF: "its self cost",
            Measure.COUNT: "the number of the calls between both",
        }[measure]
        who = "the function named" if self.sharing.is_flow else "the function before"
        if len(steps) == 1 and not self.sharing.is_flow:
            who = self.name(steps[0].before)
        elif not self.sharing.is_flow and measure is not Measure.COST:
            part = f"{between}, in the last line {part}"
        return f"a × b / c: {who} has a here, of c in all; b is {part}."

    def _is_last(self, step: SharingStep) -> bool:
        return step is self.sharing.steps[-1]

    @property
    def _is_cost(self) -> bool:
        return self.key.measure is Measure.COST

    def _is_self(self, step: SharingStep) -> bool:
        return self.key.measure is Measure.SELF and self._is_last(step)

    # ---------------------------------------------------------------- the sum and its proof

    def remarks(self, explained: Explanation, profile: Profile) -> Iterator[str]:
        """Yield what is taken off the sum, and whether the number is exact."""
        if legend := self.legend():
            yield legend
        value = self._number(round(explained.value))
        if self.sharing.is_complete and not self.sharing.is_exact:
            yield f"All of its cost arrives here, so it is its whole inclusive cost, {value}."
        elif round(self.sharing.ignored) > 0:
            ignored = self._number(round(self.sharing.ignored))
            yield (
                f"{ignored} are left out: shares below 0.01 % of the whole are not passed on, and "
                "a path that leads back to where it was adds no more than the whole."
            )
        command = exact_recording_command(profile, self.sharing.callers)
        yield exactness_text(self.sharing.is_exact, command)

    def _number(self, number: int | float) -> str:
        """Return a number in full; one that is not whole with two digits behind the point."""
        whole, hundredths = divmod(round(number * 100), 100)
        if not hundredths:
            return format_exact(whole, "", self.style)
        return f"{format_exact(whole, '', self.style)}{self.style.decimal_point}{hundredths:02d}"
