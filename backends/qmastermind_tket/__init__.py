"""The tket plugin of qmastermind."""
