"""What the commands show, and that they cost nothing before they are used."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("qiskit_ibm_runtime")
pytest.importorskip("qiskit_aer")

from ibm_command import Cli
from ibm_service import StandIn

from qmastermind_qiskit.ibm import device


@pytest.fixture
def few_snapshots(monkeypatch: pytest.MonkeyPatch) -> None:
    names = ["fake_armonk", "fake_geneva", "fake_kyoto", "fake_manila"]
    monkeypatch.setattr(device, "snapshot_names", lambda: names)


def test_devices_offline(few_snapshots: None, cli: Cli) -> None:
    ran = cli("devices", "--offline", "--json")
    assert ran.code == 0, ran.err
    rows = {row["name"]: row for row in ran.json["devices"]}
    assert rows["fake_manila"]["qubits"] == 5
    assert rows["fake_manila"]["two_qubit_gates"] == ["cx"]
    assert rows["fake_manila"]["median_two_qubit_error"] == pytest.approx(0.0101, abs=1e-4)
    assert rows["fake_armonk"]["median_two_qubit_error"] is None
    assert len(rows["fake_kyoto"]["unusable_edges"]) == 144
    assert [16, 14] in rows["fake_geneva"]["unusable_edges"]
    table = cli("devices", "--offline").out
    assert "fake_geneva" in table
    assert "0.0101" in table


def test_all_snapshots_have_names() -> None:
    names = device.snapshot_names()
    assert len(names) > 50
    assert {"fake_torino", "fake_fez", "fake_boston", "fake_nighthawk"} <= set(names)


def test_devices_of_the_account(service: StandIn, cli: Cli) -> None:
    service.state.devices["ibm_manila"].queue = 7
    ran = cli("devices", "--json")
    assert ran.code == 0, ran.err
    (row,) = ran.json["devices"]
    assert (row["name"], row["qubits"], row["pending"]) == ("ibm_manila", 5, 7)
    assert "ibm_manila" in cli("devices").out


def test_doctor_with_everything_well(service: StandIn, cli: Cli) -> None:
    ran = cli("doctor", "--json")
    assert ran.code == 0, ran.out
    found = {f["name"]: f["text"] for f in ran.json["findings"]}
    assert "qiskit-ibm-runtime" in found["versions"]
    assert "executor_sampler" in found["versions"]
    assert found["account"] == "token from QISKIT_IBM_TOKEN"
    assert found["plan"] == "open"
    assert found["usage"] == "540 s of 600 s remain"
    text = cli("doctor").out
    assert "540 s of 600 s remain" in text
    assert service.state.api_key not in ran.out + text


def test_doctor_without_an_account_or_with_a_file_that_others_can_read(
    home: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = home / ".qiskit"
    folder.mkdir()
    saved = folder / "qiskit-ibm.json"
    saved.write_text(json.dumps({"mine": {"token": "saved-secret-99", "channel": "ibm_cloud"}}))
    saved.chmod(0o644)
    monkeypatch.setenv("QISKIT_IBM_TOKEN", "")
    monkeypatch.setenv("IAM_URL", "http://127.0.0.1:9")  # nobody listens there
    monkeypatch.setenv("GLOBAL_SEARCH_URL", "http://127.0.0.1:9")
    ran = cli("doctor", "--json")
    assert ran.code == 1
    found = {f["name"]: f for f in ran.json["findings"]}
    assert "mine" in found["account"]["text"]
    assert "mode 0644" in found["account file"]["text"]
    assert f"chmod 600 {saved}" in found["account file"]["text"]
    assert found["service"]["ok"] is False
    assert "saved-secret" not in ran.out
    saved.chmod(0o600)
    assert "account file" not in cli("doctor").out
    saved.unlink()
    assert "none in the environment, none saved" in cli("doctor").out


def test_doctor_tells_a_spent_instance(service: StandIn, cli: Cli) -> None:
    service.state.usage["usage_limit_reached"] = True
    ran = cli("doctor")
    assert ran.code == 1
    assert "0 s of 600 s remain" in ran.out


def test_forecast_shows_the_merged_circuit_beside_it(cli: Cli) -> None:
    arguments = ("forecast", "--circuit", "deutsch", "--secret", "RGBY", "--device", "fake_manila",
                 "--layouts", "1")  # fmt: skip
    ran = cli(*arguments, "--json")
    assert ran.code == 0, ran.err
    assert ran.json["verdict"] == "go"
    assert len(ran.json["parts"]) == 5
    assert max(p["depth"] for p in ran.json["without_barrier"]["parts"]) <= 2
    assert all(p["depth"] > 2 for p in ran.json["parts"])
    assert all("optimistic bound" in p["meaning"] for p in ran.json["parts"])
    text = cli(*arguments).out
    assert "optimistic bound" in text
    assert "merges the oracle away" in text
    alone = cli(*arguments, "--no-barrier", "--json").json
    assert alone["without_barrier"] is None
    assert max(p["depth"] for p in alone["parts"]) <= 2


def test_forecast_of_fewer_pairs(cli: Cli) -> None:
    ran = cli("forecast", "--circuit", "deutsch", "--pairs", "paths", "--device", "fake_manila",
              "--layouts", "1", "--json", "--seed", "1")  # fmt: skip
    assert len(ran.json["parts"]) == 4


def test_forecast_of_grover_tries_iterations(cli: Cli) -> None:
    ran = cli("forecast", "--circuit", "grover", "--marked", "101", "--device", "fake_manila",
              "--layouts", "1", "--json")  # fmt: skip
    assert set(ran.json["tried"]) == {"1", "2"}
    best = max(ran.json["tried"].values())
    assert ran.json["parts"][0]["success"] == best


def test_forecast_refuses_the_articles_search_but_does_not_fail(cli: Cli) -> None:
    ran = cli("forecast", "--circuit", "grover", "--secret", "RGBY", "--space", "all",
              "--iterations", "10", "--device", "fake_almaden", "--layouts", "1",
              "--json")  # fmt: skip
    assert ran.code == 0, ran.err
    assert ran.json["verdict"] == "refuse"
    assert "noise is all that is left" in ran.json["reason"]


def test_a_local_run_keeps_a_record_and_repeats_with_its_seed(cli: Cli, home: Path) -> None:
    arguments = ("submit", "--circuit", "deutsch", "--secret", "RGBY", "--device", "fake_manila",
                 "--shots", "300", "--layouts", "1", "--seed", "5", "--json")  # fmt: skip
    first, second = cli(*arguments), cli(*arguments)
    assert first.code == second.code == 0, first.err
    assert first.json["answer"] == "RGBY"
    assert first.json["parts"] == second.json["parts"]
    assert first.json["job_id"] != second.json["job_id"]
    listed = cli("jobs", "--json").json["jobs"]
    assert [row["state"] for row in listed] == ["done", "done"]
    again = cli("result", first.json["job_id"], "--json")
    assert again.json["answer"] == "RGBY"
    text = cli("result", first.json["job_id"]).out
    assert "verified: RGBY" in text
    assert "forecast" in text
    assert [path.name for path in (home / "data" / "ibm").iterdir()] == ["jobs"]


def test_a_wrong_answer_is_not_called_solved(cli: Cli) -> None:
    # two iterations too many over 3 bits: the marked string is the least frequent
    ran = cli("submit", "--circuit", "grover", "--marked", "110", "--iterations", "4", "--device",
              "fake_manila", "--shots", "4000", "--layouts", "1", "--force", "--json")  # fmt: skip
    assert ran.code == 1
    assert ran.json["verified"] is False


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("submit", "--circuit", "deutsch"), "--device NAME or --least-busy"),
        (("forecast", "--circuit", "shor", "--device", "fake_manila"), "unknown circuit or file"),
        (("forecast", "--circuit", "nowhere.qasm", "--device", "fake_manila"), "cannot read"),
        (("forecast", "--circuit", "deutsch", "--marked", "1", "--device", "fake_manila"),
         "--marked goes with"),
        (("forecast", "--circuit", "grover", "--marked", "1,00", "--device", "fake_manila"),
         "one length"),
        (("forecast", "--circuit", "grover", "--marked", "1x", "--device", "fake_manila"),
         "0 or 1"),
        (("forecast", "--circuit", "grover", "--marked", "11", "--iterations", "many",
          "--device", "fake_manila"), "a number or auto"),
        (("forecast", "--circuit", "deutsch", "--secret", "RGBZ", "--device", "fake_manila"),
         "no colour"),
        (("forecast", "--circuit", "adaptive", "--device", "fake_manila"), "has 5"),
        (("forecast", "--circuit", "deutsch", "--secret", "RGBY", "--secret", "RRRR",
          "--device", "fake_manila", "--layouts", "1"), "give one --secret"),
    ],
)  # fmt: skip
def test_misuse_is_explained(cli: Cli, arguments: tuple[str, ...], words: str) -> None:
    ran = cli(*arguments)
    assert ran.code == 2, ran.err
    assert words in ran.err
    assert "Traceback" not in ran.err


QASM = 'OPENQASM 2.0; include "qelib1.inc"; qreg q[2]; creg c[2]; '


def test_bits_that_nothing_is_measured_into(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "one.qasm"
    path.write_text(QASM + "reset q[0]; x q[1]; measure q[1] -> c[0];")
    arguments = ("--circuit", str(path), "--device", "fake_manila", "--shots", "200",
                 "--layouts", "1", "--json")  # fmt: skip
    (part,) = cli("forecast", *arguments).json["parts"]
    ran = cli("submit", *arguments)
    assert ran.code == 0, ran.err
    assert ran.json["answer"] == "10"
    assert part["success"] == pytest.approx(ran.json["parts"][0]["success"], abs=0.05)


@pytest.mark.parametrize(
    ("steps", "words"),
    [
        ("h q[0]; measure q[0] -> c[0]; x q[0]; measure q[0] -> c[1];", "used again"),
        ("measure q[0] -> c[0]; measure q[1] -> c[0];", "written twice"),
        ("x q[0];", "measures something"),
    ],
)
def test_files_that_do_not_end_in_their_measurements(
    cli: Cli, tmp_path: Path, steps: str, words: str
) -> None:
    path = tmp_path / "some.qasm"
    path.write_text(QASM + steps)
    for command in ("forecast", "submit"):
        ran = cli(command, "--circuit", str(path), "--device", "fake_manila", "--layouts", "1")
        assert ran.code == 2
        assert words in ran.err


def test_a_broken_file_in_openqasm(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "broken.qasm"
    path.write_text("OPENQASM 2.0; qreg q[")
    ran = cli("forecast", "--circuit", str(path), "--device", "fake_manila")
    assert ran.code != 0
    assert "broken.qasm" in ran.err
    assert "Traceback" not in ran.err


def test_a_missing_package_is_named_with_its_extra(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    import importlib.metadata

    from qmastermind import backend

    def installed(package: str) -> str | None:
        return None if package == "qiskit-aer" else importlib.metadata.version(package)

    monkeypatch.setattr(backend, "_installed_version", installed)
    for arguments in (("devices", "--offline"), ("forecast", "--circuit", "deutsch", "--device",
                                                 "fake_manila")):  # fmt: skip
        ran = cli(*arguments)
        assert ran.code == 2
        assert "needs qiskit-aer" in ran.err
        assert "pip install 'qmastermind[ibm]'" in ran.err
    assert cli("jobs").code == 0  # records can be read without
    ran = cli("doctor", "--json")  # which says all it can, nevertheless
    assert ran.code == 2
    found = {finding["name"]: finding["text"] for finding in ran.json["findings"]}
    assert "qiskit-aer is not installed: pip install 'qmastermind[ibm]'" in found["versions"]
    assert "0 in" in found["job records"]
    assert "service" not in found


def test_the_list_of_jobs_is_shown_although_nobody_can_be_asked(
    service: StandIn, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    from qmastermind import backend

    service.state.hold = True
    ran = cli("submit", "--circuit", "deutsch", "--secret", "RGBY", "--device", "ibm_manila",
              "--shots", "100", "--layouts", "1", "--json")  # fmt: skip
    (job,) = ran.json["jobs"]
    monkeypatch.setattr(backend, "_installed_version", lambda package: None)
    listed = cli("jobs", "--refresh", "--json")
    assert listed.code == 0
    assert [row["job_id"] for row in listed.json["jobs"]] == [job["job_id"]]
    assert "needs qiskit" in listed.json["problems"][0]
    assert cli("status", job["job_id"]).code == 2


def test_without_platformdirs_the_folder_of_records_must_be_named(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "platformdirs", None)
    monkeypatch.delenv("QMASTERMIND_HOME")
    ran = cli("jobs")
    assert ran.code == 2
    assert "pip install 'qmastermind[ibm]'" in ran.err
    found = {
        finding["name"]: finding["text"] for finding in cli("doctor", "--json").json["findings"]
    }
    assert "platformdirs" in found["job records"]


def test_unknown_jobs(cli: Cli) -> None:
    for command in ("status", "result", "cancel"):
        ran = cli(command, "d-unknown")
        assert ran.code == 2
        assert "there is no job record 'd-unknown'" in ran.err
    assert "no job records" in cli("jobs").out


def test_nothing_heavy_is_imported_before_it_is_used() -> None:
    code = (
        "import sys, qmastermind_qiskit.ibm.cli, qmastermind_qiskit.ibm.backend;"
        "heavy = {'qiskit', 'qiskit_aer', 'qiskit_ibm_runtime', 'requests', 'matplotlib'};"
        "sys.exit(str(heavy & set(sys.modules)) if heavy & set(sys.modules) else 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=dict(os.environ),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
