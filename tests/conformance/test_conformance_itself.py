"""The suite fails backends that are wrong, in the tests that are about their fault."""

import re
import subprocess
import sys
from xml.etree import ElementTree

import pytest

PREAMBLE = """
from dataclasses import replace
from qmastermind.backend import Capability, Compiled, Result
from qmastermind.circuit import Apply, Barrier, Box, Circuit, Measure, Phases, Reset
from qmastermind.errors import UnsupportedError
from qmastermind.gates import Gate
from qmastermind.plugin import check_request
from qmastermind.results import Counts
from qmastermind.simulator import StatevectorBackend
from qmastermind.synthesis.lowering import lower
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


def kept(circuit, wanted):
    operations = tuple(op for op in circuit.flat() if wanted(op))
    return replace(circuit.flattened(), operations=operations)


class Compiling(StatevectorBackend):
    # A right one: level 0 lowers each operation by itself, the others all of them together.
    info = replace(
        StatevectorBackend.info,
        capabilities=StatevectorBackend.info.capabilities | {Capability.TARGET},
    )

    def compile(self, circuit, target=None, level=2, seed=None):
        target = check_request(circuit, target, level)
        if target.coupling is not None:
            raise UnsupportedError("this backend does not route")
        lowered = lower(circuit, target.basis)
        if level == 0:
            single = [lower(replace(circuit, operations=(op,)), target.basis)
                      for op in circuit.flat()]
            operations = tuple(op for part in single for op in part.operations)
            lowered = replace(lowered, operations=operations)
        layout = tuple(range(circuit.num_qubits))
        return Compiled(circuit, lowered, lowered, target, self.name, self.version, level,
                        "lower", seed, 0.0, layout, layout)


class Suite(BackendConformance):
    backend_name = "wrong"

    def read_native(self, compiled):
        return compiled.native
"""

SUITE = """

class Test{number}(Suite):
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
        return kept(circuit, lambda op: not isinstance(op, Reset))
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
    "no fault": """
class Backend(Compiling):
    pass
""",
    "runs without diagonals": """
class Backend(StatevectorBackend):
    def _run(self, circuit, shots, seed):
        found = kept(circuit, lambda op: not isinstance(getattr(op, "gate", None), Phases))
        return super()._run(found, shots, seed)
""",
    "runs without gates of many controls": """
class Backend(StatevectorBackend):
    def _run(self, circuit, shots, seed):
        found = kept(circuit, lambda op: len(getattr(op, "controls", ())) < 2)
        return super()._run(found, shots, seed)
""",
    "wrong for one gate under one pattern, and without exact probabilities": """
class Backend(Wrong):
    info = replace(
        StatevectorBackend.info, capabilities=frozenset({Capability.RUN, Capability.SEED})
    )

    def altered(self, circuit):
        def right(op):
            return getattr(op, "values", ()) != (0, 1, 0) or op.gate != Gate("tdg")
        return kept(circuit, right)

    def probabilities(self, circuit):
        raise UnsupportedError("none")
""",
    "seed 0 is no seed": """
class Backend(Compiling):
    def _run(self, circuit, shots, seed):
        return super()._run(circuit, shots, seed or None)
""",
    "seed of a job ignored": """
class Backend(Compiling):
    def _run_compiled(self, compiled, shots, seed):
        return self._run(compiled.circuit, shots, None)
""",
    "a shot too many of many": """
class Backend(StatevectorBackend):
    def _run(self, circuit, shots, seed):
        return super()._run(circuit, shots + (shots > 5000), seed)
""",
    "another native circuit": """
class Backend(Compiling):
    def compile(self, *args, **options):
        found = super().compile(*args, **options)
        return replace(found, native=kept(found.circuit, lambda op: len(op.qubits) != 2))
""",
    "barriers dropped": """
class Backend(Compiling):
    def compile(self, circuit, *args, **options):
        bare = kept(circuit, lambda op: not isinstance(op, Barrier))
        return replace(super().compile(bare, *args, **options), source=circuit)
""",
    "level ignored": """
class Backend(Compiling):
    def compile(self, circuit, target=None, level=2, seed=None):
        return replace(super().compile(circuit, target, 0, seed), level=level)
""",
    "compiler drops resets": """
class Backend(Compiling):
    def compile(self, *args, **options):
        found = super().compile(*args, **options)
        bare = kept(found.circuit, lambda op: not isinstance(op, Reset))
        return replace(found, circuit=bare)
""",
}

# What must fail and what must pass, as patterns of test names.
EXPECTED = {
    "reversed bits": (
        [r"test_bit_order\[first of three\]", r"test_bit_order\[some measured\]"],
        [r"test_bit_order\[one qubit\]", r"test_counts_add_up.*", r"test_seed_repeats.*"],
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
    "seed ignored": ([r"test_seed_repeats.*"], [r"test_bit_order.*", r"test_gate.*"]),
    "a shot too few": ([r"test_counts_add_up\[(7|1000)\]"], [r"test_gate.*"]),
    "reset does nothing": (
        [r"test_measurement_in_between\[(reset|measured, reset and used)\]"],
        [r"test_measurement_in_between\[used after a measurement\]", r"test_gate.*"],
    ),
    "compiler ignores the target": (
        [r"test_compile\[.*\]", r"test_levels.*", r"test_compile_gate\[ecr\]"],
        [r"test_gate.*", r"test_bit_order.*"],
    ),
    "no fault": (
        [],
        [
            *(r"test_compile.*", r"test_levels.*", r"test_barriers.*", r"test_native_circuit.*"),
            *(r"test_submitted.*", r"test_seed_repeats.*", "test_what_cannot_be_submitted"),
        ],
    ),
    "runs without diagonals": ([r"test_diagonal.*"], [r"test_gate.*", r"test_exact.*"]),
    "runs without gates of many controls": (
        [
            *(r"test_gate\[(x|p|u|swap)-[23]\]", r"test_diagonal\[2\]", r"test_many_controls.*"),
            *("test_ancillas", r"test_grover_iteration.*"),
        ],
        [r"test_gate\[\w+-[01]\]", r"test_diagonal\[[01]\]"],
    ),
    "wrong for one gate under one pattern, and without exact probabilities": (
        [r"test_gate\[tdg-3\]"],
        [r"test_gate\[(t|x|p)-\d\]", r"test_many_controls.*"],
    ),
    "seed 0 is no seed": (
        [r"test_seed_repeats\[0\]", r"test_submitted_seed_repeats\[0\]"],
        [r"test_seed_repeats\[7\]", r"test_submitted_seed_repeats\[7\]"],
    ),
    "seed of a job ignored": ([r"test_submitted_seed_repeats.*"], [r"test_seed_repeats.*"]),
    "a shot too many of many": (
        [r"test_counts_add_up\[30011\]", "test_counts_follow_the_distribution"],
        [r"test_counts_add_up\[(1|7|1000)\]"],
    ),
    "another native circuit": ([r"test_native_circuit.*"], [r"test_compile\[.*\]"]),
    "barriers dropped": (
        [r"test_barriers_keep_gates_apart\[[123]\]"],
        [r"test_barriers_change_nothing", r"test_compile\[.*\]"],
    ),
    "level ignored": (["test_levels_differ"], [r"test_levels\[.*\]"]),
    "compiler drops resets": (
        [
            r"test_compile_measured_in_between\[default-(reset|measured, reset and used)\]",
            "test_compiled_measurements_in_between_run",
        ],
        [r"test_compile_measured_in_between\[default-used after.*\]", r"test_compile\[.*\]"],
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
