"""`jaxlint server`, as an editor meets it: a real client over standard input and output."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("pygls")

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from tests.interface.editor import Editor, applied, capabilities, codes_of, framed

if TYPE_CHECKING:
    from collections.abc import Iterator

REUSE = """\
import jax


def draw(key):
    first = jax.random.normal(key)
    return first + jax.random.normal(key)
"""
MODEL = "import jax\n\n\ndef init(key):\n    return jax.random.normal(key, (3,))\n"
TRAIN = """\
import jax
from model import init


def start(key):
    params = init(key)
    return params + jax.random.normal(key, (3,))
"""
FIXABLE = """\
import jax
import jax.numpy as jnp


@jax.jit
def step(x):
    y = jnp.zeros(3)
    y[0] = x
    return jnp.sum(y)


def log_sigmoid(x):
    return jnp.log(jax.nn.sigmoid(x))  # noqa: JAX201
"""


@pytest.fixture(scope="module")
def editor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Editor]:
    """One session for all tests that do not change settings."""
    with Editor(tmp_path_factory.mktemp("workspace"), can=capabilities(related=True)) as session:
        yield session


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder that is a project."""
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'p'\n")
    return tmp_path


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


# ---- diagnostics ----


def test_a_diagnostic_says_all_that_a_finding_says(editor: Editor, tmp_path: Path) -> None:
    path = write(tmp_path / "draw.py", REUSE)
    editor.open(path)
    (found,) = editor.expect(path, "JAX201")
    assert found.source == "jaxlint"
    assert found.severity == types.DiagnosticSeverity.Error
    assert found.range == types.Range(types.Position(5, 19), types.Position(5, 41))
    assert found.code_description is not None
    assert found.code_description.href.endswith("/rules/JAX201/")
    assert found.related_information is not None
    assert [place.location.range.start.line for place in found.related_information] == [4]
    assert "first consumed here" in found.related_information[0].message
    assert isinstance(found.data, dict) or found.data is not None
    assert found.tags is None


def test_edits_are_seen_as_they_are_typed(editor: Editor, tmp_path: Path) -> None:
    path = write(tmp_path / "draw.py", REUSE)
    editor.open(path)
    editor.expect(path, "JAX201")
    first, second = len("    first = jax.random.normal("), len("    return first + jax.random.normal(")
    editor.change(path, (4, 4, 4, 4, "key, sub = jax.random.split(key)\n    "), (5, first, 5, first + 3, "sub"))
    assert editor.expect(path) == []
    editor.change(path, (6, second, 6, second + 3, "sub"))
    (found,) = editor.expect(path, "JAX201")
    assert found.range.start == types.Position(6, 19)
    assert path.read_text() == REUSE


def test_a_burst_of_edits_ends_with_the_last_one(editor: Editor, tmp_path: Path) -> None:
    path = write(tmp_path / "draw.py", REUSE)
    editor.open(path)
    for _ in range(30):
        version = editor.change(path, (0, 0, 0, 0, "# typed\n"))
    (found,) = editor.diagnostics(path, version)
    assert found.range.start.line == 35
    versions = [params.version for params in editor.published[path.as_uri()]]
    assert versions == sorted(versions, key=lambda version: version or 0)
    assert len(versions) < 30


def test_unsaved_files_are_seen_together(editor: Editor, project: Path) -> None:
    model, train = write(project / "model.py", MODEL), write(project / "train.py", TRAIN)
    editor.open(train)
    editor.expect(train, "JAX201")
    editor.open(model)
    editor.change(model, (4, 11, 4, 39, "key.shape"))
    assert editor.expect(train) == []
    editor.change(model, (4, 11, 4, 20, "jax.random.uniform(key)"))
    (found,) = editor.expect(train, "JAX201")
    assert found.related_information is not None
    assert {place.location.uri for place in found.related_information} == {model.as_uri(), train.as_uri()}
    editor.change(model, (4, 11, 4, 34, "key.shape"))
    assert editor.expect(train) == []
    editor.close(model)  # what was not saved is gone
    editor.expect(train, "JAX201")
    editor.close(train)
    editor.until(lambda: (latest := editor.latest(train)) is not None and not latest.diagnostics)


