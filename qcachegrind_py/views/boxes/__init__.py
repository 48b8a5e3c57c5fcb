"""The Flame Graph, Caller Map and Callee Map docks."""
