"""The language server: what editors ask, answered from an analysis that stays warm in a process of its own."""
