"""`jaxlint completion`: scripts that complete the command line, made from the parsers of the commands."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from jaxlint.cli.arguments import DESCRIBE, Described, Parser
from jaxlint.cli.main import COMMANDS, runner_of
from jaxlint.cli.streams import write
from jaxlint.config.catalogue import ALL, load_catalogue
from jaxlint.config.errors import UsageError, did_you_mean, one_of
from jaxlint.config.kinds import Choice
from jaxlint.config.settings import OPTIONS

RULES, FILES, FOLDERS, ANYTHING = "rules", "files", "folders", "anything"
"""What completes a value that is none of a few words."""

_BY_METAVAR = {"RULES": RULES, "RULE": RULES, "FOLDER": FOLDERS, "FILE": FILES, "PATH": FILES, "PATHS": FILES}
_INSTALL = """\
bash: eval "$(jaxlint completion bash)" in ~/.bashrc
zsh:  jaxlint completion zsh > a folder of $fpath, as _jaxlint
fish: jaxlint completion fish > ~/.config/fish/completions/jaxlint.fish
"""


@dataclass(frozen=True, slots=True)
class Word:
    """An option of a command. value: the words or the kind of its value; None when it takes none."""

    flags: tuple[str, ...]
    help: str
    value: tuple[str, ...] | str | None


@dataclass(frozen=True, slots=True)
class Command:
    """A command with its options, and what its arguments are."""

    name: str
    help: str
    options: tuple[Word, ...]
    arguments: tuple[str, ...] | str


def completion(arguments: list[str]) -> int:
    """Print the script for a shell."""
    parser = Parser(
        prog="jaxlint completion",
        description=f"Print a script that completes the command line.\n\n{_INSTALL}",
        usage="jaxlint completion SHELL",
    )
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("shell", metavar="SHELL", help="bash, zsh or fish")
    shell = parser.parse(arguments).shell
    script = SHELLS.get(shell)
    if script is None:
        raise UsageError(f"SHELL must be {one_of(SHELLS)}, not `{shell}`{did_you_mean(shell, SHELLS)}")
    catalogue = load_catalogue()
    prefixes = sorted({code[:4] for code in catalogue.by_code})
    rules = [ALL, *prefixes, *catalogue.by_code, *catalogue.by_name]
    write("".join(f"{line}\n" for line in script([_command(name) for name in COMMANDS], rules)))
    return 0


def _command(name: str) -> Command:
    try:
        runner_of(name)([DESCRIBE])
    except Described as described:
        parser = described.parser
    else:
        raise AssertionError(f"the command {name} has no parser")
    options, positional = [], []
    for action in parser._actions:
        if action.help == argparse.SUPPRESS:
            continue
        if action.option_strings:
            takes = action.nargs != 0
            text = re.sub(r"\s+", " ", (action.help or "") % {"default": action.default})
            options.append(Word(tuple(action.option_strings), text, _values(action) if takes else None))
        else:
            positional.append(_values(action))
    arguments = tuple(SHELLS) if name == "completion" else positional[0] if positional else ()
    return Command(name, COMMANDS[name], tuple(options), arguments)


def _values(action: argparse.Action) -> tuple[str, ...] | str:
    if action.const and isinstance(action.const, tuple):
        return action.const
    option = OPTIONS.get(action.dest)
    if option is not None and isinstance(option.kind, Choice):
        return option.kind.words
    metavar = action.metavar if isinstance(action.metavar, str) else ""
    return _BY_METAVAR.get(metavar.partition("|")[0], ANYTHING)


# ---- bash -----------------------------------------------------------------------------------------------------------


def _bash(commands: list[Command], rules: list[str]) -> Iterator[str]:
    yield "# completes jaxlint in bash"
    yield "_jaxlint() {"
    yield '    local cur="${COMP_WORDS[COMP_CWORD]}" prev="${COMP_WORDS[COMP_CWORD-1]}" command= word'
    yield "    COMPREPLY=()"
    yield '    if [[ $cur == "=" ]]; then cur=; elif [[ $prev == "=" ]]; then prev="${COMP_WORDS[COMP_CWORD-2]}"; fi'
    yield '    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do'
    yield f'        case "$word" in {"|".join(COMMANDS)}) command="$word"; break ;; esac'
    yield "    done"
    yield '    case "${command:-check} $prev" in'
    for pattern, value in _cases(commands):
        yield f"        {pattern}) {_bash_value(value)}; return ;;"
    yield "    esac"
    yield '    case "${command:-check} $cur" in'
    for command in commands:
        flags = " ".join(flag for word in command.options for flag in word.flags)
        yield f'        "{command.name} -"*) COMPREPLY=($(compgen -W \'{flags}\' -- "$cur")); return ;;'
    yield "    esac"
    yield "    if (( COMP_CWORD == 1 )); then"
    yield f"        COMPREPLY=($(compgen -W '{' '.join(COMMANDS)}' -- \"$cur\"))"
    yield "        return"
    yield "    fi"
    yield '    case "$command" in'
    for command in commands:
        if command.arguments not in (FILES, ()):
            yield f"        {command.name}) {_bash_value(command.arguments)} ;;"
    yield "    esac"
    yield "}"
    yield "_jaxlint_rules() {"
    yield '    local before=; [[ $1 == *,* ]] && before="${1%,*},"'
    yield f'    COMPREPLY=($(compgen -P "$before" -W \'{" ".join(rules)}\' -- "${{1##*,}}"))'
    yield "}"
    yield "complete -o default -o bashdefault -F _jaxlint jaxlint"


def _cases(commands: list[Command]) -> Iterator[tuple[str, tuple[str, ...] | str]]:
    """Patterns of a command and an option, with the value of the option."""
    for command in commands:
        for word in command.options:
            if word.value is not None:
                yield "|".join(f'"{command.name} {flag}"' for flag in word.flags), word.value


def _bash_value(value: tuple[str, ...] | str) -> str:
    """What fills COMPREPLY; nothing leaves files to the shell."""
    if value == RULES:
        return '_jaxlint_rules "$cur"'
    if value == FOLDERS:
        return 'COMPREPLY=($(compgen -d -- "$cur"))'
    if isinstance(value, tuple) and value:
        return f"COMPREPLY=($(compgen -W '{' '.join(value)}' -- \"$cur\"))"
    return ":"


# ---- zsh ------------------------------------------------------------------------------------------------------------


def _zsh(commands: list[Command], rules: list[str]) -> Iterator[str]:
    yield "#compdef jaxlint"
    yield "# completes jaxlint in zsh"
    yield f'_jaxlint_rule() {{ compadd "$@" - {" ".join(rules)} }}'
    yield "_jaxlint_rules() { _sequence _jaxlint_rule }"
    yield "_jaxlint() {"
    yield "    local command=check"
    yield "    if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then"
    yield "        local -a commands"
    yield f"        commands=({' '.join(_zsh_quoted(f'{c.name}:{c.help}') for c in commands)})"
    yield "        _describe command commands"
    yield "        _files"
    yield "        return"
    yield "    fi"
    yield f"    case $words[2] in ({'|'.join(COMMANDS)}) command=$words[2]; shift words; (( CURRENT-- )) ;; esac"
    yield "    case $command in"
    for command in commands:
        specs = [spec for word in command.options for spec in _zsh_specs(word)]
        argument = "_jaxlint_rule" if command.arguments == RULES else _zsh_action(command.arguments)
        specs.append(_zsh_quoted(f"*:argument:{argument}"))
        yield f"        ({command.name}) _arguments -S {' '.join(specs)} ;;"
    yield "    esac"
    yield "}"
    yield 'if [[ $funcstack[1] == _jaxlint ]]; then _jaxlint "$@"; else compdef _jaxlint jaxlint; fi'


def _zsh_specs(word: Word) -> Iterator[str]:
    text = re.sub(r"([\[\]:\\])", r"\\\1", word.help)
    for flag in word.flags:
        if word.value is None:
            yield _zsh_quoted(f"*{flag}[{text}]")
        else:
            equal = "=" if flag.startswith("--") else ""
            yield _zsh_quoted(f"*{flag}{equal}[{text}]:value:{_zsh_action(word.value)}")


def _zsh_action(value: tuple[str, ...] | str) -> str:
    if isinstance(value, tuple):
        return f"({' '.join(value)})"
    return {RULES: "_jaxlint_rules", FOLDERS: "_files -/", ANYTHING: " "}.get(value, "_files")


def _zsh_quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


# ---- fish -----------------------------------------------------------------------------------------------------------


def _fish(commands: list[Command], rules: list[str]) -> Iterator[str]:
    yield "# completes jaxlint in fish"
    yield f"set -l commands {' '.join(COMMANDS)}"
    yield "function __jaxlint_rules"
    yield f"    __fish_append , {' '.join(rules)}"
    yield "end"
    for command in commands:
        first = "not __fish_seen_subcommand_from $commands; and __fish_is_nth_token 1"
        yield f'complete -c jaxlint -n "{first}" -a {command.name} -d {_fish_quoted(command.help)}'
    for command in commands:
        seen = f"__fish_seen_subcommand_from {command.name}"
        if command.name == "check":
            seen += "; or not __fish_seen_subcommand_from $commands"
        for word in command.options:
            names = " ".join(f"-l {flag[2:]}" if flag.startswith("--") else f"-s {flag[1:]}" for flag in word.flags)
            yield f'complete -c jaxlint -n "{seen}" {names} -d {_fish_quoted(word.help)}{_fish_value(word.value)}'
        if command.arguments not in (FILES, ANYTHING):
            given = _fish_value(command.arguments).replace(" -x", " -f")
            yield f'complete -c jaxlint -n "{seen}"{given}'


def _fish_value(value: tuple[str, ...] | str | None) -> str:
    if value is None:
        return ""
    if isinstance(value, tuple):
        return f" -x -a {_fish_quoted(' '.join(value))}"
    return {RULES: " -x -a '(__jaxlint_rules)'", FOLDERS: " -x -a '(__fish_complete_directories)'"}.get(value, " -r")


def _fish_quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


SHELLS: dict[str, Callable[[list[Command], list[str]], Iterator[str]]] = {"bash": _bash, "zsh": _zsh, "fish": _fish}
