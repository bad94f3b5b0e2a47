"""Stands between a client and the service, puts ids that exist in place of the document's, and notes every answer."""

import http.client
import threading
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

#: Of the connection between two, not of the message (RFC 9110 §7.6.1).
HOP_BY_HOP = {"connection", "keep-alive", "transfer-encoding", "content-length", "date", "server"}


@dataclass
class Exchange:
    method: str
    path: str
    status: int
    headers: dict[str, str]
    body: bytes


class Recorder:
    def __init__(self, url: str):
        #: What stands in the document → what is there.
        self.replacements: dict[str, str] = {}
        self.exchanges: list[Exchange] = []
        recorder, service = self, urlsplit(url)

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def forward(self):
                body = self._body()
                target = self.path
                for old, new in recorder.replacements.items():
                    target = target.replace(old, new)
                    body = body and body.replace(old.encode(), new.encode())
                connection = http.client.HTTPConnection(service.hostname, service.port, timeout=60)
                # The service compresses for those who ask; what is compared is the content.
                left_out = HOP_BY_HOP | {"accept-encoding"}
                headers = {name: value for name, value in self.headers.items() if name.lower() not in left_out}
                connection.request(self.command, target, body, headers)
                response = connection.getresponse()
                content = response.read()
                recorder.exchanges.append(
                    Exchange(self.command, urlsplit(target).path, response.status, dict(response.getheaders()), content))
                self.send_response(response.status)
                for name, value in response.getheaders():
                    if name.lower() not in HOP_BY_HOP:
                        self.send_header(name, value)
                if response.status not in (204, 304):
                    self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)
                connection.close()

            do_GET = do_PUT = do_POST = do_PATCH = do_DELETE = forward

            def _body(self) -> bytes | None:
                if self.headers.get("Transfer-Encoding") == "chunked":
                    content = b""
                    while size := int(self.rfile.readline().split(b";")[0], 16):
                        content += self.rfile.read(size)
                        self.rfile.readline()
                    self.rfile.readline()
                    return content
                length = self.headers.get("Content-Length")
                return self.rfile.read(int(length)) if length is not None else None

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()