def test_files_that_import_a_file_decide_what_is_traced_in_it(editor: Editor, project: Path) -> None:
    helper = write(project / "helper.py", "def clip(x):\n    if x > 1:\n        return 1\n    return x\n")
    write(project / "user.py", "import jax\nfrom helper import clip\n\nstep = jax.jit(clip)\n")
    editor.open(helper)
    editor.expect(helper, "JAX301")
    count = len(editor.published[helper.as_uri()])
    editor.change(helper, (0, 0, 0, 0, "# moved\n"))
    (found,) = editor.expect(helper, "JAX301")
    assert found.range.start.line == 2
    shown = [codes_of(params.diagnostics) for params in editor.published[helper.as_uri()][count:]]
    assert shown[0] == ["JAX301"]  # it does not come and go with each keystroke


def test_a_syntax_error_shows_once_typing_pauses_and_hides_nothing(editor: Editor, tmp_path: Path) -> None:
    path = write(tmp_path / "draw.py", REUSE)
    editor.open(path)
    editor.expect(path, "JAX201")
    version = editor.change(path, (0, 0, 0, 0, "import (\n"))
    first, last = editor.diagnostics(path, version), editor.expect(path, "JAX001", "JAX201")
    assert codes_of(first) in (["JAX201"], ["JAX001", "JAX201"])
    by_code = {str(found.code): found for found in last}
    assert by_code["JAX001"].range.start.line == 0
    assert by_code["JAX201"].range.start.line == 6
    assert editor.actions(path, 6) == []  # edits would be for another text
    editor.change(path, (0, 0, 1, 0, ""))
    editor.expect(path, "JAX201")


def test_a_file_that_does_not_parse_is_imported_as_it_last_did(editor: Editor, project: Path) -> None:
    model, train = write(project / "model.py", MODEL), write(project / "train.py", TRAIN)
    editor.open(model)
    editor.diagnostics(model)
    editor.change(model, (0, 0, 0, 0, "import (\n"))
    editor.open(train)
    editor.expect(train, "JAX201")


@pytest.mark.parametrize(
    ("encoding", "width"),
    [
        (None, 3),
        (types.PositionEncodingKind.Utf16, 3),
        (types.PositionEncodingKind.Utf8, 7),
        (types.PositionEncodingKind.Utf32, 2),
    ],
)
def test_positions_count_what_was_agreed_on(
    tmp_path: Path, encoding: types.PositionEncodingKind | None, width: int
) -> None:
    text = (
        "import jax\n\n\ndef draw(key):\n"
        "    name = '🎉漢'; first = jax.random.normal(key); second = jax.random.normal(key)\n"
        "    return name, first, second\n"
    )
    path = write(tmp_path / "draw.py", text)
    with Editor(tmp_path, can=capabilities(encodings=[encoding] if encoding else None)) as editor:
        agreed = editor.initialized.capabilities.position_encoding
        assert agreed == (encoding or types.PositionEncodingKind.Utf16)
        editor.open(path)
        (found,) = editor.expect(path, "JAX201")
        before = len("    name = '") + width
        start = before + len("'; first = jax.random.normal(key); second = ")
        assert (found.range.start.character, found.range.end.character) == (start, start + 22)
        argument = before + len("'; first = jax.random.normal(")
        editor.change(path, (4, argument, 4, argument + 3, "jax.random.key(1)"))
        editor.expect(path)


def test_tags_come_from_the_rules(editor: Editor, tmp_path: Path) -> None:
    path = write(tmp_path / "unused.py", "import jax\n\nx = jax.numpy.zeros(3)  # noqa: JAX201\n")
    editor.open(path)
    (found,) = editor.expect(path, "JAX002")
    assert list(found.tags or ()) == [types.DiagnosticTag.Unnecessary]
    assert found.severity == types.DiagnosticSeverity.Warning


def test_a_thousand_lines(editor: Editor, tmp_path: Path) -> None:
    functions = "".join(
        f"\n\ndef step_{n}(key, x):\n    key, sub = jax.random.split(key)\n"
        f"    x = x + jax.random.normal(sub, x.shape)\n    return key, x\n"
        for n in range(170)
    )
    path = write(tmp_path / "long.py", f"import jax\n{functions}")
    rows = path.read_text().split("\n")
    row = max(row for row, line in enumerate(rows) if "normal(sub" in line)
    column = rows[row].index("sub")
    assert row > 1_000
    editor.open(path)
    assert editor.diagnostics(path) == []
    editor.change(path, (row, column, row, column + 3, "key"))
    (found,) = editor.expect(path, "JAX203")
    assert found.range.start.line == row - 1
    editor.change(path, (row, column, row, column + 3, "sub"))
    assert editor.expect(path) == []


