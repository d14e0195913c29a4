"""What the sanitizers have said of a private server is found behind its end."""

from __future__ import annotations

from pathlib import Path

import pytest
import server_files


def test_what_ubsan_wrote_to_a_servers_log_is_a_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_files, "REPORTS", str(tmp_path / "asan"))
    server_files.keep_reports("quiet", "mariadbd: ready for connections.\n")
    assert not list(tmp_path.iterdir())
    said = "byte_order.h:92:9: runtime error: load of misaligned address\n"
    server_files.keep_reports("hs-1", f"ready for connections.\n{said}")
    assert [file.name for file in tmp_path.glob("asan/*")] == ["report.ubsan.hs-1"]
    assert said in (tmp_path / "asan/report.ubsan.hs-1").read_text()
