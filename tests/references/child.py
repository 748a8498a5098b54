"""Runs programs one after the other, each in a namespace of its own, and tells how each ended.

Reads a JSON list of `{"place", "text"}` and writes a JSON list of `{"raised", "warned", "detail"}`.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
import traceback
import warnings


def run(place: str, text: str) -> dict[str, object]:
    """Execute one program and say what it raised and warned of."""
    failure: Exception | None = None
    detail = ""
    with warnings.catch_warnings(record=True) as caught, contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("always")
        try:
            exec(compile(text, place, "exec", dont_inherit=True), {"__name__": "snippet"})
        except Exception as error:  # the parent compares it with the claim
            failure = error
            detail = traceback.format_exc(limit=-3)
    return {
        "raised": type(failure).__name__ if failure else None,
        "warned": sorted({warning.category.__name__ for warning in caught}),
        "detail": detail or "; ".join(str(warning.message) for warning in caught),
    }


if __name__ == "__main__":
    json.dump([run(**program) for program in json.load(sys.stdin)], sys.stdout)