def test_what_is_not_code_does_no_harm(editor: Editor, tmp_path: Path) -> None:
    path = tmp_path / "odd.py"
    editor.open(path, "x = 1\0\n")
    editor.expect(path, "JAX001")
    editor.replace(path, "x = '\ud83d'\r\ny = 2\r")
    editor.expect(path)
    editor.replace(path, "")
    editor.expect(path)
    editor.replace(path, "(" * 5000)
    editor.expect(path, "JAX001")
    editor.change(path, (10_000, 5, 20_000, 7, "\n"))  # behind the end
    editor.expect(path, "JAX001")
    editor.replace(path, REUSE)
    editor.expect(path, "JAX201")


def test_documents_without_a_file(editor: Editor) -> None:
    uri = "untitled:Untitled-1"
    item = types.TextDocumentItem(uri, "python", 1, REUSE)
    editor.do(lambda: editor.client.text_document_did_open(types.DidOpenTextDocumentParams(item)))
    (found,) = editor.until(lambda: editor.published[uri])[-1].diagnostics
    assert found.code == "JAX201"
    assert found.related_information is not None
    assert found.related_information[0].location.uri == uri


# ---- pull ----


def test_pulled_diagnostics(project: Path) -> None:
    model, train = write(project / "model.py", MODEL), write(project / "train.py", TRAIN)
    with Editor(project, can=capabilities(pull=True)) as editor:
        provider = editor.initialized.capabilities.diagnostic_provider
        assert provider is not None and provider.inter_file_dependencies
        editor.open(train)
        report = editor.pull(train)
        assert isinstance(report, types.RelatedFullDocumentDiagnosticReport)
        assert codes_of(report.items) == ["JAX201"]
        again = editor.pull(train, report.result_id)
        assert isinstance(again, types.RelatedUnchangedDocumentDiagnosticReport)
        assert again.result_id == report.result_id
        editor.open(model)
        editor.pull(model)
        before = editor.refreshes
        editor.change(model, (4, 11, 4, 39, "key.shape"))
        editor.until(lambda: editor.refreshes > before)  # another open file has other findings now
        report = editor.pull(train, report.result_id)
        assert isinstance(report, types.RelatedFullDocumentDiagnosticReport)
        assert not report.items
        missing = editor.pull(project / "never_opened.py")
        assert isinstance(missing, types.RelatedFullDocumentDiagnosticReport)
        assert not missing.items
        assert not editor.published


def test_a_question_can_be_taken_back(project: Path) -> None:
    path = write(project / "train.py", REUSE)
    with Editor(project, can=capabilities(pull=True)) as editor:
        editor.open(path)
        editor.pull(path)
        editor.change(path, (0, 0, 0, 0, "# typed\n"))
        params = types.DocumentDiagnosticParams(types.TextDocumentIdentifier(path.as_uri()))
        asked = editor.do(
            lambda: editor.client.protocol.send_request("textDocument/diagnostic", params, msg_id="taken back")
        )
        editor.do(lambda: editor.client.cancel_request(types.CancelParams("taken back")))
        with pytest.raises(JsonRpcException, match="cancel"):
            asked.result(60)
        report = editor.pull(path)
        assert isinstance(report, types.RelatedFullDocumentDiagnosticReport)
        assert codes_of(report.items) == ["JAX201"]


# ---- actions ----


def changes(action: types.CodeAction, path: Path) -> list[types.TextEdit]:
    assert action.edit is not None and action.edit.changes is not None
    assert list(action.edit.changes) == [path.as_uri()]
    return list(action.edit.changes[path.as_uri()])


