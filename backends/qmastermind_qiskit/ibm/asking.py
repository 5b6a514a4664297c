"""Asking IBM's client for something: its errors as ours, its warnings kept back.

The client swallows some errors: a device whose configuration cannot be loaded, or an instance whose
devices cannot be listed, is left out with a line in its log. What it swallowed is collected here,
so that an outage is not taken for a device that there is not.
"""

from __future__ import annotations

import logging
import sys
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Lock

from qmastermind_qiskit.ibm.errors import (
    DeviceNotFoundError,
    IbmError,
    is_transient,
    redact,
    translate,
)

_log = logging.getLogger(__name__)
_CLIENT = logging.getLogger("qiskit_ibm_runtime")
_SERVICE = logging.getLogger("qiskit_ibm_runtime.qiskit_runtime_service")

_swallowed: ContextVar[list[BaseException] | None] = ContextVar("swallowed", default=None)


@contextmanager
def asking(doing: str) -> Iterator[list[IbmError]]:
    """Turns whatever IBM's client raises into our errors, and keeps its warnings back.

    Args:
        doing: What is being done, for messages: ``listing the devices``.

    Yields:
        A list that has, at the end, the outages that the client met and did not raise.
    """
    outages: list[IbmError] = []
    met: list[BaseException] = []
    _listen()
    before = _swallowed.set(met)
    _hush.begin()
    try:
        yield outages
    except Exception as error:
        if not isinstance(error, IbmError):
            _log.debug("%s: %s", doing, redact("".join(traceback.format_exception(error))))
        ours = translate(error, doing)
        outages += _outages(met, doing)
        if isinstance(ours, DeviceNotFoundError):
            require_no_outage(outages)
        raise ours from None
    finally:
        _hush.end()
        _swallowed.reset(before)
        outages += [] if outages else _outages(met, doing)


def require_no_outage(outages: list[IbmError]) -> None:
    """Raises the first outage: what was not found may be there."""
    if outages:
        raise outages[0] from None


def _outages(met: list[BaseException], doing: str) -> list[IbmError]:
    found = [translate(error, doing) for error in met if isinstance(error, Exception)]
    return [error for error in found if is_transient(error)]


def _listen() -> None:
    if _collect not in _SERVICE.filters:
        _SERVICE.addFilter(_collect)
    if not _SERVICE.isEnabledFor(logging.WARNING):
        _SERVICE.setLevel(logging.WARNING)


def _collect(record: logging.LogRecord) -> bool:
    """Keeps the error that the client is logging about; shows the line to whom it was meant for."""
    met, error = _swallowed.get(), sys.exc_info()[1]
    if met is not None and error is not None:
        met.append(error)
    return _CLIENT.isEnabledFor(record.levelno)


class _Hush:
    """Ignores warnings while anybody asks: the filters are of all threads, so those are counted."""

    def __init__(self) -> None:
        self._lock, self._number = Lock(), 0

    def begin(self) -> None:
        with self._lock:
            self._number += 1
            if self._number == 1:
                self._caught = warnings.catch_warnings()
                self._caught.__enter__()
                warnings.simplefilter("ignore")

    def end(self) -> None:
        with self._lock:
            self._number -= 1
            if self._number == 0:
                self._caught.__exit__(None, None, None)


_hush = _Hush()
