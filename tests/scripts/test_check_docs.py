"""check_docs.py finds README's figures that are not those of the page."""

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
