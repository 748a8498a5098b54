"""The grammar of the knowledge tables: their columns, and the words of their cells.

Function tables have the columns name, params, effects, returns, note.

params: names in order; `name=` has a default; a bare `*` starts the keyword-only ones; `*args`, `**kw`. A method's row
starts with `self` where calling it on an instance binds the first parameter. Names after `*` that end in `=` may be
older or newer spellings of a positional parameter.

effects: terms separated by `;`, each `name(arguments)`; the arguments are parameter names, `self`, or `*` (every
one). The words of EFFECTS below say what each means. `dynshape(x,size,...)`: the shape of the result depends on the
value of x unless one of the other parameters is given. `concrete_if(x,y)`: the value of x is needed when y is
given.

returns: a nested term. `array`, `bool_array`, `static`, `key`, `keys`, `none`, `unknown`, `numpy`, `shapes` (static
descriptions of arrays), `context` (a context manager), `callable`, `callable(x)` (giving x), `callable:sample(0)`
(a function with that effect on its argument 0), `instance(dotted.Class)`, `same(p)` (same value or buffer),
`maybe_same(p)` (may be the same buffer: same shape or dtype), `copy(p)`, `shallow(p)`, `elementwise(p,...)`,
`tree(p)` (a pytree like p), `dict(p)` (one that is a dict), `tree_of(x,p)`, `numpy(p)`, `dispatch(p)` (what p's own
method gives), `elem(p)`, `leaf(p)`, `list(x)`, `tuple(x,y)`, `tuple(x,...)` (any number), `zip(p)`, `enumerate(p)`,
`unflatten(treedef,leaves)`, `partial(f,args,kw)`, `at(self)`, `when(p,x,y)` (x if p is given and true, or equals
the literal after `=`), `with_flags(x,p,...)` (x, and one more for each true flag), `static_if(a,b)` (static when
both are).
"""

from __future__ import annotations

import re

FUNCTIONS = "functions"
"""The kind of a table of functions. The other kinds go by the names of their files."""

ALIASES = "aliases.tsv"

COLUMNS = {
    ALIASES: ["alias", "canonical"],
    "classes.tsv": ["name", "kind", "note"],
    "decorators.tsv": ["name", "effect", "note"],
    "transforms.tsv": ["name", "params", "callables", "mode", "result", "options", "feeds", "gives", "note"],
}
FUNCTION_COLUMNS = ["name", "params", "effects", "returns", "note"]

