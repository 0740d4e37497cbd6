"""Timelines that tests keep: for each test the hash of its timeline, with what a reader can compare."""

from __future__ import annotations

import fcntl
import json
import os
import pathlib
from typing import Any


def facts_of(result: Any) -> dict[str, Any]:
    """Of what ndsim.launch or ndsim.torch.launch returns."""
    of_torch = getattr(result, "report", None)
    if isinstance(of_torch, dict):
        return {"timeline_sha256": result.timeline_sha256, "seconds": result.seconds, "messages": of_torch["messages"], "ops": of_torch["ops"]}
    return {"timeline_sha256": result.timeline_sha256, "seconds": result.seconds, "messages": result.messages, "ops": result.ops}


def difference(kept: dict[str, Any] | None, now: dict[str, Any]) -> str:
    """In a sentence; empty: there is none."""
    if kept is None:
        return "no timeline is kept for this test yet"
    if kept["timeline_sha256"] == now["timeline_sha256"]:
        return ""
    told = [f"{words(key, kept[key])} were kept, now {now[key]:g}" for key in ("seconds", "messages", "ops") if kept[key] != now[key]]
    return "the timeline has changed: " + ("; ".join(told) or "as long, with as many operations, which differ in order, size, label or time")


def words(key: str, value: float) -> str:
    return f"{value:g} " + {"seconds": "simulated seconds", "messages": "messages", "ops": "operations"}[key]


class Kept:
    """The file of one file of tests: test_ring.timelines.json beside test_ring.py."""

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
        """Tests may run in several processes, and so take turns."""
        with open(self.tests, "rb") as turn:
            fcntl.flock(turn, fcntl.LOCK_EX)
            changed = {**self.all(), test: facts}
            beside = self.file.with_suffix(".new")
            beside.write_text(json.dumps(changed, indent=1, sort_keys=True) + "\n", encoding="utf-8")
            os.replace(beside, self.file)
