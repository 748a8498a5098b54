"""Confirmation: running JAX on what a finding flags, to say *confirmed*, *refuted* or *inconclusive*.

`plan` and `session` are the linter's side. `inside` runs in the child: it imports the program, finds ways to reach the
flagged line, and watches what happens there. `trials` holds one module for each kind of dynamic test; a rule names its
own in `Rule.confirm`.
"""
