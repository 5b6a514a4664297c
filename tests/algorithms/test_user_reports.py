"""What users of other packages reported about oracles and iterations, with the right answers."""

import math
from itertools import product

import numpy as np
import pytest

from qmastermind.algorithms import diffuser, grover, hadamards, plan, plan_from_share
from qmastermind.algorithms.search import sample, search_known
from qmastermind.builder import CircuitBuilder
from qmastermind.circuit import Register
from qmastermind.errors import TooLargeError, UsageError
from qmastermind.game import Codemaker, Rules
from qmastermind.oracle import TableOracle, bits, from_dimacs, from_formula, from_predicate
from qmastermind.oracle.base import Oracle
from qmastermind.qasm import from_qasm, to_qasm2, to_qasm3
from qmastermind.registry import get_backend, registered_backends
from qmastermind.simulator import StatevectorBackend, unitary

LOCAL = ("statevector", "qiskit", "cirq", "pennylane", "tket")


def local_backends():
    """The local simulators that are installed here."""
    for name, plugin in registered_backends().items():
        if name in LOCAL and plugin.cls is not None and plugin.cls.info.missing() is None:
            yield get_backend(name)


def distribution(circuit):
    return StatevectorBackend().probabilities(circuit.measured(circuit.data))


def bernstein_vazirani(secret):
    """The circuit that finds ``secret`` from one use of the phase oracle of its parity."""
    names = [f"x{i}" for i in range(len(secret))]
    text = " ^ ".join(n for n, bit in zip(names, secret, strict=True) if bit == "1") or "0 & x0"
    oracle = from_formula(text, tuple(names))
    builder = CircuitBuilder(Register("x", len(secret)))
    builder.compose(hadamards(len(secret)))
    builder.compose(oracle.phase())
    builder.compose(hadamards(len(secret)))
    return builder.build()


def test_the_satisfying_assignment_is_read_in_the_order_of_the_variables():
    """Qiskit#6314: x1 & x2 & ~x3 is satisfied by (1, 1, 0), and by nothing else."""
    oracle = from_formula("x1 & x2 & ~x3")
    assert oracle.variables.names == ("x1", "x2", "x3")
    assert list(oracle.marked()) == ["110"]
    found = search_known(oracle, StatevectorBackend(), 1, seed=1)
    assert found.assignment == {"x1": 1, "x2": 1, "x3": 0}
    for backend in local_backends():
        circuit = grover(oracle, plan=plan(8)).measured(range(3))
        assert backend.run(circuit, 200, 3).counts.most_common(1)[0][0] == "110", backend.name


def test_a_circuit_keeps_its_qubits_on_the_way_through_a_framework():
    """qBraid#339 and #16: H on 0 and CX from 0 to 1 came back on swapped qubits."""
    pytest.importorskip("openqasm3")
    builder = CircuitBuilder(Register("q", 3))
    builder.h(0)
    builder.x(1, [0])
    builder.t(1)
    circuit = builder.build()
    for text in (to_qasm2(circuit), to_qasm3(circuit)):
        assert np.allclose(unitary(from_qasm(text)), unitary(circuit))
    for backend in local_backends():
        if backend.name == "statevector":
            continue
        compiled = backend.compile(circuit, level=0)
        kept = compiled.circuit
        assert compiled.final_layout == compiled.initial_layout == (0, 1, 2), backend.name
        u, v = unitary(kept), unitary(circuit)
        assert abs(np.vdot(u, v)) == pytest.approx(8), backend.name


def test_the_first_qubit_is_the_leftmost_character():
    """qiskit-superstaq#174: X on qubit 0 of 2 is 10, not 01, on every backend."""
    builder = CircuitBuilder(Register("q", 2))
    builder.x(0)
    circuit = builder.build().measured()
    for backend in local_backends():
        assert dict(backend.run(circuit, 10, 1).counts) == {"10": 10}, backend.name


def test_a_hidden_string_is_shown_as_it_was_hidden():
    """qiskit-textbook#337 and #1196: the string 011 was shown as 110 or 11."""
    assert distribution(bernstein_vazirani("011")).probability("011") == pytest.approx(1)