def test_quick_fixes(editor: Editor, tmp_path: Path) -> None:
    path = write(tmp_path / "fixable.py", FIXABLE)
    editor.open(path)
    shown = editor.expect(path, "JAX002", "JAX105", "JAX703")
    on_row = [diagnostic for diagnostic in shown if diagnostic.range.start.line == 7]
    offered = editor.actions(path, 7, diagnostics=on_row)
    assert [action.kind for action in offered] == [types.CodeActionKind.QuickFix] * 2
    fix, disable = offered
    assert fix.title.endswith("(JAX105)")
    assert fix.is_preferred
    assert list(fix.diagnostics or ()) == on_row
    assert "y = y.at[0].set(x)" in applied(FIXABLE, changes(fix, path))
    assert disable.title == "Disable JAX105 for this line"
    assert not disable.is_preferred
    assert "    y[0] = x  # noqa: JAX105\n" in applied(FIXABLE, changes(disable, path))


def test_unsafe_fixes_are_offered_but_not_preferred(editor: Editor, tmp_path: Path) -> None:
    text = "import jax\n\n\ndef draw(key):\n    for _ in range(3):\n        x = jax.random.normal(key)\n    return x\n"
    path = write(tmp_path / "loop.py", text)
    editor.open(path)
    editor.expect(path, "JAX202")
    fix = editor.actions(path, 5)[0]
    assert fix.title.endswith("(JAX202, unsafe)")
    assert not fix.is_preferred
    assert "jax.random.split" in applied(text, changes(fix, path))


def test_fix_all_applies_the_safe_ones(editor: Editor, tmp_path: Path) -> None:
    path = write(tmp_path / "fixable.py", FIXABLE)
    editor.open(path)
    editor.expect(path, "JAX002", "JAX105", "JAX703")
    for kind in ("source", types.CodeActionKind.SourceFixAll, "source.fixAll.jaxlint"):
        (action,) = editor.actions(path, 0, only=[kind])
        assert action.kind == "source.fixAll.jaxlint"
        assert applied(FIXABLE, changes(action, path)) == (
            FIXABLE.replace("y[0] = x", "y = y.at[0].set(x)")
            .replace("jnp.log(jax.nn.sigmoid(x))  # noqa: JAX201", "jax.nn.log_sigmoid(x)")
        )  # fmt: skip
    assert editor.actions(path, 0, only=["source.fixAll.other"]) == []
    assert editor.actions(path, 0, only=["refactor"]) == []


def resolve(editor: Editor, action: types.CodeAction) -> types.CodeAction:
    return editor.run(editor.client.code_action_resolve_async(action))


def test_edits_are_made_when_they_are_asked_for(tmp_path: Path) -> None:
    path = write(tmp_path / "fixable.py", FIXABLE)
    with Editor(tmp_path, can=capabilities(resolve=True, versioned=True)) as editor:
        editor.open(path)
        editor.expect(path, "JAX002", "JAX105", "JAX703")
        fix, _, everything = editor.actions(path, 7)
        assert fix.edit is None and everything.edit is None
        assert everything.data and None not in everything.data.values()  # Neovim drops members that are null
        resolved = resolve(editor, fix)
        assert resolved.edit is not None and resolved.edit.document_changes is not None
        (change,) = resolved.edit.document_changes
        assert isinstance(change, types.TextDocumentEdit)
        assert change.text_document.version == 1
        assert "y.at[0]" in applied(FIXABLE, change.edits)
        assert resolve(editor, everything).edit is not None
        editor.change(path, (0, 0, 0, 0, "# typed\n"))
        assert resolve(editor, fix).edit is None  # it was for another text


SILENCED = [
    ("x = jax.random.normal(key)", "x = jax.random.normal(key)  # noqa: JAX201"),
    ("x = jax.random.normal(key)  # why", "x = jax.random.normal(key)  # why  # noqa: JAX201"),
    ("x = jax.random.normal(key)  # noqa: E501", "x = jax.random.normal(key)  # noqa: E501, JAX201"),
    (
        "x = jax.random.normal(key)  # noqa: E501, W1 # long",
        "x = jax.random.normal(key)  # noqa: E501, W1, JAX201 # long",
    ),
    ("x = jax.random.normal(\n        key,\n    )", "x = jax.random.normal(  # noqa: JAX201\n        key,\n    )"),
    (
        "x = jax.random.normal(  # noqa: E501\n        key,\n    )",
        "x = jax.random.normal(  # noqa: E501, JAX201\n        key,\n    )",
    ),
    ('x = (jax.random.normal(key), """\n""")', 'x = (jax.random.normal(key), """\n""")  # noqa: JAX201'),
    ("x = \\\n        jax.random.normal(key)", "x = \\\n        jax.random.normal(key)  # noqa: JAX201"),
    ("if jax.random.normal(\n        key) > 0:\n        x = 1", None),
]


