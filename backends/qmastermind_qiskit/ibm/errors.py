"""What can go wrong with IBM's service, each with a hint, and where it is told apart.

IbmError (BackendError)
├── NoAccountError            no saved account and no token in the environment
├── BadTokenError             the service does not accept the token
├── NoNetworkError            no answer; the token may be fine
├── InstanceDeniedError       the account has no access to the instance
├── PlanForbidsError          the plan of the instance does not include it
├── UsageSpentError           no seconds left on the instance
├── DeviceNotFoundError       no such device, offline or on the account; exit code 2
├── NoDeviceError             none is online and wide enough
├── NotIsaError               a circuit uses what the device does not have
├── ForecastRefusedError      the answer would drown in noise
├── TimeLimitError            takes longer than the job may; exit code 2
├── SubmissionUnclearError    sent, but no answer came: the job may exist
├── TooManyRequestsError      the service asks for patience
├── ServiceFaultError         the service failed, or its answer cannot be read
├── JobNotFoundError          the service knows no such job
│   └── UnknownJobError       no record of that name, or several; exit code 2
├── JobFailedError            the job ended in an error
├── JobCancelledError         the job was cancelled
├── JobTimeoutError           still not done; the job goes on
├── RecordError               a job record that cannot be read or written
└── ClientUnsupportedError    a version of IBM's client that is not supported
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Self

from qmastermind.errors import BackendError

ACCOUNT_FILE = Path("~/.qiskit/qiskit-ibm.json")
"""Where IBM's client keeps saved accounts."""


class IbmError(BackendError):
    """Base of the family; the message ends with what to do.

    Args:
        message: What happened.
        hint: What to do about it; default the class's own.
    """

    hint = ""

    def __init__(self, message: str, hint: str | None = None) -> None:
        self.message = message
        self.hint = type(self).hint if hint is None else hint
        super().__init__(redact(f"{message.rstrip('. ')}. {self.hint}".strip()))

    def but(self, hint: str) -> Self:
        """The same error with one more thing to do or to know at its end."""
        return type(self)(self.message, f"{self.hint} {hint}".strip())


class NoAccountError(IbmError):
    """There is no saved account and no token in the environment."""

    hint = (
        "Set QISKIT_IBM_TOKEN (and QISKIT_IBM_INSTANCE), or save an account once with "
        "QiskitRuntimeService.save_account(token=..., instance=...) and then: "
        f"chmod 600 {ACCOUNT_FILE}"
    )


class BadTokenError(IbmError):
    """The service does not accept the token."""

    hint = "Make a new API key at https://quantum.cloud.ibm.com and set QISKIT_IBM_TOKEN to it."


class NoNetworkError(IbmError):
    """No answer came; nothing is known about the token."""

    hint = "Check the connection, the proxy and the firewall; the token was not judged."


class InstanceDeniedError(IbmError):
    """The account has no access to the instance."""

    hint = "Set QISKIT_IBM_INSTANCE to an instance of this account, or to 'auto'."


class PlanForbidsError(IbmError):
    """The plan of the instance does not include what was asked."""

    hint = "Use --mode job or --mode batch: every plan has them."


class UsageSpentError(IbmError):
    """The instance has no seconds left."""

    hint = (
        "Wait for the next period, use another instance, or run --device fake_NAME, "
        "which costs nothing."
    )


class DeviceNotFoundError(IbmError, LookupError):
    """There is no device of that name: misuse, as any other name that there is not."""

    exit_code = 2
    hint = "`qmastermind ibm devices` lists the account's, with --offline the stored ones."


class NoDeviceError(IbmError):
    """No device of the account is online and wide enough."""

    hint = (
        "`qmastermind ibm devices` shows their states; --device NAME sends to one all the same, "
        "where the job waits."
    )


class NotIsaError(IbmError):
    """A circuit uses a gate, a pair of qubits or an angle that the device does not have."""

    hint = "Compile it for this device; nothing was sent."


class ForecastRefusedError(IbmError):
    """The right answer is not expected to stand out from the noise."""

    hint = "Nothing was sent. --force sends it all the same."


class TimeLimitError(IbmError):
    """The service would end the job before it is done, and charge for it."""

    exit_code = 2


class SubmissionUnclearError(IbmError):
    """The circuits were sent, but no answer came back."""


class TooManyRequestsError(IbmError):
    """The service asks for patience."""

    hint = "Wait a minute; on the open plan also for pending jobs to end."


class ServiceFaultError(IbmError):
    """The service failed, or gave an answer that cannot be read."""

    hint = "Try again later; https://quantum.cloud.ibm.com/announcements tells of outages."


class JobNotFoundError(IbmError):
    """The service knows no such job."""


class UnknownJobError(JobNotFoundError):
    """There is no record of that name, or more than one: misuse."""

    exit_code = 2
    hint = "`qmastermind ibm jobs` lists the records; the path of a record file also works."


class JobFailedError(IbmError):
    """The job ended in an error."""

    hint = "The record keeps the reason; `qmastermind ibm submit` starts a new job."


class JobCancelledError(IbmError):
    """The job was cancelled, so there is no result."""

    hint = "`qmastermind ibm submit` starts a new job."


