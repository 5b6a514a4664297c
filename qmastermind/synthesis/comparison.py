"""Comparison, equality and minimum of registers, as in :mod:`qmastermind.synthesis.arithmetic`."""

from __future__ import annotations

from qmastermind.builder import CircuitBuilder
from qmastermind.circuit import Circuit, Register
from qmastermind.errors import UsageError
from qmastermind.synthesis.arithmetic import Cost, check_size, majority


def less_than_constant(width: int, bound: int) -> Circuit:
    """Maps result to result xor [x < bound].

    Registers ``x`` and ``result`` (1). From the lowest 1 of the bound upwards, each bit takes one
    AND of that bit and the comparison so far, kept in an ancilla.

    Raises:
        UsageError: If the width is below 1, or the bound is not in 0..2^width.
    """
    check_size(width)
    if not 0 <= bound <= 2**width:
        raise UsageError(f"a bound for {width} bits is 0 to {2**width}, not {bound}")
    b = CircuitBuilder(Register("x", width), Register("result", 1))
    result = width
    if bound in (0, 2**width):
        if bound:
            b.x(result)
        return b.build()
    bits = b.qubits("x")[::-1]
    lowest = (bound & -bound).bit_length() - 1
    steps = range(lowest + 1, width)
    with b.ancillas(max(0, len(steps) - 1)) as scratch:
        # x < bound so far if `wire` holds `value`
        wire, value = bits[lowest], 0
        undo = []
        for place, target in zip(steps, (*scratch, result), strict=False):
            if bound >> place & 1:  # smaller here, or so far: not (1 here and not so far)
                step = (target, [bits[place], wire], [1, 1 - value])
                value = 0
            else:
                step = (target, [bits[place], wire], [0, value])
                value = 1
            b.x(*step)
            wire = target
            undo.append(step)
        if not undo:
            b.x(result, [wire])
        if value == 0:
            b.x(result)
        for step in reversed(undo[:-1]):
            b.x(*step)
    return b.build()


def less_than_constant_cost(width: int, bound: int) -> Cost:
    """2 m - 1 Toffolis, m the bits above the lowest 1 of the bound; one CX if m = 0."""
    if bound in (0, 2**width):
        return Cost()
    above = width - (bound & -bound).bit_length()
    return Cost(2 * above - 1, 0, above - 1) if above else Cost(cx=1)


def less_than(width: int) -> Circuit:
    """Maps result to result xor [x < y].

    Registers ``x``, ``y`` and ``result`` (1); one ancilla. The carry of y + (2^width - 1 - x),
    computed in place and undone.

    Source: Cuccaro, Draper, Kutin and Moulton, arXiv:quant-ph/0410184, section 4 (comparison).

    Raises:
        UsageError: If the width is below 1.
    """
    check_size(width)
    b = CircuitBuilder(Register("x", width), Register("y", width), Register("result", 1))
    x, y = b.qubits("x")[::-1], b.qubits("y")[::-1]
    with b.ancillas(1) as (zero,):
        compute = CircuitBuilder(*b.build().registers)
        carry = zero
        for x_bit, y_bit in zip(x, y, strict=True):
            compute.x(x_bit)
            majority(compute, carry, x_bit, y_bit)
            carry = y_bit
        forward = compute.build()
        for op in forward.operations:
            b.add(op)
        b.x(2 * width, [carry])
        for op in forward.inverse().operations:
            b.add(op)
    return b.build()


def less_than_cost(width: int) -> Cost:
    """2 w Toffolis and 4 w + 1 CX."""
    return Cost(2 * width, 4 * width + 1, 1)


def equal(width: int) -> Circuit:
    """Maps result to result xor [x = y].

    Registers ``x``, ``y`` and ``result`` (1), no ancilla. Cost: 2 w CX around one X with w open
    controls.

    Raises:
        UsageError: If the width is below 1.
    """
    check_size(width)
    b = CircuitBuilder(Register("x", width), Register("y", width), Register("result", 1))
    x, y = b.qubits("x"), b.qubits("y")
    for x_bit, y_bit in zip(x, y, strict=True):
        b.x(y_bit, [x_bit])
    b.x(2 * width, y, [0] * width)
    for x_bit, y_bit in zip(x, y, strict=True):
        b.x(y_bit, [x_bit])
    return b.build()


def minimum(width: int) -> Circuit:
    """Maps result to result xor min(x, y).

    Registers ``x``, ``y`` and ``result``, all of one width; two ancillas: the comparison, and its
    carry. Where x < y, the result takes x instead of y.

    Raises:
        UsageError: If the width is below 1.
    """
    check_size(width)
    b = CircuitBuilder(Register("x", width), Register("y", width), Register("result", width))
    x, y, result = b.qubits("x"), b.qubits("y"), b.qubits("result")
    comparison = less_than(width)
    with b.ancillas(1) as (smaller,):
        b.compose(comparison, (*x, *y, smaller))
        for x_bit, y_bit, out in zip(x, y, result, strict=True):
            b.x(out, [y_bit])
            b.x(y_bit, [x_bit])
            b.x(out, [smaller, y_bit])
            b.x(y_bit, [x_bit])
        b.compose(comparison, (*x, *y, smaller))
    return b.build()


def minimum_cost(width: int) -> Cost:
    """5 w Toffolis and 11 w + 2 CX."""
    twice = less_than_cost(width) + less_than_cost(width)
    return twice + Cost(width, 3 * width, 2)


def clamp(width: int, most: int) -> Circuit:
    """Maps result to result xor min(x, most).

    Registers ``x`` and ``result``, the latter as wide as ``most`` needs, at least 1. The
    comparison is kept in an ancilla.

    Raises:
        UsageError: If the width is below 1, or ``most`` is not in 0..2^width - 1.
    """
    check_size(width)
    if not 0 <= most < 2**width:
        raise UsageError(f"a bound for {width} bits is 0 to {2**width - 1}, not {most}")
    size = max(1, most.bit_length())
    b = CircuitBuilder(Register("x", width), Register("result", size))
    x, result = b.qubits("x"), b.qubits("result")
    if most == 0:
        return b.build()
    comparison = less_than_constant(width, most)
    with b.ancillas(1) as (smaller,):
        b.compose(comparison, (*x, smaller))
        for place, out in enumerate(result):
            bit = x[width - size + place]
            if most >> (size - 1 - place) & 1:
                b.x(out)
                b.x(out, [smaller, bit], [1, 0])
            else:
                b.x(out, [smaller, bit])
        b.compose(comparison, (*x, smaller))
    return b.build()


def clamp_cost(width: int, most: int) -> Cost:
    """Twice the comparison, and a Toffoli for each bit of the result."""
    if not most:
        return Cost()
    one = less_than_constant_cost(width, most)
    return Cost(2 * one.toffoli + most.bit_length(), 2 * one.cx, one.ancillas + 1)