@pytest.mark.parametrize(("before", "after"), SILENCED)
def test_a_comment_silences_where_the_linter_reads_it(
    editor: Editor, tmp_path: Path, before: str, after: str | None
) -> None:
    head = "import jax\n\n\ndef draw(key):\n    x = jax.random.uniform(key)\n    "
    path = write(tmp_path / "draw.py", f"{head}{before}\n    return x\n")
    editor.open(path)
    (found,) = editor.expect(path, "JAX201")
    (disable,) = (
        action for action in editor.actions(path, found.range.start.line) if action.title.startswith("Disable")
    )
    text = applied(path.read_text(), changes(disable, path))
    if after is not None:
        assert text == f"{head}{after}\n    return x\n"
    editor.replace(path, text)
    assert editor.expect(path) == []


def test_hover_tells_of_suppression_codes_only(editor: Editor, tmp_path: Path) -> None:
    path = write(
        tmp_path / "draw.py", REUSE.rstrip() + "  # noqa: E501, JAX201, branch-on-tracer\n# jaxlint: noqa: JAX2\n"
    )
    editor.open(path)
    editor.diagnostics(path)
    line = path.read_text().splitlines()[5]
    column = line.index("JAX201")
    found = editor.hover(path, 5, column + 2)
    assert found is not None and isinstance(found.contents, types.MarkupContent)
    assert found.contents.value.startswith("**[JAX201](https://")
    assert "`key-reuse`" in found.contents.value
    assert found.range == types.Range(types.Position(5, column), types.Position(5, column + 6))
    named = editor.hover(path, 5, line.index("branch"))
    assert named is not None and isinstance(named.contents, types.MarkupContent)
    assert "JAX301" in named.contents.value
    family = editor.hover(path, 6, 18)
    assert family is not None and isinstance(family.contents, types.MarkupContent)
    assert "JAX202" in family.contents.value
    for row, place in ((5, line.index("E501")), (5, line.index("normal")), (0, 0), (40, 0)):
        assert editor.hover(path, row, place) is None


# ---- notebooks ----


def test_cells_of_a_notebook_are_one_program(editor: Editor, tmp_path: Path) -> None:
    path = tmp_path / "draw.ipynb"
    setup, draw, more = (f"vscode-notebook-cell://{path}#{name}" for name in ("setup", "draw", "more"))
    text = "%matplotlib inline\na = jax.random.normal(key)\nb = '🎉', jax.random.normal(key)"
    editor.open_notebook(path, {setup: "import jax\nkey = jax.random.key(0)", draw: text})
    (found,) = editor.expect_in(draw, "JAX201")
    assert found.range == types.Range(types.Position(2, 10), types.Position(2, 32))
    assert found.related_information is not None
    place = found.related_information[0].location
    assert (place.uri, place.range.start) == (draw, types.Position(1, 4))
    assert editor.expect_in(setup) == []
    disable = next(action for action in editor.actions(draw, 2) if action.title.startswith("Disable"))
    assert disable.edit is not None and disable.edit.changes is not None
    assert list(disable.edit.changes) == [draw]
    (edit,) = disable.edit.changes[draw]
    assert edit.new_text == "b = '🎉', jax.random.normal(key)  # noqa: JAX201"
    assert edit.range == types.Range(types.Position(2, 0), types.Position(2, 32))
    editor.insert_cell(path, 0, more, "%pip install jax")
    editor.type_in_cell(path, setup, 2, 0, 0, "# typed\n")
    editor.type_in_cell(path, draw, 2, 0, 0, "key = jax.random.key(1)\n")
    (found,) = editor.expect_in(draw, "JAX201")
    editor.until(lambda: editor.published[draw][-1].version == 2)
    assert editor.published[draw][-1].diagnostics[0].range.start == types.Position(3, 10)
    editor.type_in_cell(path, draw, 3, 3, 32, "  # noqa: JAX201")
    editor.expect_in(draw)
    hover = editor.hover(draw, 3, 44)
    assert hover is not None and hover.range is not None and hover.range.start == types.Position(3, 42)
    editor.type_in_cell(path, draw, 4, 3, 0, "(")
    editor.expect_in(draw, "JAX001")
    editor.delete_cell(path, 2, draw)
    assert editor.expect_in(draw) == []
    editor.close_notebook(path, [setup, more])
    editor.open(write(tmp_path / "draw.py", REUSE))
    editor.expect(tmp_path / "draw.py", "JAX201")


