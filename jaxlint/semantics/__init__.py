"""What a program means to JAX: values, the abstract interpreter and the events that it tells rules."""
