"""Run `--base` and `--fail-if`: compare two profiles, and check rules."""
