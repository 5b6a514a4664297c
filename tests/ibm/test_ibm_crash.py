"""A thousand kills: whatever happens between any two steps, no job is lost or doubled unnoticed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import ibm_crash_stories
import pytest


@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills forked processes")
def test_a_thousand_kills(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, ibm_crash_stories.__file__, "1000", str(tmp_path), "20251130"],
        env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["kills"] >= 1000
    assert found["places"] > 400  # they were spread
    assert found["shortest"] > 100  # there are that many places to die, at least
    assert found["doubles"] > 0  # the hardest case did occur
