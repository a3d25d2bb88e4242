# SPDX-License-Identifier: Apache-2.0
"""The completions of a line, from each shell itself with its completion script, and from the command alone."""
import os
import pathlib
import pty
import shlex
import shutil
import signal
import subprocess
import time

SCRIPTS = pathlib.Path(os.environ["UNIHIST"]).parent / "completion"


def candidates(*words):
    """The part of the word that stays, and the command's candidates to follow it, without descriptions."""
    result = subprocess.run([os.environ["UNIHIST"], "--complete", *words], capture_output=True, check=True)
    assert result.stderr == b"", result.stderr
    stays, *lines = [row.split("\t")[0] for row in result.stdout.decode().split("\n")[:-1]] or [""]
    return stays, lines


def command(line, cwd, _):
    """The completions that a shell should make of the answer."""
    words = line.split(" ")[1:]
    stays, lines = candidates(*words)
    assert words[-1].startswith(stays), (line, stays)
    files = [path.name for row in lines if row[0] == "*" for path in cwd.iterdir()
             if path.is_dir() or path.match(row)]
    return {stays + name for name in lines + files if name[0] != "*" and (stays + name).startswith(words[-1])}


def bash(line, cwd, _):
    """Completes as `complete -F` does, from the line and the place in it."""
    script = 'source "%s"; COMP_LINE=$1; COMP_POINT=${#1}; _unihist; printf "%%s\\n" "${COMPREPLY[@]}"'
    result = subprocess.run(["bash", "-c", script % (SCRIPTS / "unihist.bash"), "bash", line], capture_output=True,
                            cwd=cwd, check=True)
    assert result.stderr == b"", result.stderr
    return set(result.stdout.decode().split())


def fish(line, cwd, scratch):
    script = "source %s; complete -C %s" % (shlex.quote(str(SCRIPTS / "unihist.fish")), shlex.quote(line))
    result = subprocess.run(["fish", "--no-config", "-c", script], capture_output=True, cwd=cwd, check=True,
                            env={**os.environ, "HOME": str(scratch)})
    assert result.stderr == b"", result.stderr
    return {row.split("\t")[0] for row in result.stdout.decode().splitlines()}


# Every match goes through compadd, which tells them to a file here.
ZSH = r"""
fpath=(%(scratch)s $fpath); autoload -Uz compinit; compinit -D -u; compdef _unihist unihist
compadd() {
    if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then builtin compadd "$@"; return; fi
    local -a hits; builtin compadd -O hits "$@"; (($#hits)) && print -rl -- $hits >>%(scratch)s/hits
    builtin compadd "$@"
}
comppostfuncs=(finished); finished() { : >%(scratch)s/end }
: >%(scratch)s/ready
"""


def zsh(line, cwd, scratch):
    """Types the line and a tabulator into an interactive shell, which completes only there."""
    for name in ("hits", "end", "ready"):
        (scratch / name).unlink(missing_ok=True)
    shutil.copy(SCRIPTS / "unihist.zsh", scratch / "_unihist")
    (scratch / "setup").write_text(ZSH % {"scratch": scratch})
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(cwd)
        os.execvp("zsh", ["zsh", "-f", "-i"])
    os.set_blocking(terminal, False)
    shown = b""
    try:
        for text, sign in (("source %s/setup\n" % scratch, "ready"), (line + "\t", "end")):
            os.write(terminal, text.encode())
            deadline = time.monotonic() + 120
            while not (scratch / sign).exists() and time.monotonic() < deadline:
                time.sleep(0.01)
                try:
                    shown += os.read(terminal, 65536)
                except BlockingIOError:
                    pass
            assert (scratch / sign).exists(), shown
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(terminal)
    assert b"_unihist:" not in shown, shown
    return set((scratch / "hits").read_text().split("\n")[:-1]) if (scratch / "hits").exists() else set()


SHELLS = {"command": command,
          **{name: offer for name, offer in (("bash", bash), ("fish", fish), ("zsh", zsh)) if shutil.which(name)}}
