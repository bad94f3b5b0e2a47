"""Reads the built service's traces with OpenTelemetry's own classes: traces.py BINARY PHOTO.

Starts a collector for /v1/traces and the service with tracing, and checks every span.
"""

import atexit
import collections
import http.client
import http.server
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

TRACE = "0af7651916cd43dd8448eb211c80319c"
CALLER = "b7ad6b7169203331"


class Collector(http.server.BaseHTTPRequestHandler):
    requests, status = [], 200

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if Collector.status == 200:
            assert self.path == "/v1/traces", self.path
            assert self.headers["Content-Type"] == "application/x-protobuf", self.headers["Content-Type"]
            Collector.requests.append(ExportTraceServiceRequest.FromString(body))
        self.send_response(Collector.status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


def spans():
    return [
        span for request in Collector.requests for of_resource in request.resource_spans
        for scope in of_resource.scope_spans for span in scope.spans]


def attributes(span):
    return {pair.key: getattr(pair.value, pair.value.WhichOneof("value")) for pair in span.attributes}


class Service:
    def __init__(self, binary, folder, *settings):
        self.log = folder / "log"
        flags = [part for setting in settings for part in ("--set", setting)]
        root = pathlib.Path(__file__).resolve().parents[2]
        subprocess.run([root / "Tests/Drivers/share-compiled", binary, folder / "data"], check=True)
        self.process = subprocess.Popen(
            [binary, "serve", "--port", "0", "--data-dir", str(folder / "data"), "--set",
             f"recognition.models_directory={root / 'Models'}", *flags], stderr=self.log.open("w"))
        # The service ends even if a check fails.
        atexit.register(self.process.kill)
        self.port = int(wait(lambda: re.search(r"Listening .*address=[^ ]*:(\d+)", self.log.read_text()), "no port")[1])

    def request(self, method, target, body=None, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request(method, target, body, {name.replace("_", "-"): value for name, value in headers.items()})
        response = connection.getresponse()
        text = response.read().decode()
        connection.close()
        return response, text

    def stop(self):
        self.process.terminate()
        assert self.process.wait(60) == 0


def wait(condition, complaint, seconds=60):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if found := condition():
            return found
        time.sleep(0.05)
    sys.exit(complaint)


def timing(response):
    return ", ".join(response.headers.get_all("Server-Timing") or [])


def check(name, truth, told=""):
    if not truth:
        sys.exit(f"FAIL  {name} {told}")
    print(f"ok    {name}")


def main(binary, photo):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Collector)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    endpoint = f"tracing.otlp_endpoint=http://127.0.0.1:{server.server_port}/v1/traces"
    with tempfile.TemporaryDirectory() as work:
        folder = pathlib.Path(work)
        service = Service(binary, folder, endpoint, "tracing.service_name=zoo")
        photo = pathlib.Path(photo).read_bytes()
        traced = f"00-{TRACE}-{CALLER}-01"
        response, _ = service.request("POST", "/classify", photo, Content_Type="image/jpeg", traceparent=traced)
        check("the photo is answered", response.status == 200, response.status)
        own = re.search(r'traceparent;desc="00-([0-9a-f]{32})-([0-9a-f]{16})-01"', timing(response))
        check("the answer names the trace and its span", own and own[1] == TRACE, timing(response))
        found = wait(lambda: [span for span in spans() if span.trace_id.hex() == TRACE and span.name == "POST /classify"],
                     "no span came")
        (root,) = found
        check("the span is a server's, below the caller's", root.kind == 2 and root.parent_span_id.hex() == CALLER)
        check("it is the one that the answer names", root.span_id.hex() == own[2])
        facts = attributes(root)
        check("it says what was asked and answered", (
            facts["http.request.method"], facts["http.route"], facts["url.path"], facts["http.response.status_code"],
            facts["http.request.body.size"]) == ("POST", "/classify", "/classify", 200, len(photo)), facts)
        # A second network may run after the first, so a name can occur twice. The earliest span of each name is kept.
        below = sorted((span for span in spans() if span.parent_span_id == root.span_id),
                       key=lambda span: span.start_time_unix_nano, reverse=True)
        children = {span.name: span for span in below}
        wanted = {"receive", "wait in queue", "decode", "inference", "store"}
        check("it has a span for each stage", wanted <= set(children), set(children))
        check("of the same trace", all(span.trace_id == root.trace_id for span in children.values()))
        order = [children[name].start_time_unix_nano for name in
                 ("receive", "wait in queue", "decode", "inference", "store")]
        check("in their order", order == sorted(order), order)
        millisecond = 1_000_000
        check("within the request", all(
            root.start_time_unix_nano - millisecond <= span.start_time_unix_nano <= span.end_time_unix_nano
            <= root.end_time_unix_nano + millisecond for span in children.values()))
        check("the time of the request is that of the clock", abs(root.end_time_unix_nano / 1e9 - time.time()) < 60)
        check("inference names the model", attributes(children["inference"])["menagerie.model"] == "menagerie")
        (resource,) = {request.resource_spans[0].resource.SerializeToString() for request in Collector.requests}
        named = {pair.key: pair.value.string_value for pair in Collector.requests[0].resource_spans[0].resource.attributes}
        check("the resource is the service", resource and named["service.name"] == "zoo" and named["service.instance.id"])
        service.request("GET", "/breeds/siamese", traceparent=f"00-{'1' * 32}-{CALLER}-00")
        response, _ = service.request("GET", "/breeds/nothing")
        check("a trace begins where the caller has none", "traceparent" in timing(response))
        wait(lambda: [span for span in spans() if attributes(span).get("http.response.status_code") == 404], "no 404 came")
        check("what the caller does not record is not recorded", not [s for s in spans() if s.trace_id.hex() == "1" * 32])
        log = service.log.read_text()
        begun = re.search(r'traceparent;desc="00-([0-9a-f]{32})', timing(response))[1]
        wait(lambda: f"trace_id={begun}" in service.log.read_text(), f"the log does not name {begun}: {log}")
        print("ok    the log names the trace")

        Collector.status = 503
        before = len(spans())
        for _ in range(20):
            service.request("GET", "/livez")
        wait(lambda: "Spans cannot be sent" in service.log.read_text(), "nothing is said of the collector")
        check("requests are answered while the collector is away", service.request("GET", "/livez")[0].status == 200)
        Collector.status = 200
        service.request("GET", "/livez?last")
        service.stop()
        check("nothing is lost meanwhile, and the end sends what is left", len(spans()) == before + 22, len(spans()) - before)
        check("no span twice", max(collections.Counter(span.span_id for span in spans()).values()) == 1)

        service = Service(binary, folder, endpoint, "tracing.sample_ratio=0.25")
        before = len(spans())
        for _ in range(400):
            service.request("GET", "/livez")
        _, metrics = service.request("GET", "/metrics", traceparent=f"00-{'2' * 32}-{CALLER}-00")
        (folder / "metrics").write_text(metrics)
        service.stop()
        check("a quarter is a quarter", 60 <= len(spans()) - before <= 140, len(spans()) - before)
        root = pathlib.Path(__file__).resolve().parents[2]
        subprocess.run([sys.executable, root / "Tests/Drivers/check-alerts", folder / "metrics"], check=True)

        service = Service(binary, folder)
        before = len(Collector.requests)
        response, _ = service.request("GET", "/livez", traceparent=traced)
        service.stop()
        check("it is off by default", "traceparent" not in timing(response) and len(Collector.requests) == before)


if __name__ == "__main__":
    main(*sys.argv[1:])
