#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tutorial_test PAGE BUILD [--real]: runs every command of a page and compares what it says.

A ```console block holds commands behind "$ " (a command may go on for several lines, with a
backslash or a here document) and what they print. All commands of the page run in one shell, in a
scratch directory, with fixpoint, kubectl and the example's program on PATH. "…" stands for any
text; runs of blanks are alike, and so are ages, ledgers and the names of volumes. A command with no
output shown may print anything. Every line of a ```cpp block must be in the example's source, in
that order.

With --real, `fixpoint up` is a real Kubernetes API server instead (tools/real-cluster): the page
holds there too.
"""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
SECONDS_MAX = 60  # for one command
MARK = "---tutorial-mark---"

# Takes the place of fixpoint where the cluster is a real one: `up` starts it, the rest is handed on.
REAL_UP = """#!/bin/bash
[ "$1" = up ] || exec {fixpoint} "$@"
while [ $# -gt 0 ]; do [ "$1" = --kubeconfig ] && to=$2; shift; done
HOME={home} {root}/tools/real-cluster up {scratch}/real --controllers none --parent {parent} >{scratch}/real.log 2>&1
cp {scratch}/real/kubeconfig "$to"
exec sleep infinity
"""


def blocks(text, language):
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.M | re.S)


def commands(block):
    """(command, lines it prints) of a block."""
    found, heredoc = [], None
    for line in block.splitlines():
        if line.startswith("$ "):
            found.append([line[2:], []])
        elif heredoc or found[-1][0].endswith("\\"):
            found[-1][0] += "\n" + line.removeprefix("> ")
        else:
            found[-1][1].append(line)
            continue
        begins = re.search(r"<<'?(\w+)'?", found[-1][0].split("\n")[0])
        heredoc = begins and not found[-1][0].endswith("\n" + begins.group(1))
    return found


def loosened(line):
    """The line without what is different in every run: ages, ledgers, names with a uid."""
    line = re.sub(r"pvc-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "pvc-0", line)
    line = re.sub(r"(?<![\w.])(\d+[dhm])*\d+[smhd](?!\w)", "0s", line)
    return re.sub(r"(?<!\w)\d{7,9}(?!\w)", "1000000", line)


def alike(expected, said):
    expected, said = loosened(expected), loosened(said)
    pattern = r"\s+".join(
        ".*".join(re.escape(part) for part in word.split("…")) for word in expected.split())
    return re.fullmatch(r"\s*" + pattern + r"\s*", said) is not None


def matches(expected, said):
    return len(expected) == len(said) and all(map(alike, expected, said))


class Shell:
    def __init__(self, directory, environment):
        self.bash = subprocess.Popen(["bash"], cwd=directory, env=environment, text=True,
                                     stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                     stderr=subprocess.STDOUT, start_new_session=True)

    def run(self, command):
        """What the command prints and its exit status. Programs left running write to a file."""
        if command.rstrip().endswith("&"):
            command = command.rstrip()[:-1] + f">>background.log 2>&1 &"
        self.bash.stdin.write(f"{command}\necho {MARK}$?\n")
        self.bash.stdin.flush()
        signal.alarm(SECONDS_MAX)  # ends this test: nothing on the page takes that long
        lines = []
        for line in self.bash.stdout:
            if MARK in line:
                signal.alarm(0)
                before, _, status = line.partition(MARK)
                return lines + ([before] if before else []), int(status)
            lines.append(line.rstrip("\n"))
        raise SystemExit(f"the shell ended in: {command}")

    def end(self):
        # Whatever runs in the background belongs to the session of this shell.
        subprocess.run(["bash", "-c", f"kill -TERM -- -{self.bash.pid}"], check=False)
        try:
            self.bash.wait(10)
        except subprocess.TimeoutExpired:
            subprocess.run(["bash", "-c", f"kill -KILL -- -{self.bash.pid}"], check=False)


def find_kubectl():
    asked = os.environ.get("FIXPOINT_KUBECTL")
    where = subprocess.run([ROOT / "tools/kube", "--where"], capture_output=True, text=True)
    built = pathlib.Path(where.stdout.strip()) / "kubectl"
    return asked or (str(built) if built.exists() else shutil.which("kubectl"))


def check_source(page, source):
    at, wrong = 0, 0
    lines = source.read_text().splitlines()
    for block in blocks(page, "cpp"):
        for line in filter(None, map(str.rstrip, block.splitlines())):
            try:
                at = lines.index(line, at) + 1
            except ValueError:
                print(f"not in {source.name}, or not in this order: {line}")
                wrong += 1
    return wrong


def prepare(scratch, build, kubectl, real):
    programs = scratch / "bin"
    programs.mkdir()
    for name in ("fixpoint", "greeting-operator"):
        (programs / name).symlink_to(build / name)
    (programs / "kubectl").symlink_to(kubectl)
    if real:
        (programs / "fixpoint").unlink()
        (programs / "fixpoint").write_text(REAL_UP.format(
            fixpoint=build / "fixpoint", root=ROOT, scratch=scratch, parent=os.getpid(),
            home=os.environ["HOME"]))
        (programs / "fixpoint").chmod(0o755)
    home = scratch / "home"
    home.mkdir()
    environment = {**os.environ, "HOME": str(home), "PATH": f"{programs}:{os.environ['PATH']}"}
    environment.pop("KUBECONFIG", None)
    return home, environment


def run_page(page, shell):
    wrong = ran = 0
    for block in blocks(page, "console"):
        for command, expected in commands(block):
            said, status = shell.run(command)
            ran += 1
            good = matches(expected, said) if expected else status == 0
            if not good:
                wrong += 1
                print(f"$ {command}\nexit status {status}")
                print("\n".join(f"  expected: {line}" for line in expected))
                print("\n".join(f"  said:     {line}" for line in said))
    print(f"{ran} commands, {wrong} of them not as the page says")
    return wrong


def too_slow(*_):
    raise SystemExit(f"a command took more than {SECONDS_MAX} seconds")


def main():
    signal.signal(signal.SIGALRM, too_slow)
    page = (ROOT / sys.argv[1]).read_text()
    build = pathlib.Path(sys.argv[2]).resolve()
    wrong = check_source(page, ROOT / "examples/greeting/greeting.cc")
    kubectl = find_kubectl()
    if not kubectl:
        print("no kubectl: commands are not run")
        sys.exit(1 if wrong else 77)
    with tempfile.TemporaryDirectory() as directory:
        scratch = pathlib.Path(directory)
        home, environment = prepare(scratch, build, kubectl, "--real" in sys.argv)
        shell = Shell(home, environment)
        try:
            wrong += run_page(page, shell)
        finally:
            shell.end()
            if "--real" in sys.argv:
                subprocess.run([ROOT / "tools/real-cluster", "down", scratch / "real"], check=False)
        log = home / "background.log"
        if wrong and log.exists():
            print("--- what ran in the background said:\n" + log.read_text())
    sys.exit(1 if wrong else 0)


main()
