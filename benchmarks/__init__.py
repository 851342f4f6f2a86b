"""Benchmarks: every figure beside what it is compared with, in one process. Run with ``python -m benchmarks``."""
