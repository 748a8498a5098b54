"""Codes of the catalogue that have no rule yet: users may already name them in settings and comments."""

from __future__ import annotations

RESERVED: dict[str, str] = {}
