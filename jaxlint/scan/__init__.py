"""The inventory of a project: what of JAX it uses, and where. Read off the analysis; nothing is imported."""
