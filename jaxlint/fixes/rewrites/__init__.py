"""Rewrites that rules offer: each takes an editor and what the rule knows, and gives a fix or None."""
