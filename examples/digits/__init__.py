"""A small training project with the mistakes that jaxlint is named for. Lint it with `jaxlint check examples`."""