EFFECTS = {
    "sample": "draws from a key",
    "orders": "draws an order from a key: drawing it again for each part keeps the parts aligned",
    "split": "derives keys from a key",
    "fold": "derives a key from a key and data",
    "clone": "copies a key without consuming it",
    "consume": "the key is used up by something bigger",
    "inspect": "looks at a key without consuming it",
    "ignores": "takes a key and does not draw from it",
    "makekey": "makes a key from a seed",
    "nextkey": "gives a fresh key from a hidden stream",
    "draws": "advances the stream of keys that is passed",
    "stores": "keeps the argument",
    "copies": "copies the argument",
    "donates": "uses up the buffer",
    "donates_if": "uses up the buffer when the second parameter is true",
    "deletes": "deletes the buffer",
    "consumes_ref": "ends the life of a reference",
    "mutates": "changes the argument in place",
    "state": "changes library-managed state: right in traced code",
    "update": "a functional update: dropping the result does nothing",
    "concrete": "needs the Python value",
    "concrete_if": "needs the value when the other parameter is given",
    "truth": "tests or compares values",
    "valuecheck": "needs the values unless checks are functionalised",
    "hashes": "hashes the elements",
    "unrolls": "iterates",
    "dynshape": "the shape of the result depends on the value",
    "metadata": "reads only shape, dtype and structure",
    "dispatch": "calls the argument's own method",
    "sync": "forces the value to the host",
    "effect": "acts on the world",
    "impure": "reads the world",
    "reports": "reports at run time: right in traced code",
    "collective": "communicates over a named axis",
    "axis": "reads a named axis",
    "barrier": "every process must arrive",
    "divergent": "differs between processes",
    "spans": "gives arrays on the devices of all processes",
    "spans_if": "gives one when the sharding is over a mesh of all devices",
    "alldevices": "a mesh of all devices, unless they are given",
    "axes_of": "names axes of a mesh",
    "uninit": "uninitialised memory",
    "singular": "value or gradient undefined for some inputs",
    "stopgrad": "stops gradients",
    "calls": "calls the argument",
    "config": "a setting of JAX",
    "registers": "registers a pytree class",
    "reads": "reads a reference",
    "property": "read without a call",
    "value": "the name is a value, static by itself",
}
EFFECT_WORDS: dict[str, set[str]] = {
    "effect": {
        "io",
        "message",
        "progress",
        "network",
        "file",
        "wait",
        "setting",
        "caches",
        "exit",
        "kernel",
        "unsupported",
        "unknown",
    },
    "impure": {"clock", "random", "env", "input"},
    "state": {"self", "haiku"},
    "calls": {"self"},
}
_WORDS = {
    "returns": """array bool_array static key keys none unknown numpy shapes context callable instance same maybe_same
        copy shallow elementwise tree dict tree_of dispatch elem leaf list tuple zip enumerate unflatten partial at when
        with_flags static_if""",
    "mode": "abstract batched diff shape eager custom rule batched_rule host handler unknown",
    "result": "wrapper call decorator_call decorator_wrapper same none methods",
    "kind": """linen_module nnx_module nnx_variable nnx_rngs nnx_object equinox_module haiku_module mesh sharding
        partition_spec ref optax_transform namedtuple namedtuple_state key_stream pytree pytree_array pytree_dataclass
        train_state dataclass dataclass_decorator struct_decorator array tracer abstract_value partial transform jitted
        static_object distribution annotation array_annotation bijector checkpointer checker context decorator
        enum environment exception generator handler inference logger object path progress protocol test_case
        torch_module typed_dict""",
    "decoration": """transparent stub abstract staticmethod classmethod property cached_property cached contextmanager
        dispatch class_decorator registers_pytree fixture test_parameters expected_failure entry_point retry foreign
        transparent_eager unknown""",
    "feeds": """carry elem arg leaf scalar row numpy ref seq refs traced static callable residuals cotangent array
        nondiff tangent out args kwargs""",
}
RETURNS, MODES, RESULTS, KINDS, DECORATIONS, FEEDS = (frozenset(words.split()) for words in _WORDS.values())


def split_term(text: str) -> tuple[str, list[str]]:
    """`name(a,b(c))` as name and arguments; raises ValueError on anything else."""
    match = re.fullmatch(r"([\w.*=:']+)(?:\((.*)\))?", text)
    if match is None:
        raise ValueError(f"not a term: {text!r}")
    name, inner = match.groups()
    if inner is None:
        return name, []
    arguments, depth, start = [], 0, 0
    for index, char in enumerate(inner):
        depth += (char == "(") - (char == ")")
        if depth < 0:
            raise ValueError(f"unbalanced: {text!r}")
        if char == "," and depth == 0:
            arguments.append(inner[start:index])
            start = index + 1
    if depth:
        raise ValueError(f"unbalanced: {text!r}")
    return name, [*arguments, inner[start:]] if inner else []


def parameter_names(cell: str) -> list[str]:
    """All parameter names of a params cell."""
    return [part.lstrip("*").rstrip("=") for part in cell.split(",") if part not in ("", "*")]


def positional_names(cell: str) -> list[str]:
    """The parameter names that can be given by position."""
    names = []
    for part in cell.split(","):
        if part.startswith("*") or not part:
            break
        names.append(part.rstrip("="))
    return names
