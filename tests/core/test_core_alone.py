"""What holds for the core by itself, with or without frameworks beside it."""

import importlib.metadata
import os
import subprocess
import sys

import pytest

import qmastermind

FRAMEWORKS = ("qiskit", "qiskit_aer", "qiskit_ibm_runtime", "cirq", "pennylane", "pytket")


@pytest.mark.skipif(
    not os.environ.get("QMASTERMIND_CORE_ONLY"), reason="frameworks may be installed here"
)
def test_no_framework_is_installed_in_this_run():
    # by distribution: the folders of tests are importable under the frameworks' names
    installed = {d.metadata["Name"].lower() for d in importlib.metadata.distributions()}
    frameworks = {"qiskit", "qiskit-aer", "qiskit-ibm-runtime", "cirq-core", "pennylane", "pytket"}
    assert installed & frameworks == set()
    assert "qmastermind" in installed


def test_the_public_names_are_these():
    assert qmastermind.__all__ == sorted(qmastermind.__all__)
    assert all(hasattr(qmastermind, name) for name in qmastermind.__all__)
    assert set(qmastermind.__all__) >= {"Circuit", "CircuitBuilder", "Oracle", "get_backend"}


def test_the_parts_are_typed_packages():
    files = {str(f) for f in importlib.metadata.files("qmastermind") or ()}
    if not any(f.endswith("qmastermind/circuit.py") for f in files):
        pytest.skip("an editable install lists no files")
    plugins = ("qiskit", "cirq", "pennylane", "tket", "classical")
    for package in ("qmastermind", *(f"qmastermind_{name}" for name in plugins)):
        assert f"{package}/py.typed" in files


def test_importing_costs_no_framework():
    code = f"""
import sys, qmastermind
import qmastermind_qiskit, qmastermind_cirq, qmastermind_pennylane, qmastermind_tket
import qmastermind_classical
from qmastermind import registered_backends, registered_solvers
registered_backends(), registered_solvers()
print([name for name in {(*FRAMEWORKS, "numba", "matplotlib")} if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
