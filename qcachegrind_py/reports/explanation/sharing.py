"""The sentences about numbers that were shared out: each step with its formula, and the proof."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from qcachegrind_py.analysis.explanation.exactness import exact_recording_command, exactness_text
from qcachegrind_py.analysis.explanation.keys import (
    EstimateKey,
    EstimateKind,
    Measure,
    NumberKey,
    NumberKind,
)
from qcachegrind_py.analysis.explanation.numbers import Explanation
from qcachegrind_py.analysis.explanation.sharing import Sharing, SharingStep, StepRule
from qcachegrind_py.profile.ids import NodeId
from qcachegrind_py.profile.number_format import NumberStyle, format_exact
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.reports.explanation.pieces import Piece, Sentence, sentence

ESTIMATE = "≈\N{THIN SPACE}"


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
            return "The functions that the program begins with, added up."
        if self.sharing.is_flow:
            return f"What reaches {self.name(self.sharing.steps[0].node)}, added up."
        if self.key.kind in (EstimateKind.FRAME, EstimateKind.BRANCH):
            return "How it gets there, call by call:"
        return "How it was shared out:"

    def steps(self) -> Iterator[tuple[str, Sentence]]:
        """Yield the value of each step and how it was made."""
        for step in self.sharing.steps:
            mark = "" if step.is_exact or step.rule is not StepRule.SHARED else ESTIMATE
            yield mark + self._number(round(step.value)), self._step(step)

    def _step(self, step: SharingStep) -> Sentence:
        name, calls = self.name(step.node), Piece(self._calls(step), step.part_key)
        match step.rule:
            case StepRule.WHOLE:
                return sentence(f"{name}: its whole ", Piece("inclusive cost", step.part_key))
            case StepRule.REST:
                whole = Piece(self._number(step.whole), step.whole_key)
                part = self._number(step.part)
                return sentence(
                    f"{name}: ", whole, f" − {part}, its inclusive cost without the calls to it"
                )
            case StepRule.RECORDED:
                return sentence(*self._recorded(step))
            case StepRule.ALL:
                return sentence(f"{name}: all that {self.name(step.before)} costs is in ", calls)
        return sentence(*self._shared(step))

    def _recorded(self, step: SharingStep) -> Iterator[str | Piece]:
        """Yield that a number counts in full, as the function before has its whole cost here."""
        if self._is_self(step):
            yield from (f"{self.name(step.node)}: its whole ", Piece("self cost", step.part_key))
            return
        yield f"{self.name(step.node)}: " if not self.sharing.is_flow else ""
        yield Piece(self._calls(step), step.part_key)
        yield ", as recorded"

    def _shared(self, step: SharingStep) -> Iterator[str | Piece]:
        """Yield the formula, and what its numbers are."""
        before = self.name(step.before)
        if self.sharing.is_flow:
            yield f"through {before}: "
        else:
            yield f"{self.name(step.node)}: "
        amount, part, whole = map(self._number, (step.amount, step.part, step.whole))
        yield from (Piece(amount, step.amount_key), " × ", Piece(part, step.part_key), " / ")
        yield from (Piece(whole, step.whole_key), f"; {before} has {amount} of its {whole} here, ")
        if self._is_self(step):
            yield f"and its self cost is {part}"
        elif self.key.is_count and step.node == self.key.path[-1]:
            yield f"and there are {part} {self._calls(step)}"
        else:
            yield f"and {self._cost(step)} {part}"

    def _cost(self, step: SharingStep) -> str:
        key = step.part_key
        is_member = isinstance(key, NumberKey) and key.kind is NumberKind.INCLUSIVE
        return f"{self._calls(step)} is" if is_member else f"the {self._calls(step)} cost"

    def _calls(self, step: SharingStep) -> str:
        """Return the calls between the two functions of a step, or the member of a cycle."""
        key = step.part_key
        if isinstance(key, NumberKey) and key.kind is NumberKind.INCLUSIVE:
            return f"the inclusive cost of {self.name(key.node)}"
        if isinstance(key, NumberKey):
            return f"calls from {self.name(key.node)} to {self.name(key.callee)}"
        return "calls"

    def _is_self(self, step: SharingStep) -> bool:
        return self.key.measure is Measure.SELF and step is self.sharing.steps[-1]

    # ---------------------------------------------------------------- the sum and its proof

    def remarks(self, explained: Explanation, profile: Profile) -> Iterator[str]:
        """Yield what is taken off the sum, and whether the number is exact."""
        value = self._number(round(explained.value))
        if self.sharing.is_complete and not self.sharing.is_exact:
            yield f"All of its cost arrives here, so it is its whole inclusive cost, {value}."
        elif self.sharing.is_flow and self.sharing.is_exact and self.key.path:
            yield f"No other path leads there, so it is what was recorded, {value}."
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
        if isinstance(number, int) or number.is_integer():
            return format_exact(int(number), "", self.style)
        whole, hundredths = divmod(round(number * 100), 100)
        return f"{format_exact(whole, '', self.style)}{self.style.decimal_point}{hundredths:02d}"