def test_fixes_stay_in_their_cells(tmp_path: Path) -> None:
    path = tmp_path / "fixable.ipynb"
    first, second = f"cell:{path}#1", f"cell:{path}#2"
    cells = {first: "import jax\nimport jax.numpy as jnp\ny = jnp.zeros(3)", second: "%time y[0] = 1\ny[1] = 2\ny"}
    with Editor(tmp_path, can=capabilities(pull=True, versioned=True)) as editor:
        editor.open_notebook(path, cells)
        editor.expect_in(second, "JAX105", "JAX105")
        (everything,) = editor.actions(second, 0, only=["source.fixAll"])
        assert everything.edit is not None and everything.edit.document_changes is not None
        (change,) = everything.edit.document_changes
        assert isinstance(change, types.TextDocumentEdit)
        assert change.text_document.uri == second
        assert applied(cells[second], change.edits) == "%time y = y.at[0].set(1)\ny = y.at[1].set(2)\ny"


# ---- settings ----


def test_settings_of_the_project_count_and_are_read_again(project: Path) -> None:
    path = write(project / "draw.py", REUSE)
    settings = write(project / "pyproject.toml", "[tool.jaxlint]\nignore = ['JAX201']\n")
    with Editor(project, can=capabilities(watch=True)) as editor:
        editor.open(path)
        assert editor.diagnostics(path) == []
        watched = editor.until(lambda: {registration.method for registration in editor.registrations})
        assert watched == {"workspace/didChangeWatchedFiles", "workspace/didChangeConfiguration"}

        def rewrite(text: str) -> None:
            settings.write_text(text)
            event = types.FileEvent(settings.as_uri(), types.FileChangeType.Changed)
            params = types.DidChangeWatchedFilesParams([event])
            editor.do(lambda: editor.client.workspace_did_change_watched_files(params))

        rewrite("[tool.jaxlint]\n")
        editor.expect(path, "JAX201")
        rewrite("[tool.jaxlint]\nignroe = ['JAX201']\n")
        message = editor.until(lambda: editor.messages)[0]
        assert "pyproject.toml:2: unknown setting `ignroe`; did you mean `ignore`?" in message
        editor.change(path, (0, 0, 0, 0, "# typed\n"))
        editor.expect(path, "JAX201")  # by the settings as they last were in order
        assert len(editor.messages) == 1
        rewrite("[tool.jaxlint]\nexclude = ['draw.py']\n")
        editor.expect(path)


def test_settings_of_the_client(tmp_path: Path) -> None:
    one, other = tmp_path / "one é", tmp_path / "other"
    for folder in (one, other):
        folder.mkdir()
        write(folder / "draw.py", REUSE)
    outside = write(tmp_path / "draw.py", REUSE)
    settings: dict[str, object] = {one.as_uri(): {"ignore": ["JAX201"]}, "": {"extendSelect": ["key-reuse"]}}
    with Editor(one, other, can=capabilities(settings=True, watch=True), settings=settings) as editor:
        for path in (one / "draw.py", other / "draw.py", outside):
            editor.open(path)
        assert editor.diagnostics(one / "draw.py") == []
        editor.expect(other / "draw.py", "JAX201")
        editor.expect(outside, "JAX201")

        def tell(new: dict[str, object]) -> None:
            editor.settings = new
            params = types.DidChangeConfigurationParams(None)
            editor.do(lambda: editor.client.workspace_did_change_configuration(params))

        tell({"": {"enable": False}})
        editor.expect(outside)
        tell({one.as_uri(): {"select": ["JAX2"]}, other.as_uri(): {"select": ["JAX999"]}})
        editor.expect(one / "draw.py", "JAX201")
        assert (
            "the editor's setting `select`: unknown rule selector `JAX999`" in editor.until(lambda: editor.messages)[0]
        )
        tell({"": {"runn": "onSave", "debounce": "soon", "select": "JAX2"}})
        for text in (
            "unknown setting `runn`; did you mean `run`?",
            "`debounce` must be a number of milliseconds up to 5000, not `soon`",
            "`select` must be a list of rule selectors, not a string",
        ):
            editor.until(lambda text=text: any(text in message for message in editor.messages))  # type: ignore[misc]
        added = types.WorkspaceFoldersChangeEvent([], [types.WorkspaceFolder(other.as_uri(), "other")])
        params = types.DidChangeWorkspaceFoldersParams(added)
        editor.do(lambda: editor.client.workspace_did_change_workspace_folders(params))
        editor.change(other / "draw.py", (0, 0, 0, 0, "# typed\n"))
        editor.expect(other / "draw.py", "JAX201")


