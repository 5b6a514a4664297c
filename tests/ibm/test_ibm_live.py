"""One short job on a real account; spends about two device seconds.

Runs only with ``QMASTERMIND_IBM_LIVE=1 pytest -m ibm_live`` and the account of the environment.
"""

from __future__ import annotations

import os

import pytest

pytest.importorskip("qiskit_ibm_runtime")
pytest.importorskip("qiskit_aer")


from qmastermind.cli.app import main

pytestmark = [
    pytest.mark.ibm_live,
    pytest.mark.skipif(
        os.environ.get("QMASTERMIND_IBM_LIVE") != "1",
        reason="talks to a real IBM account; set QMASTERMIND_IBM_LIVE=1",
    ),
]


def test_pairwise_queries_on_the_least_busy_device(capsys: pytest.CaptureFixture[str]) -> None:
    import json

    with pytest.raises(SystemExit) as ended:
        main(["ibm", "submit", "--circuit", "deutsch", "--positions", "4", "--colours", "3",
              "--secret", "RYOR", "--least-busy", "--shots", "256", "--max-seconds", "10",
              "--wait", "--json"])  # fmt: skip
    out = json.loads(capsys.readouterr().out)
    assert ended.value.code in (0, None)
    assert out["answer"] == "RYOR"
    assert out["verified"] is True
