"""The host-device boundary and honest timing: JAX4xx."""
