"""Commands for those who work on jaxlint itself: `python -m jaxlint.devtools --help`."""
