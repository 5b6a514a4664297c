"""Refuses states that do not fit into memory, before anything is allocated."""

from __future__ import annotations

import os
from pathlib import Path

from qmastermind.errors import TooLargeError

AMPLITUDE_BYTES = 16  # complex128
_ALWAYS_FITS = 16  # qubits for which looking is dearer than the state


def available_bytes() -> int | None:
    """Memory that can be used now, as the operating system estimates it, or None."""
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None


def require_memory(num_qubits: int, bytes_each: int = AMPLITUDE_BYTES) -> None:
    """Checks that a state fits.

    Args:
        num_qubits: Of the state.
        bytes_each: What is needed for each amplitude.

    Raises:
        TooLargeError: If not; says what it takes and what would fit.
    """
    if num_qubits <= _ALWAYS_FITS:
        return
    needed, available = bytes_each << num_qubits, available_bytes()
    if available is not None and needed > available:
        fits = (available // bytes_each).bit_length() - 1
        raise TooLargeError(
            f"the state of {num_qubits} qubits that interact takes {needed:,} bytes, and "
            f"{available:,} are available; at most {fits} qubits fit"
        )