def test_options_at_the_start(tmp_path: Path) -> None:
    write(tmp_path / "other.toml", "ignore = ['JAX203']\n")
    path = write(tmp_path / "draw.py", REUSE + "\n\ndef waste(key):\n    jax.random.split(key)\n")
    with Editor(tmp_path, options={"settings": {"configuration": "other.toml", "run": "onSave"}}) as editor:
        editor.open(path)
        editor.expect(path, "JAX201")
        version = editor.replace(path, "x = 1\n")
        assert editor.actions(path, 5) == []
        assert [params.version for params in editor.published[path.as_uri()]][-1] == version - 1
        editor.save(path)
        assert editor.diagnostics(path, version) == []


# ---- lifetime ----


def test_the_end_of_a_session(tmp_path: Path) -> None:
    with Editor(tmp_path) as editor:
        assert editor.leave() == 0
    with Editor(tmp_path) as editor:
        editor.do(lambda: editor.client.exit(None))
        assert editor.exit_code() == 1


@pytest.mark.parametrize("goodbye", [b"", b"Content-Length: 5\r\n\r\n{"])
def test_a_client_that_just_leaves(goodbye: bytes) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "jaxlint", "server", "--stdio"],
        input=goodbye,
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert ran.returncode == 1
    assert b"Traceback" not in ran.stderr


def test_messages_that_make_no_sense(tmp_path: Path) -> None:
    path = write(tmp_path / "draw.py", REUSE)
    with Editor(tmp_path) as editor:
        for nonsense in (
            framed(b"{not json"),
            framed(b"\xff\xfe"),
            framed([1, 2]),
            framed({"jsonrpc": "2.0"}),
            framed({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": 3}}),
            framed({"jsonrpc": "2.0", "method": "no/such/thing", "params": {}}),
            framed(
                {
                    "jsonrpc": "2.0",
                    "method": "textDocument/didChange",
                    "params": {"textDocument": {"uri": "file:///not/open.py", "version": 2}, "contentChanges": []},
                }
            ),
            b"Content-Length: many\r\n\r\n",
        ):
            editor.send(nonsense)
        params = types.HoverParams(types.TextDocumentIdentifier("file:///not/open.py"), types.Position(0, 0))
        assert editor.run(editor.client.text_document_hover_async(params)) is None
        with pytest.raises(JsonRpcException):
            editor.request("textDocument/hover", {"position": "here"})
        with pytest.raises(JsonRpcException):
            editor.request("no/such/thing", {})
        editor.open(path)
        editor.expect(path, "JAX201")
        assert editor.leave() == 0


def test_nothing_is_imported_from_the_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("random.py", "pickle.py", "libcst.py", "jaxlint.py", "sitecustomize.py"):
        write(tmp_path / name, "open('ran', 'w').close()\n")
    path = write(tmp_path / "draw.py", REUSE)
    monkeypatch.chdir(tmp_path)
    command = str(Path(sys.executable).parent / "jaxlint")
    monkeypatch.setattr("tests.interface.editor.COMMAND", [command, "server"])
    with Editor(tmp_path) as editor:
        editor.open(path)
        editor.expect(path, "JAX201")
    assert not (tmp_path / "ran").exists()


def test_without_its_extra_the_command_says_what_to_install(tmp_path: Path) -> None:
    hidden = "import importlib.util as u, sys; u.find_spec = lambda name: None; from jaxlint.cli.main import main; "
    ran = subprocess.run(
        [sys.executable, "-c", hidden + "sys.exit(main(['server']))"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 2
    assert ran.stderr == (
        "error: the language server needs pygls and lsprotocol: install jaxlint with its extra `server`, "
        "as in `pip install 'jax-linter[server]'`\n"
    )
