"""Oracles made of expressions, and the algebra of oracles: ``&``, ``|``, ``^``, ``~``."""

from __future__ import annotations

from collections.abc import Mapping

from qmastermind.builder import CircuitBuilder
from qmastermind.circuit import Circuit, Register
from qmastermind.errors import UsageError
from qmastermind.oracle.base import Meter, Oracle
from qmastermind.oracle.expression import (
    And,
    Expression,
    Leaf,
    Literal,
    SumEquals,
    conjunction,
    disjunction,
    negation,
    parity,
)
from qmastermind.oracle.products import as_products
from qmastermind.oracle.variables import Variable, Variables


class ExpressionOracle(Oracle):
    """Marks the assignments for which an expression holds.

    Args:
        expression: Over the bits of the variables.
        variables: What the bits stand for.
        label: For drawings.
    """

    def __init__(
        self,
        expression: Expression,
        variables: Variables,
        label: str = "oracle",
        meter: Meter | None = None,
    ) -> None:
        self.expression = expression
        self.num_bits = variables.num_bits
        self.label = label
        self.meter = meter
        self.__dict__["variables"] = variables

    def _marks(self, x: str) -> bool:
        return self.expression.holds(x)

    def _phase(self, angle: float) -> Circuit:
        builder = CircuitBuilder(Register("x", self.num_bits))
        self.expression.phase(builder, range(self.num_bits), angle)
        return builder.build()

    def _bit_flip(self) -> Circuit:
        builder = CircuitBuilder(Register("x", self.num_bits), Register("result", 1))
        self.expression.flip(builder, range(self.num_bits), self.num_bits)
        return builder.build()

    def restrict(self, **values: int) -> ExpressionOracle:
        """The oracle with some variables fixed; they are no longer variables."""
        where: dict[int, int | bool] = {}
        kept: list[Variable] = []
        fresh = 0
        for variable in self.variables:
            span = self.variables.span(variable.name)
            if variable.name in values:
                word = Variables((variable,)).encode({variable.name: values.pop(variable.name)})
                where.update(zip(span, (b == "1" for b in word), strict=True))
            else:
                kept.append(variable)
                where.update(zip(span, range(fresh, fresh + len(span)), strict=True))
                fresh += len(span)
        for name in values:
            self.variables.span(name)  # says which names there are
        if not kept:
            raise UsageError("every variable is fixed: nothing is left to search")
        rest = Variables(tuple(kept))
        return ExpressionOracle(self.expression.remap(where), rest, self.label, self.meter)

    def rename(self, names: Mapping[str, str]) -> ExpressionOracle:
        """The oracle with some variables under other names."""
        for name in names:
            self.variables.span(name)
        renamed = (Variable(names.get(v.name, v.name), v.size) for v in self.variables)
        named = Variables(tuple(renamed))
        return ExpressionOracle(self.expression, named, self.label, self.meter)

    def narrowed(self) -> ExpressionOracle:
        """The same oracle with fewer ancillas and more gates.

        A conjunction holds one ancilla for each of its m compound parts at once; here they are
        counted one after the other, into ceil(log2(m + 1)) ancillas and the one in work.
        """
        if not isinstance(self.expression, And):
            return self
        literals = [p for p in self.expression.parts if isinstance(p, Literal)]
        compound = tuple(p for p in self.expression.parts if not isinstance(p, Literal))
        if len(compound) < 3:
            return self
        failing = SumEquals(tuple(negation(p) for p in compound), (1,) * len(compound), 0)
        narrow = conjunction([*literals, failing])
        return ExpressionOracle(narrow, self.variables, self.label, self.meter)

    def as_products(self) -> ExpressionOracle | None:
        """The same oracle without ancillas: one gate a product, or None if there are too many."""
        products = as_products(self.expression, self.num_bits)
        if products is None:
            return None
        return ExpressionOracle(products, self.variables, self.label, self.meter)

    def designs(self) -> dict[str, ExpressionOracle]:
        """The forms that the circuit can have, by name.

        ``wide`` has an ancilla a compound part, ``narrow`` a counter of them
        (:meth:`narrowed`), ``products`` no ancilla (:meth:`as_products`).
        """
        forms: dict[str, ExpressionOracle | None] = {"wide": self}
        narrow = self.narrowed()
        forms["narrow"] = None if narrow is self else narrow
        forms["products"] = self.as_products()
        return {name: form for name, form in forms.items() if form is not None}

    def cheapest(self, max_qubits: int | None = None) -> ExpressionOracle:
        """The design with the fewest Toffolis of those that fit, else the narrowest of all.

        Args:
            max_qubits: Of the phase oracle; default any number.
        """
        forms = self.designs().values()
        fitting = [f for f in forms if max_qubits is None or f.cost.qubits <= max_qubits]
        if not fitting:
            return min(forms, key=lambda form: form.cost.qubits)
        return min(fitting, key=lambda form: (form.cost.toffolis, form.cost.qubits))


def as_expression(oracle: Oracle) -> ExpressionOracle:
    """Any oracle as an expression oracle; one that is none becomes a leaf."""
    if isinstance(oracle, ExpressionOracle) and oracle.meter is None:
        return oracle
    leaf = Leaf(oracle, tuple(range(oracle.num_bits)))
    return ExpressionOracle(leaf, oracle.variables, oracle.label)


def both(first: Oracle, second: Oracle) -> ExpressionOracle:
    """Conjunction."""
    a, b, variables = _merged(first, second)
    return ExpressionOracle(conjunction([a, b]), variables)


def either(first: Oracle, second: Oracle) -> ExpressionOracle:
    """Disjunction."""
    a, b, variables = _merged(first, second)
    return ExpressionOracle(disjunction([a, b]), variables)


def exactly_one(first: Oracle, second: Oracle) -> ExpressionOracle:
    """Exclusive or."""
    a, b, variables = _merged(first, second)
    return ExpressionOracle(parity([a, b]), variables)


def complement(oracle: Oracle) -> ExpressionOracle:
    """Negation."""
    whole = as_expression(oracle)
    return ExpressionOracle(negation(whole.expression), whole.variables)


def _merged(first: Oracle, second: Oracle) -> tuple[Expression, Expression, Variables]:
    a, b = as_expression(first), as_expression(second)
    known = {v.name: v for v in a.variables}
    added = []
    for variable in b.variables:
        if variable.name not in known:
            added.append(variable)
        elif known[variable.name].size != variable.size:
            raise UsageError(
                f"variable {variable.name!r} has {known[variable.name].size} values in one oracle "
                f"and {variable.size} in the other"
            )
    variables = Variables((*a.variables, *added))
    where: dict[int, int | bool] = {}
    for variable in b.variables:
        where.update(
            zip(b.variables.span(variable.name), variables.span(variable.name), strict=True)
        )
    return a.expression, b.expression.remap(where), variables
