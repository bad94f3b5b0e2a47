"""The service as the tests of the document want it: with a key, without limits, and ready for many."""

import subprocess
import tempfile
from pathlib import Path

from server import Server, binary, environment


class Service:
    def __init__(self, **settings: str):
        self._folder = tempfile.TemporaryDirectory()
        file = Path(self._folder.name) / "keys.json"
        made = subprocess.run(
            [binary(), "keys", "add", "tests", "--role", "admin", "--set", f"security.keys={file}"],
            env=environment(), capture_output=True, text=True, check=True, timeout=60)
        #: Of an administrator.
        self.key = made.stdout.strip()
        self._server = Server(
            security_keys=str(file), security_requests_per_minute="0", security_wrong_keys_per_minute="0",
            recognition_max_queue_size="1000", encyclopaedia_own_scans="true", **settings)
        self.url = self._server.url

    def stop(self):
        self._server.stop()
        self._folder.cleanup()
