"""Codes without a rule, which users may name in settings and comments all the same."""

from __future__ import annotations

RESERVED: dict[str, str] = {}
"""Codes of the catalogue that have no rule yet, with their names."""

RETIRED: dict[str, str] = {}
"""Codes of rules that were taken back, with their names. Neither is ever used again, and a test sees to it."""
