"""The cirq plugin of qmastermind."""
