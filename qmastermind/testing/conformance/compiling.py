"""Compiled circuits: in the basis, on the coupling map, and the same as what was given."""

from __future__ import annotations

import pytest

from qmastermind.backend import Backend, Capability, Compiled
from qmastermind.circuit import Circuit
from qmastermind.equivalence import assert_equivalent
from qmastermind.errors import QmastermindError, UnsupportedError
from qmastermind.gates import GATES
from qmastermind.target import DEFAULT_BASIS, Target
from qmastermind.testing.conformance import cases
from qmastermind.testing.conformance.base import ConformanceBase, expected_distribution

_BASES = {"cx": DEFAULT_BASIS, "cz": ("rz", "sx", "x", "cz")}
_SHAPES = ("all-to-all", "line", "grid")


def _target(shape: str, basis: tuple[str, ...]) -> Target:
    if shape == "line":
        return Target.line(6, basis)
    if shape == "grid":
        return Target.grid(2, 3, basis)
    return Target.all_to_all(basis)


def _programs() -> dict[str, Circuit]:
    return {
        "Fourier transform": cases.fourier(4),
        "measured Grover iteration": cases.grover_step(4, 11, measure=True),
        "ancillas": cases.with_ancillas(),
        "bare oracle": cases.bare_oracle(),
    }


class CompileConformance(ConformanceBase):
    """What is compiled keeps to its target and does what its source does."""

    def check_compiled(self, compiled: Compiled, source: Circuit, target: Target) -> None:
        """One case: fails if a compiled circuit breaks its target or differs from its source."""
        self.case()
        assert list(target.violations(compiled.circuit))[:3] == []
        assert compiled.source == source
        assert_equivalent(source, compiled)

    @pytest.mark.parametrize("program", _programs())
    @pytest.mark.parametrize("basis", _BASES)
    @pytest.mark.parametrize("shape", _SHAPES)
    def test_compile(self, compiler: Backend, shape: str, basis: str, program: str) -> None:
        """Programs for each shape of device and each basis."""
        source, target = _programs()[program], _target(shape, _BASES[basis])
        if shape != "all-to-all" and not compiler.can(Capability.ROUTING):
            self.case()
            with pytest.raises(UnsupportedError):
                compiler.compile(source, target, seed=self.seed)
            return
        compiled = compiler.compile(source, target, seed=self.seed)
        self.check_compiled(compiled, source, target)

    @pytest.mark.parametrize("level", range(4))
    def test_levels(self, compiler: Backend, level: int) -> None:
        """Every optimisation level, and what is written down about a compilation."""
        source, target = cases.fourier(3), Target.all_to_all()
        compiled = compiler.compile(source, target, level, self.seed)
        self.check_compiled(compiled, source, target)
        assert (compiled.target, compiled.level, compiled.seed) == (target, level, self.seed)
        assert compiled.backend == compiler.name
        assert compiled.version == compiler.version
        assert compiled.passes
        assert compiled.seconds >= 0
        assert len(compiled.initial_layout) == len(compiled.final_layout) == source.num_qubits

    @pytest.mark.parametrize("name", GATES)
    def test_compile_gate(self, compiler: Backend, name: str) -> None:
        """A gate under up to two controls of all values, for the default target."""
        for num_controls in range(3):
            num_qubits, operations = cases.applications(cases.example_gates(name), num_controls)
            source = cases.interference(num_qubits, operations, measure=False)
            compiled = compiler.compile(source, level=1, seed=self.seed)
            self.check_compiled(compiled, source, Target())
            self.case(len(operations) - 1)

    def test_compile_diagonal(self, compiler: Backend) -> None:
        """Diagonals, for the default target."""
        num_qubits, operations = cases.applications(cases.example_diagonals(), 1)
        source = cases.interference(num_qubits, operations, measure=False)
        self.check_compiled(compiler.compile(source, seed=self.seed), source, Target())

    def test_compiling_again_gives_the_same(self, compiler: Backend) -> None:
        """The seed decides."""
        self.case()
        target = Target.all_to_all()
        if compiler.can(Capability.ROUTING):
            target = Target.line(5)
        first, second = (compiler.compile(cases.fourier(4), target, 2, 5) for _ in range(2))
        assert first.circuit == second.circuit
        assert first.final_layout == second.final_layout

    @pytest.mark.parametrize("shape", _SHAPES)
    def test_compiled_circuits_run(self, compiler: Backend, runner: Backend, shape: str) -> None:
        """A submitted job gives the counts of the source, whatever moved on the device."""
        if shape != "all-to-all":
            self.needs(compiler, Capability.ROUTING)
        self.case()
        source = cases.grover_step(4, 7, measure=True)
        compiled = compiler.compile(source, _target(shape, DEFAULT_BASIS), seed=self.seed)
        job = compiler.submit(compiled, self.shots, self.seed)
        counts = job.result(timeout=300).counts
        assert job.job_id
        assert job.status() == "done"
        assert self.counts_off(counts, expected_distribution(source)) is None

    def test_too_few_qubits(self, compiler: Backend) -> None:
        """A circuit that does not fit is refused in our words."""
        self.case()
        with pytest.raises(QmastermindError):
            compiler.compile(cases.fourier(4), Target.line(3))

    def test_a_basis_that_cannot_express_the_circuit(self, compiler: Backend) -> None:
        """A basis without entangling gates is refused in our words."""
        self.case()
        with pytest.raises(QmastermindError):
            compiler.compile(cases.fourier(3), Target.all_to_all(("rz", "sx")))

    def test_no_compiler_is_said_so(self, backend: Backend) -> None:
        """A backend without a compiler raises UnsupportedError."""
        if backend.can(Capability.TARGET):
            pytest.skip(f"{backend.name} compiles")
        self.case()
        with pytest.raises(UnsupportedError):
            backend.compile(cases.fourier(3), Target.line(3, ("rz", "ry", "cz")))
