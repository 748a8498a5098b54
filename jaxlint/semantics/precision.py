"""64-bit types: where they are asked for, and whether the project turns them on."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from jaxlint.semantics.events import WideDtypeAsked
from jaxlint.semantics.provenance import operands
from jaxlint.semantics.values import Array, Const, Ext, Opaque, Place, Union, Value

if TYPE_CHECKING:
    from jaxlint.semantics.interpreter import Interpreter
    from jaxlint.semantics.project import Project

_NARROW = {"float64": "float32", "int64": "int32", "uint64": "uint32", "complex128": "complex64"}
_SPELLINGS = {
    **{name: name for name in _NARROW},
    "double": "float64",
    "cdouble": "complex128",
    "longlong": "int64",
    "ulonglong": "uint64",
    "f8": "float64",
    "i8": "int64",
    "u8": "uint64",
    "c16": "complex128",
}
_LIBRARIES = ("jax.numpy", "numpy", "jax.experimental.array_api", "jax.dtypes")


def dtype_name(value: Value | None) -> str | None:
    """The 64-bit type that a value certainly stands for."""
    if isinstance(value, Const) and isinstance(value.value, str):
        return _SPELLINGS.get(value.value)
    if isinstance(value, Ext):
        library, _, short = value.name.rpartition(".")
        return _SPELLINGS.get(short) if library in _LIBRARIES else None
    if isinstance(value, Opaque) and value.made is not None and value.made.op in ("numpy.dtype", "jax.numpy.dtype"):
        return dtype_name(next(operands(value.made), None))
    if isinstance(value, Union):
        names = {dtype_name(member) for member in value.members}
        return names.pop() if len(names) == 1 else None
    return None


def check_dtype(it: Interpreter, function: str, wanted: Value | None, place: Place) -> None:
    """Tell of a 64-bit type that is asked of JAX where nothing in the project turns it on."""
    name = dtype_name(wanted)
    if name is not None and not enabled(it.project, place[0].path):
        it.emit(WideDtypeAsked(place, function, name, _NARROW[name]))


def check_constructor(it: Interpreter, function: str, place: Place) -> None:
    """The same for `jnp.float64(x)`."""
    library, _, short = function.rpartition(".")
    if library in ("jax.numpy", "jax.experimental.array_api"):
        check_dtype(it, function, Const(short), place)


def asked_of_unknown(receiver: Value, wanted: Value | None) -> bool:
    """Whether a method of an unknown value is asked for a type by its JAX name."""
    return not isinstance(receiver, Array) and isinstance(wanted, Ext) and wanted.name.startswith("jax.")


# ---- whether the project turns them on ------------------------------------------------------------------------------

_TURNED_ON = re.compile(
    r"""enable_x64["'\]]*\s*(?:,|=(?!=)|\()\s*(?!["']?(?:False|false|0\b|None))|enable_x64["']?\s*:\s*["']?(?:[Tt]rue|1)""",
    re.IGNORECASE,
)
_ASKED = re.compile(r"enable_x64|x64_enabled", re.IGNORECASE)
_IMPORTED = re.compile(r"^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import[ \t]+([\w, \t]+)|import[ \t]+([\w.]+))", re.MULTILINE)
_SETTINGS = ("pyproject.toml", "setup.cfg", "tox.ini", "pytest.ini", "Makefile", "noxfile.py", "Dockerfile", ".env")
_SKIPPED = frozenset([".git", "node_modules", ".venv", "venv", "build", "dist", "__pycache__"])
_MOST_FILES = 4000


def enabled(project: Project, path: str) -> bool:
    """Whether the program that a file belongs to turns 64-bit types on, or the file itself asks whether they are."""
    found = project.wide.get(path)
    if found is None:
        text = _text(path)
        found = project.wide[path] = bool(_ASKED.search(text)) or _program_enables(project, path, text)
    return found


def _text(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def _program_enables(project: Project, path: str, text: str) -> bool:
    """A file of a package belongs to the whole project; one that stands alone to what it imports."""
    folder = os.path.dirname(path)
    package = _package(folder)
    if package is not None:
        folder = os.path.dirname(package)
        if os.path.basename(folder) == "src":
            folder = os.path.dirname(folder)
        found = project.wide.get(folder)
        if found is None:
            asks = _ASKED.search(_text(os.path.join(package, "__init__.py")))  # it tells its users to turn them on
            enables = bool(asks) or any(_TURNED_ON.search(_text(file)) for file in _project_files(folder))
            found = project.wide[folder] = enables
        return found
    files = [os.path.join(folder, "conftest.py"), *_imported(project, text)]
    return any(_TURNED_ON.search(_text(file)) for file in files)


def _package(folder: str) -> str | None:
    """The outermost package around a folder; up to two between them may lack the file that makes one."""
    found = None
    missing = 0
    while missing < 3 and folder != os.path.dirname(folder):
        if os.path.isfile(os.path.join(folder, "__init__.py")):
            found, missing = folder, 0
        else:
            missing += 1
        folder = os.path.dirname(folder)
    return found


def _project_files(folder: str) -> Iterator[str]:
    yield from (os.path.join(folder, name) for name in _SETTINGS)
    workflows = os.path.join(folder, ".github", "workflows")
    if os.path.isdir(workflows):
        yield from (os.path.join(workflows, name) for name in sorted(os.listdir(workflows)))
    count = 0
    for inside, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in _SKIPPED)
        for name in files:
            if name.endswith(".py"):
                count += 1
                yield os.path.join(inside, name)
        if count > _MOST_FILES:
            return


def _imported(project: Project, text: str) -> Iterator[str]:
    """The files of the project that a file imports, directly or through others."""
    seen: set[str] = set()
    queue = [text]
    while queue and len(seen) < 40:
        for module, names, plain in _IMPORTED.findall(queue.pop()):
            for wanted in [plain or module, *(f"{module}.{name.strip()}" for name in names.split(",") if module)]:
                file = project.find(wanted)
                if file is not None and file not in seen:
                    seen.add(file)
                    queue.append(_text(file))
                    yield file


__all__ = ["asked_of_unknown", "check_constructor", "check_dtype", "dtype_name", "enabled"]
