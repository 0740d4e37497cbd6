"""Apex's contributed kernels."""
