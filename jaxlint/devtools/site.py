"""Hooks of the documentation site: its navigation, the pages that live outside `docs/`, and links between them.

Pages are plain Markdown that reads well in a checkout, too: their links are paths in the repository. Here they become
links of the site, and codes of rules become links to the pages of the rules.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jaxlint.devtools.new_rule import FAMILIES
from jaxlint.devtools.rule_pages import TITLES

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parent.parent.parent
MOVED = {
    "ARCHITECTURE.md": "architecture.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "README.md": "index.md",
}
"""Pages of the repository's root, and what the site calls them."""

REPOSITORY = {site: path for path, site in MOVED.items()}
TEMPLATES = "references/templates/"

_FENCE = re.compile(r"^ *(`{3,}|~{3,})")
_APART = re.compile(r"(`[^`]*`|!?\[[^\]]*\]\([^)]*\)|<[^>]*>)")
_LINK = re.compile(r"\[(?P<text>[^\]]*)\]\((?P<path>[^)#\s]*)(?P<anchor>#[^)\s]*)?\)")
_CODE = re.compile(r"\bJAX\d{3}\b")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Complete the navigation: the pages of the rules, references and templates, and others that are not named."""
    present = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")}
    present |= set(_outside())
    rules = sorted(name for name in present if re.fullmatch(r"rules/JAX\d{3}\.md", name))
    templates = sorted(name for name in present if name.startswith(TEMPLATES))
    nav = _existing(config.nav or [], present)
    references = sorted(name for name in present - set(_named(nav)) if name.startswith("references/"))
    for entry in nav:
        for title, pages in entry.items() if isinstance(entry, dict) else ():
            if title == "Rules":
                pages.extend(_families(rules))
            elif title == "References":
                pages += [*(name for name in references if name not in templates), {"Templates": templates}]
    more = sorted(present - set(_named(nav)))
    config.nav = [*nav, {"More": more}] if more else nav
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that live outside `docs/`."""
    from mkdocs.structure.files import File  # noqa: PLC0415 (only the site needs it)

    for site, path in _outside().items():
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".py":
            text = f"# {path.name}\n\n```python\n{text.rstrip()}\n```\n"
        files.append(File.generated(config, site, content=text))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:  # noqa: ARG001
    """Turn paths of the repository into links of the site, and codes into links to their pages."""
    here = page.file.src_uri
    rules = {f"JAX{name[9:12]}" for name in files.src_uris if re.fullmatch(r"rules/JAX\d{3}\.md", name)}
    return rewritten(markdown, here, lambda code: code in rules and here != f"rules/{code}.md")


def rewritten(markdown: str, here: str, linked: Callable[[str], bool]) -> str:
    """The text of a page at a place of the site, with its links changed; `linked` tells which codes become links."""
    lines, fence = [], ""
    for line in markdown.split("\n"):
        mark = _FENCE.match(line)
        if mark and not fence:
            fence = mark[1]
        elif mark and mark[1].startswith(fence):
            fence = ""
        if mark or fence or line.startswith("    "):
            lines.append(line)
            continue
        parts = _APART.split(line)
        for index, part in enumerate(parts):
            if index % 2:
                parts[index] = _LINK.sub(lambda match: _relinked(match, here), part) if part.startswith("[") else part
            elif not line.startswith("#"):
                parts[index] = _CODE.sub(
                    lambda match: _rule_link(match[0], here) if linked(match[0]) else match[0], part
                )
        lines.append("".join(parts))
    return "\n".join(lines)


def site_path(path: str) -> str | None:
    """Where the site has a file of the repository; None for what it does not show."""
    if path in MOVED:
        return MOVED[path]
    if path.startswith("docs/"):
        return path.removeprefix("docs/")
    if path.startswith(TEMPLATES) and path.endswith(".py"):
        return path.removesuffix(".py") + ".md"
    return path if path.startswith("references/") and path.endswith(".md") else None


def repository_path(site: str) -> str:
    """Where the repository has a page of the site."""
    if site in REPOSITORY and site != "index.md":
        return REPOSITORY[site]
    if site.startswith("references/"):
        return site
    return f"docs/{site}"


def _outside() -> dict[str, Path]:
    """The pages that live outside `docs/`, by their place in the site."""
    found = {site: ROOT / path for path, site in MOVED.items() if site != "index.md"}
    references = ROOT / "references"
    paths: list[Path] = [*references.glob("*.md"), *references.glob("templates/*")]
    for path in paths:
        site = site_path(path.relative_to(ROOT).as_posix())
        if site is not None and path.suffix in {".md", ".py"} and path.stem != "__init__":
            found[site] = path
    return found


def _relinked(match: re.Match[str], here: str) -> str:
    """A link to a file of the repository, as the site has it; without a page there, its text alone."""
    path, anchor = match["path"], match["anchor"] or ""
    if not path or ":" in path:
        return match[0]
    folder = posixpath.dirname(repository_path(here))
    site = site_path(posixpath.normpath(posixpath.join(folder, path)))
    if site is None:
        return match["text"]
    return f"[{match['text']}]({_relative(site, here)}{anchor})"


def _rule_link(code: str, here: str) -> str:
    return f"[{code}]({_relative(f'rules/{code}.md', here)})"


def _relative(site: str, here: str) -> str:
    return posixpath.relpath(site, posixpath.dirname(here) or ".")


def _existing(nav: Iterable[Any], present: set[str]) -> list[Any]:
    """The navigation without pages that are not there, and without sections that have none."""
    kept: list[Any] = []
    for entry in nav:
        if isinstance(entry, str):
            kept += [entry] if entry in present else []
            continue
        for title, value in entry.items():
            if isinstance(value, list):
                pages = _existing(value, present)
                kept += [{title: pages}] if pages else []
            elif value in present:
                kept.append({title: value})
    return kept


def _families(rules: list[str]) -> list[dict[str, list[str]]]:
    """The pages of the rules, a section a family."""
    digits = sorted({name[9] for name in rules})
    titles = {digit: TITLES[family] for family, (digit, _) in FAMILIES.items()}
    return [{f"JAX{digit}xx {titles[digit]}": [name for name in rules if name[9] == digit]} for digit in digits]


def _named(nav: Iterable[Any]) -> list[str]:
    """The pages that a navigation names."""
    found: list[str] = []
    for entry in nav:
        if isinstance(entry, str):
            found.append(entry)
        else:
            for value in entry.values():
                found += _named(value) if isinstance(value, list) else [value]
    return found
