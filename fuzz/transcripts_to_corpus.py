"""Turns the transcripts of tests/conformance into inputs of fuzz_batch (see script.h).

    fuzz/transcripts_to_corpus.py DIRECTORY

Takes the files whose tables tables.cc has: one input for each case, with the requests that open its
indexes in front.
"""

from __future__ import annotations

import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY / "tests/conformance"))

from transcript import Case, Send, Transcript, load  # noqa: E402

TRANSCRIPTS = ("auto_increment", "auth", "counting", "escaping", "filters", "find", "in", "insert",
               "modify", "order_of_checks")  # fmt: skip
MAX_SIZE = 3000

PEERS = {"W": b"\xf8", "W2": b"\xf9", "R": b"\xfa", "R2": b"\xfb"}
END_OF_BATCH = b"\xfe"


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    directory = Path(sys.argv[1])
    directory.mkdir(parents=True, exist_ok=True)
    for name in TRANSCRIPTS:
        transcript = load(REPOSITORY / f"tests/conformance/transcripts/{name}.txt")
        for case in transcript.cases:
            data = converted(transcript, case)
            if len(data) <= MAX_SIZE:
                (directory / f"{name}_{case.line:04}").write_bytes(data)
    return 0


def converted(transcript: Transcript, case: Case) -> bytes:
    """The input of one case. A batch ends where the case waits for a reply."""
    data = b"\1\0" if transcript.server else b"\0\0"
    opened: set[str] = set()
    current = ""
    for step in case.steps:
        if not isinstance(step, Send):
            if data[-1:] != END_OF_BATCH:
                data += END_OF_BATCH
            continue
        if step.connection != current:
            current = step.connection
            data += PEERS.get(current, PEERS["W"])
            if current not in opened:
                opened.add(current)
                data += b"".join(transcript.open)
        data += step.data
    return data


if __name__ == "__main__":
    sys.exit(main())
