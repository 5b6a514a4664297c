"""The suite fails backends that are wrong, in the tests that are about their fault."""

import re
import subprocess
import sys
from xml.etree import ElementTree

import pytest

PREAMBLE = """
from dataclasses import replace
from qmastermind.backend import BackendInfo, Capability, Compiled, Result
from qmastermind.circuit import Apply, Box, Measure, Phases
from qmastermind.gates import Gate
from qmastermind.results import Counts, Distribution, Factor
from qmastermind.simulator import StatevectorBackend
from qmastermind.testing import BackendConformance


def mapped(circuit, change):
    return replace(circuit.flattened(), operations=tuple(map(change, circuit.flat())))


class Wrong(StatevectorBackend):
    def altered(self, circuit):
        return circuit

    def _run(self, circuit, shots, seed):
        return super()._run(self.altered(circuit), shots, seed)

    def probabilities(self, circuit):
        return super().probabilities(self.altered(circuit))
"""

SUITE = """

class Test{number}(BackendConformance):
    backend_name = "wrong"
    make_backend = Backend
"""

BACKENDS = {
    "reversed bits": """
class Backend(Wrong):
    def altered(self, circuit):
        def reverse(op):
            if isinstance(op, Measure):
                return Measure(op.qubit, circuit.num_bits - 1 - op.bit)
            return op
        return mapped(circuit, reverse)
""",
    "forgotten control values": """
class Backend(Wrong):
    def altered(self, circuit):
        def forget(op):
            return replace(op, values=(1,) * len(op.values)) if isinstance(op, Apply) else op
        return mapped(circuit, forget)
""",
    "lost phase under control": """
class Backend(Wrong):
    def altered(self, circuit):
        def lose(op):
            if isinstance(op, Apply) and op.controls and getattr(op.gate, "name", "") == "p":
                return replace(op, gate=Gate("rz", op.gate.params))
            return op
        return mapped(circuit, lose)
""",
    "reversed diagonals": """
class Backend(Wrong):
    def altered(self, circuit):
        def reverse(op):
            if isinstance(op, Apply) and isinstance(op.gate, Phases):
                return replace(op, targets=op.targets[::-1])
            return op
        return mapped(circuit, reverse)
""",
    "boxes not repeated": """
class Backend(Wrong):
    def altered(self, circuit):
        def once(op):
            if isinstance(op, Box) and op.repetitions > 1:
                return replace(op, repetitions=1)
            return op
        return replace(circuit, operations=tuple(map(once, circuit.operations)))
""",
    "seed ignored": """
class Backend(Wrong):
    def _run(self, circuit, shots, seed):
        return super()._run(circuit, shots, None)
""",
    "a shot too few": """
class Backend(Wrong):
    def _run(self, circuit, shots, seed):
        return super()._run(circuit, max(shots - 1, 1), seed)
""",
    "reset does nothing": """
class Backend(Wrong):
    def altered(self, circuit):
        from qmastermind.circuit import Reset
        kept = tuple(op for op in circuit.flat() if not isinstance(op, Reset))
        return replace(circuit.flattened(), operations=kept)
""",
    "compiler ignores the target": """
class Backend(Wrong):
    info = replace(
        StatevectorBackend.info,
        capabilities=StatevectorBackend.info.capabilities
        | {Capability.TARGET, Capability.ROUTING},
    )

    def compile(self, circuit, target=None, level=2, seed=None):
        from qmastermind.target import Target
        layout = tuple(range(circuit.num_qubits))
        return Compiled(circuit, circuit, None, target or Target(), self.name, self.version,
                        level, "none", seed, 0.0, layout, layout)
""",
}

# What must fail and what must pass, as patterns of test names.
EXPECTED = {
    "reversed bits": (
        [r"test_bit_order\[first of three\]", r"test_bit_order\[some measured\]"],
        [r"test_bit_order\[one qubit\]", r"test_counts_add_up.*", "test_seed_repeats"],
    ),
    "forgotten control values": (
        [r"test_gate\[(x|z|rz|u|swap|ecr)-[123]\]", r"test_diagonal\[[12]\]"],
        [r"test_gate\[\w+-0\]", r"test_bit_order.*", r"test_diagonal\[0\]"],
    ),
    "lost phase under control": (
        [r"test_gate\[p-[123]\]", r"test_global_phase_under_control.*", "test_ancillas"],
        [r"test_gate\[p-0\]", r"test_gate\[(x|rz|u)-\d\]", r"test_bit_order.*", "test_diagonal.*"],
    ),
    "reversed diagonals": ([r"test_diagonal.*"], [r"test_gate.*", "test_bit_order.*"]),
    "boxes not repeated": ([r"test_box\[3\]"], [r"test_box\[[01]\]", r"test_gate.*"]),
    "seed ignored": (["test_seed_repeats"], [r"test_bit_order.*", r"test_gate.*"]),
    "a shot too few": ([r"test_counts_add_up\[(7|1000)\]"], [r"test_gate.*"]),
    "reset does nothing": (
        [r"test_measurement_in_between\[(reset|measured, reset and used)\]"],
        [r"test_measurement_in_between\[used after a measurement\]", r"test_gate.*"],
    ),
    "compiler ignores the target": (
        [r"test_compile\[.*\]", r"test_levels.*", r"test_compile_gate\[ecr\]"],
        [r"test_gate.*", r"test_bit_order.*"],
    ),
}


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory):
    """For each wrong backend, the tests that are looked at, with whether they failed."""
    folder = tmp_path_factory.mktemp("wrong")
    text, wanted = PREAMBLE, []
    for number, (fault, backend) in enumerate(BACKENDS.items()):
        text += backend + SUITE.format(number=number)
        patterns = [pattern for group in EXPECTED[fault] for pattern in group]
        words = {re.match(r"\w+", pattern)[0] for pattern in patterns}
        wanted.append(f"(Test{number} and ({' or '.join(sorted(words))}))")
    (folder / "test_wrong.py").write_text(text)
    command = [sys.executable, "-m", "pytest", "-q", "--tb=short", "-p", "no:cacheprovider"]
    command += [f"--rootdir={folder}", "--junitxml=report.xml", "-k", " or ".join(wanted)]
    done = subprocess.run(
        [*command, "test_wrong.py"], cwd=folder, capture_output=True, text=True, check=False
    )
    found = {fault: {} for fault in BACKENDS}
    for case in ElementTree.parse(folder / "report.xml").getroot().iter("testcase"):
        fault = list(BACKENDS)[int(case.attrib["classname"].rpartition(".Test")[2])]
        if case.find("skipped") is None:
            found[fault][case.attrib["name"]] = case.find("failure") is not None
    return found, done.stdout


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_wrong_backend_fails_where_it_is_wrong(outcomes, backend):
    found = outcomes[0][backend]
    must_fail, must_pass = EXPECTED[backend]
    for patterns, failed in ((must_fail, True), (must_pass, False)):
        for pattern in patterns:
            names = [name for name in found if re.fullmatch(pattern, name)]
            assert names, f"no test matches {pattern}"
            assert {name: found[name] for name in names} == dict.fromkeys(names, failed)


def test_patterns_that_are_wrong_are_named(outcomes):
    where = r" on [\d, ]+"
    assert re.search(f"wrong alone: oox{where}, ocx{where}, cox{where}$", outcomes[1], re.MULTILINE)
