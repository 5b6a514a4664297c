"""The qiskit plugin of qmastermind."""
