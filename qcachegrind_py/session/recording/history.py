"""Recent recordings in the settings: programs with their arguments and options."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict

from qcachegrind_py.session.settings.store import Settings
from qcachegrind_py.tools.valgrind.recording import Recording, all_options

_KEY = "recordings"
_MAX_RECORDINGS = 12
_TEXTS = ("program", "folder", "output")
_LISTS = ("arguments", "environment", "extra")


def recent_recordings(settings: Settings) -> list[Recording]:
    """Return the recent recordings, latest first; invalid entries are skipped."""
    recordings = (_deserialized(text) for text in settings.stored_texts(_KEY))
    return [recording for recording in recordings if recording is not None]


def add_recent_recording(settings: Settings, recording: Recording) -> None:
    """Store the recording as the latest, replacing one of the same command line and folder."""
    others = [r for r in recent_recordings(settings) if _serialized(r) != _serialized(recording)]
    texts = [json.dumps(asdict(r)) for r in (recording, *others)[:_MAX_RECORDINGS]]
    settings.store(_KEY, texts)


def _serialized(recording: Recording) -> object:
    return recording.program, recording.arguments, recording.folder


def _deserialized(text: str) -> Recording | None:
    try:
        values = json.loads(text)
    except ValueError:
        return None
    if not isinstance(values, dict) or not values.get("program"):
        return None
    texts = {name: values.get(name, "") for name in _TEXTS}
    lists = {name: values.get(name, []) for name in _LISTS}
    options = values.get("options", {})
    if not (_all_strings(texts.values()) and all(map(_is_string_list, lists.values()))):
        return None
    known = all_options() if isinstance(options, dict) else []
    valid_options = {o.name: options[o.name] for o in known if o.accepts(options.get(o.name))}
    return Recording(
        texts["program"],
        tuple(lists["arguments"]),
        texts["folder"],
        texts["output"],
        tuple(lists["environment"]),
        valid_options,
        tuple(lists["extra"]),
    )


def _is_string_list(value: object) -> bool:
    return isinstance(value, list) and _all_strings(value)


def _all_strings(values: Iterable[object]) -> bool:
    return all(isinstance(value, str) for value in values)
