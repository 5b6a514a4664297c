"""``qmastermind ibm doctor``: what stands between the user and a first job. Never a token."""

from __future__ import annotations

import json
import os
import stat
from dataclasses import dataclass
from typing import Any

from qmastermind.errors import MissingDependencyError
from qmastermind_qiskit.ibm.account import IbmClient, client_version, sampler_name
from qmastermind_qiskit.ibm.attempt import versions
from qmastermind_qiskit.ibm.cli_common import missing_package
from qmastermind_qiskit.ibm.errors import ACCOUNT_FILE, IbmError
from qmastermind_qiskit.ibm.records import JobStore, home


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at.

    Attributes:
        name: What.
        ok: Whether it is as it should be; None for a remark.
        text: What was found, and what to do.
    """

    name: str
    ok: bool | None
    text: str


def examine() -> list[Finding]:
    """Looks at everything, in the order in which it is needed."""
    findings = [_versions(), *_account(), *_records()]
    if missing_package() is not None:
        return findings  # nobody can be asked
    try:
        client = IbmClient.connect()
    except IbmError as error:
        return [*findings, Finding("service", False, str(error))]
    return [*findings, Finding("service", True, "signed in"), *_instance(client)]


def _versions() -> Finding:
    found = ", ".join(f"{package} {version}" for package, version in versions().items())
    missing = missing_package()
    if missing is not None:
        reason = f"{missing} is not installed: pip install 'qmastermind[ibm]'"
        return Finding("versions", False, f"{found}. {reason}")
    try:
        client_version()
    except IbmError as error:
        return Finding("versions", False, f"{found}. {error}")
    return Finding("versions", True, f"{found}; sampler {sampler_name('auto')}")


def _account() -> list[Finding]:
    path = ACCOUNT_FILE.expanduser()
    saved = _saved_accounts()
    if os.environ.get("QISKIT_IBM_TOKEN"):
        findings = [Finding("account", True, "token from QISKIT_IBM_TOKEN")]
    elif saved:
        findings = [Finding("account", True, f"saved in {path}: {', '.join(saved)}")]
    else:
        findings = [Finding("account", False, "none in the environment, none saved")]
    if saved and os.name == "posix":
        mode = stat.S_IMODE(path.stat().st_mode)
        if mode & 0o077:
            findings.append(
                Finding(
                    "account file",
                    False,
                    f"{path} holds a token and others can read it (mode {mode:04o}): "
                    f"chmod 600 {path}",
                )
            )
    return findings


def _saved_accounts() -> list[str]:
    """Names of saved accounts that hold a token."""
    try:
        saved: Any = json.loads(ACCOUNT_FILE.expanduser().read_text())
    except (OSError, ValueError, RuntimeError):
        return []
    return [
        name
        for name, account in (saved.items() if isinstance(saved, dict) else ())
        if isinstance(account, dict) and account.get("token")
    ]


def _records() -> list[Finding]:
    try:
        records, problems = JobStore().scan()
    except MissingDependencyError as error:  # where they are is not known without its package
        return [Finding("job records", False, str(error))]
    findings = [Finding("job records", True, f"{len(records)} in {home() / 'ibm' / 'jobs'}")]
    return findings + [Finding("job records", False, problem) for problem in problems]


def _instance(client: IbmClient) -> list[Finding]:
    findings = []
    try:
        plan = client.plan()
        findings.append(Finding("plan", True, plan or "unknown"))
        usage = client.usage()
    except IbmError as error:
        return [*findings, Finding("usage", False, str(error))]
    if usage["remaining"] is None:
        text, ok = f"{usage['consumed']} s used, no limit told", True
    else:
        text = f"{usage['remaining']} s of {usage['limit']} s remain"
        ok = usage["remaining"] > 0
    return [*findings, Finding("usage", ok, text)]
