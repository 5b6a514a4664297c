"""Runs the stand-in by hand: ``python -m ibm_service [DEVICE ...]`` from the folder ``tests``."""

import sys
import threading
from contextlib import suppress

from ibm_service import StandIn, State

if __name__ == "__main__":
    state = State(tuple(sys.argv[1:]) or ("ibm_manila", "ibm_torino"))
    with StandIn(state) as service, suppress(KeyboardInterrupt):
        lines = [f"export {name}='{value}'" for name, value in service.environment().items()]
        sys.stdout.write("\n".join([*lines, "# Ctrl-C ends it", ""]))
        sys.stdout.flush()
        threading.Event().wait()
