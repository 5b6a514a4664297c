"""Turns whatever Qiskit raises into one of our errors."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from qmastermind.errors import BackendError, QmastermindError, TooLargeError, UnsupportedError

_MEMORY = re.compile(r"nsufficient memory.*Required memory: (\d+)M, max memory: (\d+)M", re.DOTALL)


@contextmanager
def our_errors(doing: str) -> Iterator[None]:
    """Runs a block that calls Qiskit.

    Args:
        doing: What the block does, for the message: ``compiling for line-5``.

    Raises:
        TooLargeError: If Qiskit or Aer has not enough memory or qubits.
        UnsupportedError: If the basis cannot express the circuit, or Aer lacks an instruction.
        BackendError: For any other failure inside Qiskit.
    """
    try:
        yield
    except QmastermindError:
        raise
    except MemoryError as error:
        raise TooLargeError(f"{doing}: not enough memory") from error
    except Exception as error:
        raise _ours(doing, error) from error
    except BaseException as error:
        # What Qiskit's Rust code panics with is no Exception.
        if type(error).__name__ != "PanicException":
            raise
        raise _ours(doing, error) from error


def _ours(doing: str, error: BaseException) -> QmastermindError:
    # Qiskit's own errors print themselves in quotes.
    text = str(getattr(error, "message", "") or error).strip() or type(error).__name__
    memory = _MEMORY.search(text)
    if memory:
        required, available = (int(group) for group in memory.groups())
        fits = max(available << 20, 16).bit_length() - 5  # 16 bytes an amplitude
        return TooLargeError(
            f"{doing}: it takes {required:,} MiB of memory, and {available:,} MiB are there; "
            f"at most {fits} qubits fit as a state"
        )
    full = f"{doing}: Qiskit says: {text}"
    if "Unable to translate" in text:
        return UnsupportedError(
            f"{doing}: Qiskit has no rules to reach this basis; it has for rz, sx, x or u with "
            f"cx, cz, ecr or rzz. It says: {text.partition('. ')[0]}"
        )
    if "unknown instruction" in text or "contains invalid" in text:
        return UnsupportedError(full)
    if "number of qubits" in text.lower() or "is too large" in text:
        return TooLargeError(full)
    return BackendError(full)
