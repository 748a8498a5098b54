"""The rules that ship with jaxlint: one module a rule, one folder a family; installed as `jaxlint.rules`."""
