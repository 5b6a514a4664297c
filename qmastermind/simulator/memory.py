"""Refuses states that do not fit into memory, before anything is allocated."""

from __future__ import annotations

import os
from pathlib import Path

from qmastermind.errors import TooLargeError

AMPLITUDE_BYTES = 16  # complex128
_ALWAYS_FITS = 16  # qubits for which looking is dearer than the state


def available_bytes() -> int:
    """Memory that can be used now, as the operating system estimates it."""
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def require_memory(num_qubits: int) -> None:
    """Checks that a state of ``num_qubits`` fits.

    Raises:
        TooLargeError: If not; says what it takes and what would fit.
    """
    if num_qubits <= _ALWAYS_FITS:
        return
    needed, available = AMPLITUDE_BYTES << num_qubits, available_bytes()
    if needed > available:
        fits = (available // AMPLITUDE_BYTES).bit_length() - 1
        raise TooLargeError(
            f"a state of {num_qubits} qubits that interact takes {needed:,} bytes, and "
            f"{available:,} are available; at most {fits} qubits fit"
        )
