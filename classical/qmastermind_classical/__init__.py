"""The classical baselines of qmastermind."""
