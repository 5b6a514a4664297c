"""IBM's devices: forecasts before a job is sent, and jobs that are never lost afterwards.

Nothing here imports Qiskit or IBM's client before it is used.
"""
