"""The review rubric and the playbooks that findings link to; installed as `jaxlint.references`."""
