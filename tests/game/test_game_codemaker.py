import pytest

from qmastermind.algorithms import grover, pair_query, plan
from qmastermind.encoding import Encoding
from qmastermind.errors import UsageError
from qmastermind.game import Codemaker, Rules
from qmastermind.oracle import colour_pair_by_kickback
from qmastermind.simulator import StatevectorBackend


def test_answers_are_counted():
    maker = Codemaker("RBRY")
    assert maker.answer("RRBB") == (1, 2)
    assert maker.answer("RBRY") == (4, 0)
    assert (maker.queries.classical, maker.queries.quantum) == (2, 0)
    with pytest.raises(UsageError):
        maker.answer("RB")
    assert maker.queries.classical == 2


def test_the_secret_is_not_in_the_public_interface():
    maker = Codemaker("RBRY")
    secret = Rules().code("RBRY")
    public = [name for name in dir(maker) if not name.startswith("_")]
    values = [getattr(maker, name) for name in public]
    assert secret not in values
    assert not hasattr(maker, "__dict__")
    for text in (repr(maker), str(maker), *(repr(v) for v in values)):
        assert "RBRY" not in text
        assert "1513" not in text
    for oracle in (maker.match_oracle(), maker.black_peg_oracle(), maker.colour_pair_oracle(0, 1)):
        shown = {name: getattr(oracle, name) for name in dir(oracle) if not name.startswith("_")}
        assert secret not in shown.values()
        assert Encoding(Rules()).encode(secret) not in shown.values()


def test_quantum_queries_are_counted_where_circuits_run():
    maker = Codemaker("RBRY")
    oracle = maker.match_oracle()
    circuit = grover(oracle, plan=plan(4096, iterations=7))
    assert maker.queries.quantum == 0  # building is free
    StatevectorBackend().run(circuit.measured(), shots=50, seed=1)
    assert maker.queries.quantum == 7
    assert maker.queries.executions == 350
    assert maker.queries.models == {"match": 7}


def test_uses_are_counted_through_inverse_power_and_control():
    maker = Codemaker("RO", Rules(2, 3))
    oracle = maker.black_peg_oracle()
    body = oracle.phase()
    for circuit, uses in [
        (body, 1),
        (body.inverse(), 1),
        (body.power(5), 5),
        (body.power(-2).power(3), 6),
        (body.controlled(2, [0, 1]), 1),
        (oracle.count(), 1),
    ]:
        assert sum(circuit.query_uses().values()) == uses
    wide = colour_pair_by_kickback(oracle, 0, 1)
    assert sum(wide.query_uses().values()) == 1


def test_classical_evaluations_of_an_oracle_are_counted():
    rules = Rules(2, 4)
    maker = Codemaker("RY", rules)
    assert list(maker.match_oracle().marked()) == [Encoding(rules).encode((0, 2))]
    assert maker.queries.classical == 16


def test_each_pairwise_query_is_one():
    maker = Codemaker("RBRY")
    for second in range(1, 6):
        StatevectorBackend().run(pair_query(maker.colour_pair_oracle(0, second)), 1, 0)
    assert maker.queries.quantum == 5
    assert maker.queries.models == {"colour pair": 5}


def test_a_secret_that_is_no_code():
    for secret in (1234, None, 3.5):
        with pytest.raises(UsageError, match="text or a sequence of peg values"):
            Codemaker(secret)
