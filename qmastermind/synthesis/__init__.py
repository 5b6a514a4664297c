"""Lowering and synthesis."""
