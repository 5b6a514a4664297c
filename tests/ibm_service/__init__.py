"""A stand-in for IBM's services on 127.0.0.1, for tests with the client as IBM ships it.

It answers for the identity service, Global Search, the Global Catalog and the Quantum Compute REST
interface, decodes the circuits that arrive, runs them on a simulator with the noise of a stored
device, and does wrong on demand. What it proves is our use of the client and the wire contract
that this client version has; not IBM's own behaviour, queues or true noise.
"""

from ibm_service.faults import Fault
from ibm_service.server import StandIn
from ibm_service.state import Job, State

__all__ = ["Fault", "Job", "StandIn", "State"]
