"""JAX903: a private module of JAX is imported."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from jaxlint.findings import Severity
from jaxlint.knowledge.changes import public_names
from jaxlint.rule import Explanation, Rule

if TYPE_CHECKING:
    from jaxlint.rule import RuleContext
    from jaxlint.semantics.events import PrivateImported


class PrivateApiRule(Rule):
    """Tells of imports of private modules."""

    code = "JAX903"
    name = "private-api"
    severity = Severity.INFO
    messages: ClassVar[dict[str, str]] = {
        "default": "`{module}` is a private module of JAX: any release may change or drop it",
        "public": "`{module}` is a private module of JAX: `{replacement}` is public",
    }
    help = "use a public name of JAX"
    reference = "legacy-api"
    explanation = Explanation(
        what="`jax._src` or another private module of JAX is imported.",
        why=("Private modules change without notice: the import, or what it gives, may break with any release of JAX."),
        wrong="""\
import jax.numpy as jnp
from jax._src.typing import ArrayLike


def double(x: ArrayLike):
    return 2 * jnp.asarray(x)
""",
        right="""\
import jax.numpy as jnp
from jax.typing import ArrayLike


def double(x: ArrayLike):
    return 2 * jnp.asarray(x)
""",
        mend=(
            "Use the public name, which is often in `jax`, `jax.typing`, `jax.core`, `jax.extend` or "
            "`jax.interpreters`. Where there is none, keep the import in one place, behind `try`/`except "
            "ImportError`, and pin the versions of JAX that it was tried with."
        ),
    )

    def on_private_imported(self, event: PrivateImported, ctx: RuleContext) -> None:
        """A private module is imported."""
        if event.guarded:
            return
        module = event.module
        public = [public_names().get(f"{module}.{name}", "") for name in event.names]
        if public and all(public):
            ctx.report(self, event.place, "public", module=module, replacement="`, `".join(public))
        else:
            ctx.report(self, event.place, module=module)
