"""Timeline snapshots of tests: for each test the hash of its timeline, with facts that a reader can compare."""

from __future__ import annotations

import fcntl
import json
import os
import pathlib
from typing import Any


def facts_of(result: Any) -> dict[str, Any]:
    """The facts of a result of ndsim.launch or ndsim.torch.launch."""
    of_torch = getattr(result, "report", None)
    if isinstance(of_torch, dict):
        return {"timeline_sha256": result.timeline_sha256, "seconds": result.seconds, "messages": of_torch["messages"], "ops": of_torch["ops"]}
    return {"timeline_sha256": result.timeline_sha256, "seconds": result.seconds, "messages": result.messages, "ops": result.ops}


def difference(kept: dict[str, Any] | None, now: dict[str, Any]) -> str:
    """The difference as a sentence; empty if there is none."""
    if kept is None:
        return "no timeline is kept for this test yet"
    if kept["timeline_sha256"] == now["timeline_sha256"]:
        return ""
    told = [f"{words(key, kept[key])} were kept, now {now[key]:g}" for key in ("seconds", "messages", "ops") if kept[key] != now[key]]
    return "the timeline has changed: " + ("; ".join(told) or "as long, with as many operations, which differ in order, size, label or time")


def words(key: str, value: float) -> str:
    return f"{value:g} " + {"seconds": "simulated seconds", "messages": "messages", "ops": "operations"}[key]


class Kept:
    """The snapshot file of a test file: test_ring.timelines.json for test_ring.py."""

    def __init__(self, tests: pathlib.Path) -> None:
        self.tests = tests
        self.file = tests.with_suffix(".timelines.json")

    def all(self) -> dict[str, dict[str, Any]]:
        if not self.file.exists():
            return {}
        found: dict[str, dict[str, Any]] = json.loads(self.file.read_text(encoding="utf-8"))
        return found

    def of(self, test: str) -> dict[str, Any] | None:
        return self.all().get(test)

    def keep(self, test: str, facts: dict[str, Any]) -> None:
        """Takes a lock, because tests may run in several processes."""
        with open(self.tests, "rb") as turn:
            fcntl.flock(turn, fcntl.LOCK_EX)
            changed = {**self.all(), test: facts}
            beside = self.file.with_suffix(".new")
            beside.write_text(json.dumps(changed, indent=1, sort_keys=True) + "\n", encoding="utf-8")
            os.replace(beside, self.file)