def test_a_hidden_string_is_found_for_every_string():
    """qiskit-human-eval#17: a solution without any Hadamard passed its tests."""
    for secret in ("".join(b) for b in product("01", repeat=4)):
        assert distribution(bernstein_vazirani(secret)).probability(secret) == pytest.approx(1)


@pytest.mark.parametrize("text", ["x | ~x", "1 | x", "x -> x"])
def test_an_oracle_that_is_always_true_is_a_global_sign(text):
    """Qiskit#16524: all states are marked, so the circuit is minus the identity."""
    oracle = from_formula(text)
    assert list(oracle.marked()) == ["0", "1"]
    assert np.allclose(unitary(oracle.phase()), -np.eye(2))


def test_a_truth_table_of_ones():
    """Qiskit Aqua#737: the truth table 11 marks both inputs of its one variable."""
    oracle = TableOracle(["0", "1"], bits("x"))
    assert list(oracle.marked()) == ["0", "1"]
    assert np.allclose(unitary(oracle.phase()), -np.eye(2))
    assert np.allclose(unitary(TableOracle([], bits("x")).phase()), np.eye(2))


def test_both_halves_of_an_equivalence_are_marked():
    """Qiskit Aqua#811: (x & y) | (~x & ~y) marks 00 and 11."""
    oracle = from_formula("(x & y) | (~x & ~y)")
    assert list(oracle.marked()) == ["00", "11"]
    assert np.allclose(unitary(oracle.as_products().phase()), np.diag([-1, 1, 1, -1]))


def test_a_dimacs_file_as_it_is_found():
    """Qiskit#6734: reading a DIMACS file ended in an IndexError."""
    text = "c an example\np cnf 3 5\n-1 -2 -3 0\n1 -2 3 0\n1 2 -3 0\n1 -2 -3 0\n-1 2 3 0\n%\n0\n"
    oracle = from_dimacs(text)
    assert sorted(oracle.marked()) == ["000", "101", "110"]
    found = search_known(oracle, StatevectorBackend(), 3, seed=2)
    assert oracle.marks(found.bits)


def test_thirty_variables_do_not_fill_the_memory():
    """Qiskit Aqua#1186: a truth table over 30 variables was killed for its memory."""
    names = [f"x{i}" for i in range(30)]
    with pytest.raises(TooLargeError, match=r"at most 1,048,576\); write it as a formula"):
        from_predicate(lambda **_: True, bits(*names))
    oracle = from_formula(" & ".join(f"({a} | ~{b})" for a, b in zip(names, names[1:])))  # noqa: B905, RUF007
    assert oracle.phase().num_qubits <= 60
    assert oracle.marks("1" * 30)
    assert not oracle.marks("0" * 29 + "1")


def test_two_controlled_gates_of_one_name_do_not_meet():
    """Qiskit#13563: two multi-controlled gates shared a name and broke the transpiler."""
    pytest.importorskip("openqasm3")
    builder = CircuitBuilder(Register("q", 4))
    builder.z(3, [0, 1, 2])
    builder.z(3, [0, 1, 2], [0, 1, 0])
    builder.x(3, [0, 1, 2])
    circuit = builder.build()
    for text in (to_qasm2(circuit), to_qasm3(circuit)):
        assert np.allclose(unitary(from_qasm(text)), unitary(circuit))
    for backend in local_backends():
        if backend.name != "statevector":
            kept = unitary(backend.compile(circuit, level=1).circuit)
            assert abs(np.vdot(kept, unitary(circuit))) == pytest.approx(16), backend.name


def test_the_diffuser_on_one_qubit_has_no_control():
    """Qamomile#648: for one qubit it is Z between H and X, that is minus X in all."""
    assert np.allclose(unitary(diffuser(hadamards(1))), -np.array([[0, 1], [1, 0]]))


def test_the_number_of_iterations_is_the_number_of_oracle_calls():
    """Qiskit Aqua#1024: setting the iterations did not change the circuit."""
    seen = set()
    for number in (0, 1, 2, 5):
        maker = Codemaker("RO", Rules(2, 4))
        circuit = grover(maker.match_oracle(), plan=plan(16, iterations=number))
        assert sum(circuit.query_uses().values()) == number
        StatevectorBackend().run(circuit.measured(), 5, 1)
        assert maker.queries.quantum == number
        seen.add(round(distribution(circuit).probability("0001"), 6))
    assert len(seen) == 4


