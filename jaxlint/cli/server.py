"""`jaxlint server`."""

from __future__ import annotations

from importlib.util import find_spec

from jaxlint.cli.arguments import Parser
from jaxlint.config.errors import UsageError

_NEEDED = ("pygls", "lsprotocol")


def server(arguments: list[str]) -> int:
    """Serve an editor; the exit code is 0 when it said goodbye, 1 when it just left, 2 for an error."""
    parser = Parser(
        prog="jaxlint server",
        description="Serve an editor over standard input and output, by the language server protocol.",
    )
    parser.add_argument("--stdio", action="store_true", help="what it does anyway; many editors say it all the same")
    parser.parse(arguments)
    missing = [name for name in _NEEDED if find_spec(name) is None]
    if missing:
        raise UsageError(
            f"the language server needs {' and '.join(missing)}: install jaxlint with its extra `server`, "
            "as in `pip install 'jax-linter[server]'`"
        )
    from jaxlint.server.session import serve  # noqa: PLC0415 (only there once the extra is)

    return serve()
