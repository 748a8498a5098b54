"""Fixes: making them from syntax nodes, and applying them to files."""
