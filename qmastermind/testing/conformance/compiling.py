"""Compiled circuits: in the basis, on the coupling map, and the same as what was given."""

from __future__ import annotations

from dataclasses import replace

import pytest

from qmastermind.backend import Backend, Capability, Compiled
from qmastermind.circuit import Apply, Circuit, Register
from qmastermind.equivalence import TOLERANCE, Verdict, equivalent
from qmastermind.equivalence.side import side
from qmastermind.equivalence.simulate import compare
from qmastermind.errors import QmastermindError, UnsupportedError, UsageError
from qmastermind.gates import GATES, Gate
from qmastermind.target import DEFAULT_BASIS, Target
from qmastermind.testing.conformance import cases
from qmastermind.testing.conformance.base import ConformanceBase, expected_distribution

_CZ = ("rz", "sx", "x", "cz")
_TARGETS = {
    "default": None,
    "all-to-all-cx": Target.all_to_all(DEFAULT_BASIS),
    "all-to-all-cz": Target.all_to_all(_CZ),
    "line-cx": Target.line(6, DEFAULT_BASIS),
    "line-cz": Target.line(6, _CZ),
    "grid-cx": Target.grid(2, 3, DEFAULT_BASIS),
    "grid-cz": Target.grid(2, 3, _CZ),
}
_RUN_ON = ("default", "line-cx", "grid-cx")


def _programs() -> dict[str, Circuit]:
    return {
        "Fourier transform": cases.fourier(4),
        "measured Grover iteration": cases.grover_step(4, 11, measure=True),
        "ancillas": cases.with_ancillas(),
        "bare oracle": cases.bare_oracle(),
    }


