"""The laboratory: commands that run the program under review, in child processes, and say what JAX makes of it."""
