"""The service under attack: a running one, or a new one."""
import os
import pathlib
import re
import resource
import subprocess
import tempfile
import time
import urllib.parse
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[3]
#: The longest wait for the start, in seconds. A start takes much less.
START = 120
SHORT_TIMEOUTS = {
    "MENAGERIE_HTTP_HEADER_TIMEOUT_S": "2", "MENAGERIE_HTTP_BODY_TIMEOUT_S": "2", "MENAGERIE_HTTP_WRITE_TIMEOUT_S": "2",
    "MENAGERIE_HTTP_LINGER_TIMEOUT_S": "1", "MENAGERIE_LOG_LEVEL": "notice",
}


class Service:
    def __init__(self, url=None, binary=None, descriptors=None):
        self.url, self.binary, self.descriptors = url, None, descriptors
        self.process = None
        if not url:
            found = [ROOT / ".build" / name / "menagerie" for name in ("release", "debug")]
            self.binary = binary or next((path for path in found if path.exists()), found[0])

    def __enter__(self):
        if self.binary:
            self.folder = tempfile.TemporaryDirectory(prefix="menagerie-abuse-")
            self.start()
        parts = urllib.parse.urlsplit(self.url)
        self.address = (parts.hostname, parts.port or 80)
        self.pid = self.process.pid if self.process else owner(self.address[1])
        return self

    def __exit__(self, *_):
        if self.process:
            self.process.terminate()
            self.process.wait(60)
            self.folder.cleanup()

    def start(self):
        log = pathlib.Path(self.folder.name, "log")
        limit = self.descriptors or resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        with open(log, "wb") as output:
            self.process = subprocess.Popen(
                [self.binary, "serve", "--port", "0", "--data-dir", self.folder.name + "/data"], stderr=output,
                env={**os.environ, **SHORT_TIMEOUTS},
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit)))
        end = time.monotonic() + START
        while time.monotonic() < end and self.process.poll() is None:
            found = re.search(r"Listening .*url=(http\S+)/", log.read_text())
            if found:
                self.url = found[1]
                return
            time.sleep(0.1)
        raise RuntimeError("The service did not start: " + log.read_text())

    def memory(self):
        """The resident memory in MiB. None if the process is not accessible."""
        if not self.pid:
            return None
        with open(f"/proc/{self.pid}/status") as status:
            return next(int(line.split()[1]) // 1024 for line in status if line.startswith("VmRSS"))

    def settled_connections(self):
        """The open connections except the one that asks, once their number no longer falls."""
        count = before = None
        for _ in range(60):
            with urllib.request.urlopen(self.url + "/metrics", timeout=30) as answer:
                found = re.search(rb"^menagerie_http_connections ([0-9.]+)", answer.read(), re.MULTILINE)
            count = int(float(found[1])) - 1
            if count <= 2 or (before is not None and count > before):
                break
            before = count
            time.sleep(0.5)
        return count


def owner(port):
    """The process that listens on the port."""
    with open("/proc/net/tcp") as table:
        rows = [line.split() for line in table][1:]
    inodes = {f"socket:[{row[9]}]" for row in rows if row[3] == "0A" and int(row[1].split(":")[1], 16) == port}
    for folder in pathlib.Path("/proc").glob("[0-9]*/fd"):
        try:
            if any(os.readlink(link) in inodes for link in folder.iterdir()):
                return int(folder.parent.name)
        except OSError:
            continue
    return None
