"""Gates of tket in terms of ours. Angles of tket are in half-turns."""

from __future__ import annotations

from pytket.circuit import OpType

PLAIN = {
    "x": OpType.X,
    "y": OpType.Y,
    "z": OpType.Z,
    "h": OpType.H,
    "s": OpType.S,
    "sdg": OpType.Sdg,
    "t": OpType.T,
    "tdg": OpType.Tdg,
    "sx": OpType.SX,
    "sxdg": OpType.SXdg,
    "rx": OpType.Rx,
    "ry": OpType.Ry,
    "rz": OpType.Rz,
    "p": OpType.U1,
    "u": OpType.U3,
    "rzz": OpType.ZZPhase,
    "ecr": OpType.ECR,
    "swap": OpType.SWAP,
}
"""Tket's gate for each of ours, equal in phase."""

CONTROLLED = {
    ("x", 1): OpType.CX,
    ("y", 1): OpType.CY,
    ("z", 1): OpType.CZ,
    ("h", 1): OpType.CH,
    ("s", 1): OpType.CS,
    ("sdg", 1): OpType.CSdg,
    ("sx", 1): OpType.CSX,
    ("sxdg", 1): OpType.CSXdg,
    ("rx", 1): OpType.CRx,
    ("ry", 1): OpType.CRy,
    ("rz", 1): OpType.CRz,
    ("p", 1): OpType.CU1,
    ("u", 1): OpType.CU3,
    ("swap", 1): OpType.CSWAP,
    ("x", 2): OpType.CCX,
}
"""Tket's gate for one of ours under so many controls that must be 1."""

MULTI_CONTROLLED = {
    "x": OpType.CnX,
    "y": OpType.CnY,
    "z": OpType.CnZ,
    "rx": OpType.CnRx,
    "ry": OpType.CnRy,
    "rz": OpType.CnRz,
}
"""Tket's gate for one of ours under any number of controls that must be 1."""

OTHER_CONTROLLED = {OpType.CV: OpType.V, OpType.CVdg: OpType.Vdg}
"""Controlled gates of tket that we have only as a controlled ``u``."""
