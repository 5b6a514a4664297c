"""The pennylane plugin of qmastermind."""
