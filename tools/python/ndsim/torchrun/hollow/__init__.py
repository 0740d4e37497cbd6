"""Hollow runs: shapes, times and memory without numbers."""
