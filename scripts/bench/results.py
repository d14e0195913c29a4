"""build/bench/results.json: what was measured, by section. The page is made from it alone."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from server_files import ServerError

from bench.load import Measurement

VERSION = 1


class Results:
    """The file. Each section: `about` (when, what, how), `complete`, and its measurements."""

    def __init__(self, path: Path, sections: dict[str, dict[str, Any]]) -> None:
        self.path = path
        self.sections = sections

    @staticmethod
    def load(path: Path) -> Results:
        """What is there; nothing when there is no such file."""
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return Results(path, {})
        except (OSError, ValueError) as error:
            raise ServerError(f"{path} cannot be read: {error}") from None
        if not isinstance(content, dict) or content.get("version") != VERSION:
            raise ServerError(f"{path} has no results of this version: remove it")
        return Results(path, content["sections"])

    def begin(self, section: str, about: dict[str, Any]) -> None:
        """Forgets the section's older measurements."""
        self.sections[section] = {"about": about, "complete": False, "measurements": []}
        self._save()

    def add(self, section: str, measurement: Measurement) -> None:
        """Keeps one more."""
        self.sections[section]["measurements"].append(asdict(measurement))
        self._save()

    def note(self, section: str, name: str, value: Any) -> None:
        """Keeps something that is no measurement of hs bench."""
        self.sections[section]["about"][name] = value
        self._save()

    def end(self, section: str) -> None:
        """Marks the section as complete."""
        self.sections[section]["complete"] = True
        self._save()

    def measurements(self, section: str) -> list[Measurement]:
        """What was measured in a section, in that order."""
        found: Iterable[dict[str, Any]] = self.sections.get(section, {}).get("measurements", ())
        return [Measurement(**fields) for fields in found]

    def busy_sections(self) -> list[str]:
        """Sections of which most measurements were made on a machine busy with something else."""
        found = []
        for section in self.sections:
            runs = self.measurements(section)
            if 2 * sum(run.busy for run in runs) > len(runs):
                found.append(section)
        return found

    def about(self, section: str) -> dict[str, Any]:
        """When and with what the section was measured."""
        about: dict[str, Any] = self.sections.get(section, {}).get("about", {})
        return about

    def _save(self) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        new = self.path.with_suffix(".new")
        content = {"version": VERSION, "sections": self.sections}
        new.write_text(json.dumps(content) + "\n", encoding="utf-8")
        new.rename(self.path)
