# SPDX-License-Identifier: Apache-2.0
"""A peer as a process, measured from outside: CPU by the kernel's clock, memory from /proc."""
import os
import pathlib
import subprocess
import threading
import time

TICK = os.sysconf("SC_CLK_TCK")
PATIENCE_SECONDS = 900


def cpu_seconds(pid):
    """From schedstat where there is one, to the nanosecond and over all threads, else in ticks."""
    process = pathlib.Path(f"/proc/{pid}")
    fields = (process / "stat").read_text().rpartition(")")[2].split()
    ticks = (int(fields[11]) + int(fields[12])) / TICK
    try:
        exact = sum(int((task / "schedstat").read_text().split()[0]) for task in (process / "task").iterdir()) / 1e9
    except FileNotFoundError:
        return ticks
    return max(exact, ticks)  # threads that ended are only in the ticks


class Peer:
    def __init__(self, name, program, kubeconfig, *options):
        self.name = name
        self.began = time.monotonic()
        environment = {**os.environ, "KUBECONFIG": str(kubeconfig)}
        self.process = subprocess.Popen([program, *options], env=environment, text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.said = {}  # line → seconds after the start
        self.heard = threading.Condition()
        threading.Thread(target=self.listen, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def listen(self):
        for line in self.process.stdout:
            with self.heard:
                self.said[line.strip()] = time.monotonic() - self.began
                self.heard.notify_all()
        with self.heard:
            self.heard.notify_all()

    def wait_for(self, line):
        with self.heard:
            arrived = self.heard.wait_for(lambda: line in self.said or self.process.poll() is not None,
                                          PATIENCE_SECONDS)
        if line not in self.said:
            raise RuntimeError(f"{self.name} {'ended' if arrived else 'did not get to'} {line}")
        return self.said[line]

    def status(self, field):
        """A line of /proc/PID/status in bytes."""
        for line in pathlib.Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith(field + ":"):
                return int(line.split()[1]) * 1024
        raise RuntimeError(f"/proc says nothing about {field}")

    def cpu_seconds(self):
        return cpu_seconds(self.process.pid)

    def rss(self):
        return self.status("VmRSS")

    def peak(self):
        return self.status("VmHWM")

    def forget_peak(self):
        pathlib.Path(f"/proc/{self.process.pid}/clear_refs").write_text("5")