class JobTimeoutError(IbmError):
    """The job was not done in the time given; it goes on."""


class RecordError(IbmError):
    """A job record cannot be read or written."""


class ClientUnsupportedError(IbmError):
    """The installed version of IBM's client is not one that this works with."""

    hint = "Install a supported one: pip install -U 'qmastermind[ibm]'"


_CONNECTION = ("ConnectionError", "Timeout", "ConnectTimeout", "ReadTimeout", "MaxRetryError")
# A broken answer makes the client stumble over its own assumptions.
_UNREADABLE = (
    "JSONDecodeError",
    "ValidationError",
    "UnicodeDecodeError",
    "TypeError",
    "KeyError",
    "AttributeError",
    "IndexError",
)


def translate(error: Exception, doing: str) -> IbmError:
    """The error of our family for one of IBM's client.

    The client wraps a lost connection and a refused token in the same class with the same text,
    so the exceptions behind it decide.

    Args:
        error: As the client raised it.
        doing: What was being done, for the message: ``submitting the job``.
    """
    if isinstance(error, IbmError):
        return error
    causes = list(_causes(error))
    names = {type(e).__name__ for e in causes}
    status = _status_of(causes)
    words, code = _service_words(causes)
    text = f"{words} (code {code})" if code is not None else words
    message = f"{doing[0].upper()}{doing[1:]} failed: {text}"
    lowered = " ".join(str(e) for e in causes).lower()

    if (status is not None and status >= 500) or "RetryError" in names:
        # The service did answer. The client may take that for a bad token or a lost connection,
        # and say so, so that its own words are left out.
        answered = status or next(iter(re.findall(r"too many (\d+) error", lowered)), "error")
        said = f": {text}" if code is not None else ""
        return ServiceFaultError(f"IBM's service failed while {doing} (HTTP {answered}){said}")
    if names & set(_CONNECTION):
        return NoNetworkError(f"No connection to IBM's service while {doing}")
    if "AccountNotFoundError" in names:
        return NoAccountError("No IBM Quantum account was found")
    if "open plan" in lowered or (code == _NO_SESSION and status is not None):
        return PlanForbidsError(f"The plan of the instance does not allow it: {text}")
    if "InvalidAccountError" in names or "IBMNotAuthorizedError" in names or status == 401:
        return BadTokenError(f"IBM's service does not accept the token ({doing})")
    if "QiskitBackendNotFoundError" in names:
        return DeviceNotFoundError(message)
    if "RuntimeJobNotFound" in names:
        return JobNotFoundError(message)
    if status == 403 or ("instance" in lowered and "IBMInputValueError" in names):
        return InstanceDeniedError(message)
    if status == 429:
        return TooManyRequestsError(message)
    if names & set(_UNREADABLE):
        return ServiceFaultError(f"The service's answer while {doing} cannot be read")
    if "maintenance" in lowered:
        return ServiceFaultError(message)
    return IbmError(message, "The message is the service's own.")


_NO_SESSION = 1352


def is_transient(error: IbmError) -> bool:
    """Whether asking again in a moment may help."""
    return isinstance(error, NoNetworkError | ServiceFaultError | TooManyRequestsError)


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """The error and everything behind it, hidden contexts included."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def _status_of(causes: list[BaseException]) -> int | None:
    return next((s for e in causes if (s := _status(e)) is not None), None)


def _status(error: BaseException) -> int | None:
    for value in (
        getattr(error, "status_code", None),
        getattr(getattr(error, "response", None), "status_code", None),
        getattr(error, "code", None),
    ):
        if isinstance(value, int) and 400 <= value < 600:
            return value
    return None


def _service_words(causes: list[BaseException]) -> tuple[str, int | None]:
    """What the service said and its code, without what the client puts around it."""
    for error in causes:
        # The body of the answer, before the client quotes it, or else what the client quotes.
        text = str(getattr(getattr(error, "response", None), "text", None) or error)
        start = text.find('{"')
        if start < 0:
            continue
        try:
            answer, _ = json.JSONDecoder().raw_decode(text[start:])
            said = answer["errors"][0]
            code = said.get("code")
            return str(said["message"])[:300], code if isinstance(code, int) else None
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
            continue
    lines = str(causes[0]).strip("'\" ").splitlines()
    return (lines[0][:300] if lines else type(causes[0]).__name__), None


def redact(text: str) -> str:
    """The text without any token that this process could know of."""
    for secret in _secrets():
        text = text.replace(secret, "[token]")
    return re.sub(r"(?i)\b(bearer|apikey)[ =:]+[\w.~+/-]{8,}=*", r"\1 [token]", text)


def _secrets() -> Iterator[str]:
    token = os.environ.get("QISKIT_IBM_TOKEN", "")
    if len(token) > 3:
        yield token
    try:
        saved = json.loads(ACCOUNT_FILE.expanduser().read_text())
    except (OSError, ValueError, RuntimeError):
        return
    for account in saved.values() if isinstance(saved, dict) else ():
        token = account.get("token", "") if isinstance(account, dict) else ""
        if isinstance(token, str) and len(token) > 3:
            yield token