class CompileConformance(ConformanceBase):
    """What is compiled keeps to its target and does what its source does.

    A backend that compiles for its own device is tested on that, which needs nine qubits. Its
    circuits start where the device does, so they are compared from |0...0>.
    """

    def read_native(self, compiled: Compiled) -> Circuit | None:
        """What ``compiled.native`` is as a neutral circuit; override it to have that checked.

        Args:
            compiled: By this backend.

        Returns:
            A circuit on as many qubits as ``compiled.circuit``, the physical ones of the target
            in order, with the bits where ``compiled.source`` has them; None: not checked.
        """
        return None

    @staticmethod
    def takes(compiler: Backend, target: Target | None) -> bool:
        """Whether the backend has to compile for a target of this suite, None being its own."""
        if target is None:
            return True
        if compiler.can(Capability.OWN_DEVICE):
            return False
        return target.coupling is None or compiler.can(Capability.ROUTING)

    def check_compiled(
        self, compiler: Backend, compiled: Compiled, source: Circuit, target: Target | None
    ) -> None:
        """One case: fails if a compiled circuit breaks its target or differs from its source."""
        self.case()
        if target is not None:
            assert compiled.target == target
        assert list(compiled.target.violations(compiled.circuit))[:3] == []
        assert compiled.source == source
        self.check_equal(compiler, compiled)

    def check_equal(self, compiler: Backend, compiled: Compiled) -> None:
        """Fails unless a compiled circuit does what its source does."""
        if compiler.can(Capability.OWN_DEVICE):
            verdict = _compared_from_zero(compiled)
        else:
            verdict = equivalent(compiled.source, compiled)
        assert verdict.equal is True, str(verdict)

    @pytest.mark.parametrize("program", _programs())
    @pytest.mark.parametrize("target", _TARGETS)
    def test_compile(self, compiler: Backend, target: str, program: str) -> None:
        """Programs for each shape of device and each basis, and without a target."""
        source, wanted = _programs()[program], _TARGETS[target]
        if not self.takes(compiler, wanted):
            self.case()
            with pytest.raises(UnsupportedError):
                compiler.compile(source, wanted, seed=self.seed)
            return
        compiled = compiler.compile(source, wanted, seed=self.seed)
        self.check_compiled(compiler, compiled, source, wanted)

    def test_the_default_target_can_be_given(self, compiler: Backend) -> None:
        """What is compiled for without a target is a target like any other."""
        source = cases.fourier(3)
        own = compiler.compile(source, seed=self.seed).target
        self.check_compiled(compiler, compiler.compile(source, own, seed=self.seed), source, own)

    @pytest.mark.parametrize("level", range(4))
    def test_levels(self, compiler: Backend, level: int) -> None:
        """Every optimisation level, and what is written down about a compilation."""
        source = cases.fourier(3)
        compiled = compiler.compile(source, level=level, seed=self.seed)
        self.check_compiled(compiler, compiled, source, None)
        assert (compiled.level, compiled.seed) == (level, self.seed)
        assert compiled.backend == compiler.name
        assert compiled.version == compiler.version
        assert compiled.passes
        assert compiled.seconds >= 0
        assert len(compiled.initial_layout) == len(compiled.final_layout) == source.num_qubits

    def test_levels_differ(self, compiler: Backend) -> None:
        """Level 3 costs no more two-qubit gates than level 0, and fewer gates where some cancel."""

        def compiled(source: Circuit, level: int) -> list[Apply]:
            return _gates(compiler.compile(source, level=level, seed=self.seed).circuit)

        for source in (cases.fourier(3), cases.grover_step(3, 5, measure=False)):
            self.case()
            wide = [sum(len(op.qubits) > 1 for op in compiled(source, n)) for n in (0, 3)]
            assert wide[1] <= wide[0]
        self.case()
        assert len(compiled(cases.redundant(), 3)) < len(compiled(cases.redundant(), 0))

    @pytest.mark.parametrize("level", range(4))
    def test_barriers_keep_gates_apart(self, compiler: Backend, level: int) -> None:
        """What would cancel without a barrier between does not."""
        source = cases.fenced_pairs()
        compiled = compiler.compile(source, level=level, seed=self.seed)
        self.check_compiled(compiler, compiled, source, None)
        gates = _gates(compiled.circuit)
        assert sum(len(op.qubits) > 1 for op in gates) >= 2
        alone = [op for op in gates if op.qubits == compiled.initial_layout[:1]]
        # Rotations about Z do not count: an H takes another gate in any basis.
        assert sum(isinstance(op.gate, Gate) and not op.gate.kind.diagonal for op in alone) >= 2

    @pytest.mark.parametrize("name", GATES)
    def test_compile_gate(self, compiler: Backend, name: str) -> None:
        """A gate under up to two controls of all values, for the default target."""
        for num_controls in range(3):
            num_qubits, operations = cases.applications(cases.example_gates(name), num_controls)
            source = cases.interference(num_qubits, operations, measure=False)
            compiled = compiler.compile(source, level=1, seed=self.seed)
            self.check_compiled(compiler, compiled, source, None)
            self.case(len(operations) - 1)

    def test_compile_diagonal(self, compiler: Backend) -> None:
        """Diagonals, for the default target."""
        num_qubits, operations = cases.applications(cases.example_diagonals(), 1)
        source = cases.interference(num_qubits, operations, measure=False)
        compiled = compiler.compile(source, seed=self.seed)
        self.check_compiled(compiler, compiled, source, None)

    @pytest.mark.parametrize("name", cases.measured_in_between())
    @pytest.mark.parametrize("target", ["default", "line-cx"])
    def test_compile_measured_in_between(self, compiler: Backend, target: str, name: str) -> None:
        """Measurements and resets stay where they are."""
        self.needs(compiler, Capability.MID_CIRCUIT)
        source, wanted = cases.measured_in_between()[name], _TARGETS[target]
        if not self.takes(compiler, wanted):
            pytest.skip(f"{compiler.name} does not compile for {target}")
        compiled = compiler.compile(source, wanted, seed=self.seed)
        self.check_compiled(compiler, compiled, source, wanted)

    @pytest.mark.parametrize("program", ["ancillas", "bare oracle"])
    @pytest.mark.parametrize("target", ["default", "line-cx"])
    def test_native_circuit(self, compiler: Backend, target: str, program: str) -> None:
        """The framework's own circuit is the one that the neutral copy is a copy of."""
        source, wanted = _programs()[program], _TARGETS[target]
        if not self.takes(compiler, wanted):
            pytest.skip(f"{compiler.name} does not compile for {target}")
        compiled = compiler.compile(source, wanted, seed=self.seed)
        native = self.read_native(compiled)
        if native is None:
            pytest.skip(f"{type(self).__name__} does not read native circuits")
        self.case()
        native = replace(native, num_bits=max(native.num_bits, source.num_bits))
        self.check_equal(compiler, replace(compiled, circuit=native))

    def test_compiling_again_gives_the_same(self, compiler: Backend) -> None:
        """The seed decides."""
        self.case()
        line = Target.line(5)
        target = line if self.takes(compiler, line) else None
        first, second = (compiler.compile(cases.fourier(4), target, 2, 5) for _ in range(2))
        assert first.circuit == second.circuit
        assert first.final_layout == second.final_layout

    @pytest.mark.parametrize("target", _RUN_ON)
    def test_compiled_circuits_run(self, compiler: Backend, runner: Backend, target: str) -> None:
        """A submitted job gives the counts of the source, whatever moved on the device."""
        wanted = _TARGETS[target]
        if not self.takes(compiler, wanted):
            pytest.skip(f"{compiler.name} does not compile for {target}")
        self.case()
        source = cases.grover_step(4, 7, measure=True)
        compiled = compiler.compile(source, wanted, seed=self.seed)
        job = runner.submit(compiled, self.shots, self.seed)
        counts = job.result(timeout=300).counts
        assert job.job_id
        assert job.status() == "done"
        off = self.shots_off(runner, counts, self.shots)
        off = off or self.counts_off(counts, expected_distribution(source))
        assert off is None, off
        job.cancel()
        assert job.status() == "done", "a finished job stays as it is"
        assert job.result(timeout=300).counts == counts

    def test_compiled_measurements_in_between_run(self, compiler: Backend, runner: Backend) -> None:
        """What is measured, reset and used again runs as it was compiled."""
        self.needs(compiler, Capability.MID_CIRCUIT)
        self.case()
        source = cases.measured_in_between()["measured, reset and used"]
        compiled = compiler.compile(source, seed=self.seed)
        counts = runner.submit(compiled, self.shots // 4, self.seed).result(timeout=300).counts
        off = self.counts_off(counts, expected_distribution(source))
        assert off is None, off

    @pytest.mark.parametrize("seed", [7, 0, 2**64 + 7])
    def test_submitted_seed_repeats(self, compiler: Backend, runner: Backend, seed: int) -> None:
        """A job takes a seed as a run does."""
        self.needs(runner, Capability.SEED)
        self.case()
        compiled = compiler.compile(cases.fourier(4).measured(), seed=seed)
        first, second, *others = (
            runner.submit(compiled, 2000, s).result(timeout=300).counts for s in (seed, seed, 8, 9)
        )
        assert first == second
        assert any(other != first for other in others)

    def test_submitted_queries_are_counted(self, compiler: Backend, runner: Backend) -> None:
        """A job tells the oracles of its source, however often a compiler has them."""
        self.case()
        told: list[tuple[str, int, int]] = []
        circuit = cases.counted_queries(lambda *use: told.append(use))
        compiled = compiler.compile(circuit, seed=self.seed)
        assert told == []
        runner.submit(compiled, 25, self.seed).result(timeout=300)
        assert told == [("match", 4, 25)]

    def test_what_cannot_be_submitted(self, compiler: Backend, runner: Backend) -> None:
        """No shots, a negative seed, or nothing to measure."""
        compiled = compiler.compile(cases.fourier(3).measured(), seed=self.seed)
        nothing = compiler.compile(cases.fourier(3), seed=self.seed)
        for job, shots, seed in ((compiled, 0, None), (compiled, 10, -1), (nothing, 10, None)):
            self.case()
            with pytest.raises(UsageError):
                runner.submit(job, shots, seed)

    def test_too_few_qubits(self, compiler: Backend) -> None:
        """A circuit that does not fit is refused in our words."""
        self.case()
        with pytest.raises(QmastermindError):
            compiler.compile(cases.fourier(4), Target.line(3))
        size = compiler.compile(cases.fourier(2), seed=self.seed).target.num_qubits
        if size is not None:
            with pytest.raises(QmastermindError):
                compiler.compile(Circuit((Register("q", size + 1),)))

    def test_a_basis_that_cannot_express_the_circuit(self, compiler: Backend) -> None:
        """A basis without entangling gates is refused in our words."""
        self.case()
        with pytest.raises(QmastermindError):
            compiler.compile(cases.fourier(3), Target.all_to_all(("rz", "sx")))

    def test_no_compiler_is_said_so(self, backend: Backend) -> None:
        """A backend without a compiler raises UnsupportedError."""
        if backend.can(Capability.TARGET) or backend.can(Capability.OWN_DEVICE):
            pytest.skip(f"{backend.name} compiles")
        self.case()
        with pytest.raises(UnsupportedError):
            backend.compile(cases.fourier(3), Target.line(3, ("rz", "ry", "cz")))


def _compared_from_zero(compiled: Compiled) -> Verdict:
    """The comparison for the one input that a device has."""
    first, second = (replace(side(x), starts=()) for x in (compiled.source, compiled))
    mismatch = first.mismatch(second)
    if mismatch is not None:
        return Verdict(False, "interface", mismatch)
    return compare(first, second, "unitary", TOLERANCE, seed=0)


def _gates(circuit: Circuit) -> list[Apply]:
    return [op for op in circuit.flat() if isinstance(op, Apply)]
