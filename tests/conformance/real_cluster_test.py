# SPDX-License-Identifier: Apache-2.0
"""tools/real-cluster keeps its promises: clusters side by side do not meet, and nothing stays behind
however they end. Everything here runs the real programs that `make kube` built."""
import base64
import importlib.machinery
import importlib.util
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import ssl
import stat
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.request

TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools" / "real-cluster"
SECONDS = 180  # no step takes a tenth of it; a hanging one must fail, not hang


def start(directory, *options):
    return subprocess.Popen([TOOL, "up", directory, "--parent", str(os.getpid()), *options], text=True,
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def run(command, directory):
    return subprocess.run([TOOL, command, directory], capture_output=True, text=True, timeout=SECONDS)


def process_ids(directory):
    state = json.loads((directory / "cluster.json").read_text())
    return [state["supervisor"]["pid"], *(one["pid"] for one in state["processes"].values())]


def lives(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


class Client:
    """Knows only what is in the kubeconfig."""

    def __init__(self, kubeconfig):
        def field(name):
            return re.search(rf"{name}: (\S+)", kubeconfig.read_text())[1]

        self.server, self.token = field("server"), field("token")
        authority = base64.b64decode(field("certificate-authority-data")).decode()
        self.trust = ssl.create_default_context(cadata=authority)

    def ask(self, method, path, body=None):
        request = urllib.request.Request(
            self.server + path, method=method, data=json.dumps(body).encode() if body else None,
            headers={"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, context=self.trust, timeout=30) as answer:
                return answer.status
        except urllib.error.HTTPError as error:
            return error.code


class RealCluster(unittest.TestCase):
    def setUp(self):
        self.top = pathlib.Path(tempfile.mkdtemp(prefix="fixpoint-real-"))
        self.addCleanup(shutil.rmtree, self.top, ignore_errors=True)

    def up(self, name, *options):
        directory = self.top / name
        starting = start(directory, *options)
        out, err = starting.communicate(timeout=SECONDS)
        self.assertEqual(0, starting.returncode, err)
        self.addCleanup(run, "down", directory)
        return directory, out

    def wait_for(self, condition):
        deadline = time.monotonic() + SECONDS
        while not condition():
            self.assertLess(time.monotonic(), deadline, "waited in vain")
            time.sleep(0.05)

    def wait_gone(self, pids, directory=None):
        self.wait_for(lambda: not any(map(lives, pids)) and not (directory and directory.exists()))

    def test_two_at_once_serve_without_meeting_and_leave_nothing(self):
        directories = [self.top / "a", self.top / "b"]
        starting = [start(directory, "--controllers", controllers)
                    for directory, controllers in zip(directories, ("all", "none"))]
        for directory, one in zip(directories, starting):
            out, err = one.communicate(timeout=SECONDS)
            self.assertEqual(0, one.returncode, err)
            self.assertRegex(out, r"^ready https://127\.0\.0\.1:\d+ "
                             rf"kubeconfig={directory}/kubeconfig in \d+\.\d s\n$")
            for secret in ("kubeconfig", "token", "sa.key", "tokens.csv"):
                self.assertEqual(0o600, stat.S_IMODE((directory / secret).stat().st_mode), secret)
            self.assertEqual(0, run("status", directory).returncode)

        a, b = (Client(directory / "kubeconfig") for directory in directories)
        config_map = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "only-in-a"}}
        self.assertEqual(201, a.ask("POST", "/api/v1/namespaces/default/configmaps", config_map))
        self.assertEqual(200, a.ask("GET", "/api/v1/namespaces/default/configmaps/only-in-a"))
        self.assertEqual(404, b.ask("GET", "/api/v1/namespaces/default/configmaps/only-in-a"))
        self.assertNotEqual(a.token, b.token)
        b.token = a.token
        self.assertEqual(401, b.ask("GET", "/api"))

        pids = [process_ids(directory) for directory in directories]
        self.assertEqual([4, 3], [len(one) for one in pids])
        self.assertTrue(all(lives(pid) for one in pids for pid in one))
        self.assertEqual(0, run("down", directories[0]).returncode)
        self.assertFalse(any(map(lives, pids[0])))
        self.assertFalse(directories[0].exists())
        self.assertTrue(all(map(lives, pids[1])), "the other one was hit too")
        self.assertEqual(0, run("down", directories[1]).returncode)
        self.wait_gone(pids[1])
        self.assertEqual([], list(self.top.iterdir()))
        self.assertEqual(1, run("status", directories[0]).returncode)

    def test_files_that_are_not_its_own_stay(self):
        mine = self.top / "mine"
        mine.mkdir()
        (mine / "notes").write_text("keep")
        self.up("mine", "--controllers", "none")

        self.assertEqual(0, run("down", mine).returncode)

        self.assertEqual(["notes"], [path.name for path in mine.iterdir()])

    def test_it_ends_with_its_caller_even_a_killed_one(self):
        directory = self.top / "orphan"
        directory.mkdir()  # as a test does that asks for a temporary one
        caller = subprocess.Popen(
            [sys.executable, "-c", "import os, subprocess, sys, time\n"
             "subprocess.run([*sys.argv[1:], '--parent', str(os.getpid())], check=True)\n"
             "time.sleep(600)", TOOL, "up", directory, "--controllers", "none"],
            stdout=subprocess.PIPE, text=True)
        self.assertRegex(caller.stdout.readline(), "^ready ")
        pids = process_ids(directory)
        self.assertTrue(all(map(lives, pids)))

        caller.kill()
        caller.communicate()

        self.wait_gone(pids, directory)

    def test_no_process_outlives_a_killed_supervisor(self):
        directory, _ = self.up("headless", "--controllers", "none")
        pids = process_ids(directory)

        os.kill(pids[0], signal.SIGKILL)

        self.wait_gone(pids)
        self.assertRegex(run("status", directory).stdout, "^down: its supervisor was killed")
        self.assertEqual(0, run("down", directory).returncode)
        self.assertFalse(directory.exists())

    def test_a_process_that_dies_later_is_told(self):
        directory, _ = self.up("crash", "--controllers", "none")
        pids = process_ids(directory)

        os.kill(pids[2], signal.SIGKILL)

        self.wait_gone(pids[1:])
        self.wait_for(lambda: run("status", directory).stdout.startswith("down: "))
        self.assertRegex(run("status", directory).stdout, "^down: kube-apiserver ended with code -9")
        self.assertTrue((directory / "kube-apiserver.log").exists())
        self.assertEqual(0, run("down", directory).returncode)
        self.wait_gone(pids, directory)

    def test_down_never_hits_a_process_that_got_the_same_id(self):
        directory = self.top / "stale"
        directory.mkdir()
        other = subprocess.Popen(["sleep", "600"])
        self.addCleanup(other.communicate)
        self.addCleanup(other.kill)
        (directory / "cluster.json").write_text(json.dumps(
            {"supervisor": {"pid": other.pid, "started": 1}, "made_directory": True}))

        self.assertEqual(0, run("down", directory).returncode)

        self.assertIsNone(other.poll())
        self.assertFalse(directory.exists())

    def test_a_wanted_port_that_is_taken_is_an_error_that_says_so(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            starting = start(self.top / "c", "--port", str(taken.getsockname()[1]))
            _, err = starting.communicate(timeout=SECONDS)

        self.assertEqual(1, starting.returncode)
        self.assertRegex(err, r"kube-apiserver ended with code 1; the end of its log:\n"
                         r"(.*\n)*.*address already in use")
        self.assertEqual([], list(self.top.iterdir()))

    def test_losing_the_race_for_a_port_is_repeated_with_another(self):
        loader = importlib.machinery.SourceFileLoader("real_cluster", str(TOOL))
        tool = importlib.util.module_from_spec(importlib.util.spec_from_loader("real_cluster", loader))
        sys.dont_write_bytecode = True
        loader.exec_module(tool)
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            lost, free = taken.getsockname()[1], tool.free_port
            # First etcd loses its port, then the API server.
            ports = [free(), lost, lost, free()]
            tool.free_port = lambda: ports.pop(0) if ports else free()
            cluster = tool.Cluster({"directory": self.top, "programs": tool.programs(), "port": 0,
                                    "controllers": "none", "fsync": False})
            self.addCleanup(cluster.stop)
            cluster.prepare()

            cluster.up(lambda: True)

        self.assertEqual([], ports)
        self.assertNotEqual(lost, cluster.port)
        self.assertEqual(200, Client(self.top / "kubeconfig").ask("GET", "/readyz"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
