"""Runs in the child process, where JAX and the program under review are imported."""
