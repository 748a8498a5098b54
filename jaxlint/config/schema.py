"""The JSON schema of settings files, made from the table of settings; `jaxlint.schema.json` beside it is the result."""

from __future__ import annotations

import json
from pathlib import Path

from jaxlint.config.kinds import Schema
from jaxlint.config.settings import OPTIONS, default_of

FILE = Path(__file__).with_name("jaxlint.schema.json")
EXTEND = "a settings file whose settings count where this one says nothing, relative to this one"

_SELECTOR = r"^([A-Za-z]+[0-9]{0,4}|[A-Za-z][A-Za-z0-9]*([-_][A-Za-z0-9]+)+)$"


def schema() -> Schema:
    """The schema of `jaxlint.toml` and of `[tool.jaxlint]`."""
    properties: Schema = {"extend": {"description": EXTEND, "type": "string"}}
    for name, option in OPTIONS.items():
        described = {"description": option.doc, **option.kind.schema(), "default": default_of(name)}
        properties[name.replace("_", "-")] = described
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "Settings of jaxlint",
        "description": "jaxlint.toml, .jaxlint.toml, and the table [tool.jaxlint] of pyproject.toml",
        "type": "object",
        "additionalProperties": False,
        "properties": dict(sorted(properties.items())),
        "definitions": {
            "selector": {
                "description": "rules: a code such as JAX201, a prefix such as JAX2, a name such as key-reuse, or ALL",
                "type": "string",
                "pattern": _SELECTOR,
            }
        },
    }


def text() -> str:
    """The schema as its file holds it."""
    return json.dumps(schema(), indent=2) + "\n"
