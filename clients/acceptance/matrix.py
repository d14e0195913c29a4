"""The matrix of clients and behaviours, as a table of Markdown."""

from __future__ import annotations

from pathlib import Path

import pytest

BEGIN, END = "<!-- matrix -->\n", "<!-- /matrix -->\n"


class Matrix:
    """Collects what passes and fails, and writes it between two marks of a file."""

    def __init__(self, file: str | None) -> None:
        self._file = file
        self._rows: dict[str, dict[str, bool]] = {}

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item):  # type: ignore[no-untyped-def]
        outcome = yield
        report = outcome.get_result()
        callspec = getattr(item, "callspec", None)
        if callspec is None or "language" not in callspec.params:
            return
        behaviour = item.originalname.removeprefix("test_").replace("_", " ")  # type: ignore[attr-defined]
        row = self._rows.setdefault(behaviour, {})
        language = callspec.params["language"]
        row[language] = row.get(language, True) and report.passed

    def pytest_sessionfinish(self) -> None:
        if self._file is None or not self._rows:
            return
        file = Path(self._file)
        text = file.read_text(encoding="utf-8") if file.exists() else BEGIN + END
        before, _, rest = text.partition(BEGIN)
        after = rest.partition(END)[2]
        file.write_text(before + BEGIN + self.table() + END + after, encoding="utf-8")

    def table(self) -> str:
        """The table."""
        languages = sorted({language for row in self._rows.values() for language in row})
        lines = ["| behaviour | " + " | ".join(languages) + " |", "|---" * (len(languages) + 1) + "|"]
        for behaviour, row in self._rows.items():
            marks = ["–" if one not in row else "yes" if row[one] else "**no**" for one in languages]
            lines.append("| " + " | ".join([behaviour, *marks]) + " |")
        return "\n" + "\n".join(lines) + "\n\n"
