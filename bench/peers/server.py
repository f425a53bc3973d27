# SPDX-License-Identifier: Apache-2.0
"""A real API server and its load: Widgets made in bulk, requests counted by the server itself."""
import concurrent.futures
import http.client
import json
import os
import pathlib
import re
import ssl
import subprocess
import sys
import threading
import time
import urllib.parse

from peer import cpu_seconds

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.dont_write_bytecode = True
NAMESPACE = "bench"
WIDGETS = f"/apis/bench.fixpoint.dev/v1/namespaces/{NAMESPACE}/widgets"
LOADERS = 16
WRITES = {"POST", "PUT", "PATCH", "APPLY", "DELETE", "DELETECOLLECTION"}


class Server:
    def __init__(self, directory, *options):
        self.directory = directory
        self.options = options
        self.connections = threading.local()

    def __enter__(self):
        self.tool("up", "--controllers", "none", "--parent", str(os.getpid()), *self.options)
        self.address = json.loads((self.directory / "cluster.json").read_text())["server"]
        self.token = (self.directory / "token").read_text().strip()
        return self

    def __exit__(self, *_):
        self.tool("down")

    def tool(self, command, *options):
        subprocess.run([ROOT / "tools/real-cluster", command, self.directory, *options], check=True,
                       stdout=subprocess.DEVNULL)

    @property
    def kubeconfig(self):
        return self.directory / "kubeconfig"

    def connection(self):
        if not hasattr(self.connections, "one"):
            trust = ssl.create_default_context(cafile=self.directory / "certs" / "apiserver.crt")
            host = urllib.parse.urlsplit(self.address)
            self.connections.one = http.client.HTTPSConnection(host.hostname, host.port, context=trust,
                                                               timeout=60)
        return self.connections.one

    def ask(self, method, path, body=None, content_type="application/json"):
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": content_type}
        connection = self.connection()
        for last in (False, True):  # the first connection may be one from before a restart
            try:
                connection.request(method, path, json.dumps(body) if body is not None else None, headers)
                answer = connection.getresponse()
                text = answer.read()
                break
            except (OSError, http.client.HTTPException):
                connection.close()
                if last:
                    raise
        if answer.status >= 400:
            raise RuntimeError(f"{method} {path}: {answer.status} {text[:300].decode(errors='replace')}")
        return text

    def in_parallel(self, work, items):
        with concurrent.futures.ThreadPoolExecutor(LOADERS) as pool:
            list(pool.map(work, items))

    def define_widget(self):
        subprocess.run([self.kubectl(), "--kubeconfig", self.kubeconfig, "apply", "--server-side", "-f",
                        ROOT / "bench/peers/widget.yaml"], check=True, stdout=subprocess.DEVNULL)
        self.ask("POST", "/api/v1/namespaces", {"metadata": {"name": NAMESPACE}})
        deadline = time.monotonic() + 30
        while True:  # a real server takes two seconds to serve a new kind
            try:
                return self.ask("GET", WIDGETS)
            except RuntimeError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.2)

    def kubectl(self):
        where = subprocess.run([ROOT / "tools/kube", "--where"], capture_output=True, text=True, check=True)
        return pathlib.Path(where.stdout.strip()) / "kubectl"

    def make_widgets(self, first, count, with_status=True):
        def make(i):
            name = f"widget-{i:05}"
            self.ask("POST", WIDGETS, widget(name))
            if with_status:
                self.set_status(name, "made")
        self.in_parallel(make, range(first, first + count))

    def set_status(self, name, note):
        self.ask("PATCH", f"{WIDGETS}/{name}/status", {"status": {"note": note}},
                 "application/merge-patch+json")

    def remove_all(self):
        for path in (WIDGETS, f"/api/v1/namespaces/{NAMESPACE}/configmaps"):
            while json.loads(self.ask("GET", f"{path}?limit=1"))["items"]:
                self.ask("DELETE", f"{path}?limit=500")  # a few seconds each: no request takes a minute

    def cpu_seconds(self):
        """Of the API server and etcd together."""
        state = json.loads((self.directory / "cluster.json").read_text())
        return sum(cpu_seconds(process["pid"]) for process in state["processes"].values())

    def wire_bytes(self):
        return len(self.ask("GET", WIDGETS))

    def metrics(self, name):
        """(labels, value) of each line of a metric."""
        for line in self.ask("GET", "/metrics").decode().splitlines():
            if line.startswith(name + "{"):
                yield dict(re.findall(r'(\w+)="([^"]*)"', line)), float(line.rsplit(" ", 1)[1])

    def watchers(self):
        """Of Widgets, now. A watch is counted as a request only when it ends."""
        return sum(value for labels, value in self.metrics("apiserver_longrunning_requests")
                   if (labels["verb"], labels["resource"]) == ("WATCH", "widgets"))

    def requests(self):
        """What the server has counted so far, (verb, resource, subresource, code) → requests, of those that
        peers make. Leases are left out: the server renews one of its own."""
        counted = {}
        for labels, value in self.metrics("apiserver_request_total"):
            if labels["resource"] in ("widgets", "configmaps", "events"):
                key = (labels["verb"], labels["resource"], labels["subresource"], labels["code"])
                counted[key] = counted.get(key, 0) + value
        return counted


class Own(Server):
    """Our server, on disk; everything else is asked of it as of a real one."""

    def __enter__(self):
        self.directory.mkdir()
        self.process = subprocess.Popen(
            [ROOT / "build/release/fixpoint", "up", "--listen", "127.0.0.1:0", "--data-dir", self.directory / "data",
             "--kubeconfig", self.kubeconfig], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        ready = self.process.stdout.readline().split()
        if not ready or ready[0] != "ready":
            raise RuntimeError(f"fixpoint up: {' '.join(ready)}")
        threading.Thread(target=self.process.stdout.read, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def ask(self, method, path, body=None, content_type="application/json"):
        command = [self.kubectl(), "--kubeconfig", self.kubeconfig]
        command += ["create", "--raw", path, "-f", "-"] if method == "POST" else ["get", "--raw", path]
        answer = subprocess.run(command, input=json.dumps(body), capture_output=True, text=True)
        if answer.returncode != 0:
            raise RuntimeError(f"{method} {path}: {answer.stderr.strip()}")
        return answer.stdout

    def cpu_seconds(self):
        return cpu_seconds(self.process.pid)


def widget(name):
    return {"apiVersion": "bench.fixpoint.dev/v1", "kind": "Widget",
            "metadata": {"name": name, "labels": {"app": "bench", "tier": "peer"}},
            "spec": {"text": "a line of text that says which widget this is: " + name, "size": 42,
                     "entries": {f"entry-{i}": "x" * 40 for i in range(8)}}}


def difference(after, before):
    return {key: count - before.get(key, 0) for key, count in after.items() if count != before.get(key, 0)}


def writes(counted):
    return int(sum(n for (verb, *_), n in counted.items() if verb in WRITES))


def conflicts(counted):
    return int(sum(n for (*_, code), n in counted.items() if code == "409"))
