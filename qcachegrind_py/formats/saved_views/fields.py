"""Typed fields of JSON objects from elsewhere; what has the wrong type or size is refused."""

from __future__ import annotations

from typing import Any

_MISSING: dict[type, Any] = {str: "", list: []}


class Malformed(Exception):
    """The text is no valid list of views; the message is a predicate, such as “is empty.”"""


class NewerFormat(Malformed):
    """The text was written by a newer version of the program."""


class Fields:
    """The fields of a JSON object; a missing field and `null` are empty."""

    def __init__(self, record: dict[str, Any], place: str) -> None:
        """`place` says in messages where the object is."""
        self._record, self.place = record, place

    def text(self, key: str, longest: int) -> str:
        """Return a text of at most this many characters."""
        text: str = self._value(key, str, "a text")
        return _bounded_text(text, longest, self._named(key))

    def flag(self, key: str) -> bool | None:
        """Return whether something holds; None if that is not said."""
        value = self._record.get(key)
        if value is not None and not isinstance(value, bool):
            raise Malformed(f"has a wrong value: {self._named(key)} must be true or false.")
        return value

    def number(self, key: str, lowest: int, highest: int) -> int:
        """Return an integer within these bounds."""
        return _bounded_number(self._record.get(key), lowest, highest, self._named(key))

    def list(self, key: str, most: int | None) -> list[Any]:
        """Return a list of at most this many elements; None: of any number."""
        values: list[Any] = self._value(key, list, "a list")
        if most is not None and len(values) > most:
            raise Malformed(f"has too many values: {self._named(key)} may have {most}.")
        return values

    def texts(self, key: str, longest: int, most: int) -> tuple[str, ...]:
        """Return a list of texts."""
        named, values = self._named(key), self.list(key, most)
        if not all(isinstance(value, str) for value in values):
            raise Malformed(f"has a wrong value: {named} must be texts.")
        return tuple(_bounded_text(value, longest, named) for value in values)

    def numbers(self, key: str, lowest: int, highest: int, most: int) -> tuple[int, ...]:
        """Return a list of integers within these bounds."""
        named, values = self._named(key), self.list(key, most)
        return tuple(_bounded_number(value, lowest, highest, named) for value in values)

    def object(self, key: str) -> Fields | None:
        """Return an object; None if there is none."""
        value = self._record.get(key)
        return None if value is None else object_of(value, self._named(key))

    def _value(self, key: str, kind: type, described: str) -> Any:
        value = self._record.get(key)
        if value is None:
            return _MISSING[kind]
        if not isinstance(value, kind):
            raise Malformed(f"has a wrong value: {self._named(key)} must be {described}.")
        return value

    def _named(self, key: str) -> str:
        return f"{self.place}, {key}" if self.place else key


def object_of(value: object, place: str) -> Fields:
    """Return the fields of a JSON value that must be an object."""
    if not isinstance(value, dict):
        raise Malformed(f"has a wrong value: {place} must be an object.")
    return Fields(value, place)


def _bounded_text(text: str, longest: int, named: str) -> str:
    if len(text) > longest:
        raise Malformed(f"has too long a text: {named} may have {longest} characters.")
    return text


def _bounded_number(value: object, lowest: int, highest: int, named: str) -> int:
    is_number = isinstance(value, int) and not isinstance(value, bool)
    if not is_number or not lowest <= value <= highest:  # type: ignore[operator]  # it is a number
        raise Malformed(
            f"has a wrong value: {named} must be a whole number from {lowest} to {highest}."
        )
    return value  # type: ignore[return-value]  # as above
