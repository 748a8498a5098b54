"""Modules that are loaded when something of them is first used.

`importlib.util.LazyLoader` does not serve: with it, a second `import` of the module counts as a use.
"""

from __future__ import annotations

import importlib.util
import sys
from threading import RLock
from types import ModuleType

_lock = RLock()
_loading: set[str] = set()


class _Deferred(ModuleType):
    def __getattr__(self, name: str) -> object:
        own, spec = self.__name__, self.__spec__
        with _lock:
            if type(self) is _Deferred and own not in _loading and spec is not None and spec.loader is not None:
                _loading.add(own)
                self.__path__ = spec.submodule_search_locations or []
                try:
                    spec.loader.exec_module(self)
                finally:
                    _loading.discard(own)
                self.__class__ = ModuleType  # type: ignore[assignment]
        found: object = object.__getattribute__(self, name)
        return found


def defer(name: str) -> None:
    """Make `import name` cheap until an attribute of the module is asked for."""
    if name in sys.modules:
        return
    spec = importlib.util.find_spec(name)
    if spec is None:
        return
    module = importlib.util.module_from_spec(spec)
    module.__class__ = _Deferred
    if spec.submodule_search_locations is not None:
        del module.__path__  # who imports a module below it asks for this first
    sys.modules[name] = module
