"""check_docs.py finds README's figures that are not those of the page, and defaults of SECURITY.md that are none."""

from __future__ import annotations

import check_docs
import pytest


@pytest.fixture
def pages(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Both pages as they are, to be changed."""
    texts = {name: check_docs.read(name) for name in ("README.md", check_docs.FIGURES_PAGE)}
    monkeypatch.setattr(check_docs, "read", lambda path: texts[path])
    return texts


def test_readme_has_the_five_numbers_of_the_page(pages: dict[str, str]) -> None:
    assert len(check_docs.five_numbers(pages["README.md"])) == 5
    assert list(check_docs.check_figures()) == []


def test_a_number_that_differs_from_the_page_is_found(pages: dict[str, str]) -> None:
    ours = check_docs.five_numbers(pages["README.md"])[0][1]
    pages["README.md"] = pages["README.md"].replace(ours, ours[:-1] + str((int(ours[-1]) + 1) % 10))
    assert len(list(check_docs.check_figures())) == 2


def test_a_number_that_no_table_has_is_found(pages: dict[str, str]) -> None:
    ours = check_docs.five_numbers(pages["README.md"])[0][1]
    for name, text in pages.items():
        pages[name] = text.replace(f"**{ours}**", "**1,234,567**")
    wrong = list(check_docs.check_figures())
    assert len(wrong) == 1
    assert "1,234,567" in wrong[0]


def test_a_default_that_is_none_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    assert list(check_docs.check_security()) == []
    read = check_docs.read
    monkeypatch.setattr(check_docs, "read", lambda path: read(path).replace("| `OFF` |\n", "| `ON` |\n"))
    assert list(check_docs.check_security()) == [
        "SECURITY.md: handlersocket_allow_unauthenticated is ON, in docs/variables.md OFF"
    ]
    monkeypatch.setattr(check_docs, "read", lambda path: "" if path == "SECURITY.md" else read(path))
    assert list(check_docs.check_security()) == ["SECURITY.md: no defaults found"]
