"""qmastermind: oracles and search circuits built once, compiled to any quantum framework."""