class Silent(Oracle):
    """An oracle that cannot be evaluated outside of its circuit."""

    num_bits = 3

    def _marks(self, x):
        raise AssertionError("the truth was asked for")

    def _phase(self, angle):
        return TableOracle(["101"], bits("a", "b", "c")).phase(angle)


def test_a_fixed_number_of_iterations_needs_no_checker():
    """Qiskit#5982 and #7302: running k iterations asked for a function that checks."""
    counts = sample(Silent(), StatevectorBackend(), 2, shots=2000, seed=1)
    assert counts.shots == 2000
    assert counts["101"] / 2000 == pytest.approx(121 / 128, abs=0.02)


def test_the_best_number_depends_on_the_start():
    """qiskit-tutorials#1475: floor(pi/4 sqrt(N/M)) holds for uniform starts only."""
    start = CircuitBuilder(Register("x", 4))
    for qubit in range(4):
        start.ry(0.9, qubit)  # leans to 0000
    begin = start.build()
    oracle = TableOracle(["0010", "0001"], bits(*"abcd"))
    share = sum(distribution(begin).probability(x) for x in oracle.marked())
    assert share != pytest.approx(2 / 16)
    found = {}
    for number in range(8):
        search = plan_from_share(share, iterations=number)
        result = distribution(grover(oracle, begin, plan=search))
        found[number] = sum(result.probability(x) for x in oracle.marked())
        assert found[number] == pytest.approx(search.success_probability, abs=1e-9)
    best = plan_from_share(share)
    first_peak = next(k for k in found if found[k + 1] < found[k])
    assert best.iterations == first_peak
    exact = grover(oracle, begin, plan=plan_from_share(share, exact=True))
    assert sum(distribution(exact).probability(x) for x in oracle.marked()) == pytest.approx(1)
    with pytest.raises(UsageError, match="known for uniform starts only"):
        search_known(oracle, StatevectorBackend(), 2, start=begin)
    kept = search_known(oracle, StatevectorBackend(), 2, start=begin, iterations=1, seed=1)
    assert oracle.marks(kept.bits)


def test_too_many_iterations_lose_it_again():
    """qml-rg#18: three qubits, one marked, fades after two iterations."""
    oracle = TableOracle(["101"], bits(*"abc"))
    found = [
        distribution(grover(oracle, plan=plan(8, iterations=k))).probability("101")
        for k in (1, 2, 3, 4)
    ]
    assert found == pytest.approx([0.78125, 0.9453125, 0.3300781, 0.0122070], abs=1e-6)
    assert plan(8).iterations == 2


def test_sixteen_iterations_are_not_better_than_two():
    """Quantum Computing SE, "What is wrong with my Grover": 010 of three qubits, 16 iterations."""
    oracle = TableOracle(["010"], bits(*"abc"))

    def success(number):
        circuit = grover(oracle, plan=plan(8, iterations=number))
        return distribution(circuit).probability("010")

    assert success(plan(8).iterations) == pytest.approx(0.945, abs=1e-3)
    assert success(16) == pytest.approx(math.sin(33 * math.asin(8**-0.5)) ** 2)
    assert success(16) < 0.65


def test_counts_of_a_search_are_those_of_its_state():
    """Qiskit Aer#761: Grover's counts were wrong unless basis gates were named."""
    oracle = from_formula("a & ~b & c & d | ~a & b & ~c & d")
    circuit = grover(oracle, plan=plan(16, 2, iterations=1))
    exact = distribution(circuit)
    shots = 4000
    for backend in local_backends():
        counts = backend.run(circuit.measured(range(4)), shots, 7).counts
        for word in ("".join(b) for b in product("01", repeat=4)):
            p = exact.probability(word)
            bound = 5 * math.sqrt(shots * p * (1 - p)) + 1
            assert abs(counts.get(word, 0) - shots * p) <= bound, (backend.name, word)
