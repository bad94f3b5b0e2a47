"""A service, cameras and a broker for the measurements in this folder."""

import http.client
import json
import os
import pathlib
import socket
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SAMPLES = ROOT / "Public/samples"
TICK = os.sysconf("SC_CLK_TCK")


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def eventually(what: str, condition, seconds: float = 120, pause: float = 0.05):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if found := condition():
            return found
        time.sleep(pause)
    raise SystemExit(f"never happened: {what}")


def ffmpeg(*words) -> None:
    subprocess.run(["ffmpeg", "-nostdin", "-loglevel", "error", "-y", *map(str, words)], check=True)


def render(path: pathlib.Path, photo: pathlib.Path, seconds: int, when: str, *, size="1920x1080", rate=15) -> None:
    """Renders a yard in which a photo's animal walks to and fro while `when`, an FFmpeg expression of t, is true."""
    yard = f"color=c=0x6a7a5a:s={size}:r={rate}:d={seconds},noise=alls=2:allf=t"
    walk = f"overlay=x='W*0.3+W*0.2*sin(t*0.7)':y=H*0.15:enable='{when}':shortest=1"
    ffmpeg("-f", "lavfi", "-i", yard, "-loop", "1", "-t", seconds, "-i", photo, "-filter_complex",
           f"[1:v]scale=-2:{int(size.split('x')[1]) * 7 // 10},fps={rate}[animal];[0:v][animal]{walk}", "-pix_fmt", "yuv420p",
           "-c:v", "libx264", "-preset", "veryfast", "-crf", "28", "-g", rate * 2, path)  # fmt: skip


def stream(film: pathlib.Path, url: str, *form: str) -> subprocess.Popen:
    """Serves a film repeatedly at its own speed to one client at the address."""
    return subprocess.Popen(
        ["ffmpeg", "-nostdin", "-loglevel", "error", "-re", "-stream_loop", "-1", "-i", str(film),
         *(form or ["-c", "copy", "-f", "mpegts"]), "-listen", "1", url])  # fmt: skip


class Broker:
    """mosquitto, which keeps sessions over its restarts, and a client that receives every event."""

    def __init__(self, folder: pathlib.Path):
        self.port, self.folder = free_port(), folder
        (folder / "broker").mkdir()
        self.conf = folder / "mosquitto.conf"
        self.conf.write_text(
            f"listener {self.port} 127.0.0.1\nallow_anonymous true\nuser root\npersistence true\n"
            f"persistence_location {folder}/broker/\nmax_queued_messages 0\n")
        self.start()
        self.heard = folder / "heard"
        with self.heard.open("wb") as output:
            self.listener = subprocess.Popen(
                ["mosquitto_sub", "-p", str(self.port), "-i", "listener", "-c", "-q", "1", "-t", "menagerie/+/events",
                 "-F", "%U %p"], stdout=output, stderr=subprocess.DEVNULL)  # fmt: skip

    def start(self):
        self.process = subprocess.Popen(["mosquitto", "-c", str(self.conf)], stderr=subprocess.DEVNULL)
        eventually("mosquitto listens", lambda: socket.socket().connect_ex(("127.0.0.1", self.port)) == 0)

    def stop(self):
        self.process.terminate()
        self.process.wait()

    def events(self) -> list[tuple[float, dict]]:
        """The time at which the listener received each event, in seconds since 1970."""
        lines = self.heard.read_text().splitlines()
        return [(float(line.split(" ", 1)[0]), json.loads(line.split(" ", 1)[1])) for line in lines]

    def kill(self):
        for process in [self.listener, self.process]:
            process.kill()
            process.wait()


class Service:
    def __init__(self, binary: pathlib.Path, folder: pathlib.Path, **settings):
        self.log = folder / "log"
        settings = {"security__open": "true", "cameras__enabled": "true", **settings}
        flags = [word for name, value in settings.items() for word in ("--set", f"{name.replace('__', '.')}={value}")]
        with self.log.open("wb") as output:
            self.process = subprocess.Popen(
                [binary, "serve", "--port", "0", "--data-dir", folder / "data", *flags], stdout=output, stderr=output)
        self.pid = self.process.pid
        self.port = eventually("the service listens", self.listening)
        # The models are loaded before anything is measured.
        for _ in range(3):
            self.ask("POST", "/detect?save=false", (SAMPLES / "cat.png").read_bytes())

    def listening(self):
        assert self.process.poll() is None, self.log.read_text()
        lines = [line for line in self.log.read_text().splitlines() if "Listening " in line]
        return lines and int(lines[0].split("address=")[1].split()[0].rsplit(":", 1)[1])

    def ask(self, method: str, path: str, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        is_photo = isinstance(body, bytes)
        headers = {"Content-Type": "image/png"} if is_photo else {}
        connection.request(method, path, body if is_photo or body is None else json.dumps(body), headers)
        return json.loads(connection.getresponse().read() or b"null")

    def cameras(self) -> dict[str, dict]:
        return {camera["id"]: camera for camera in self.ask("GET", "/cameras")["items"]}

    def helpers(self) -> list[int]:
        parents = {}
        for entry in os.listdir("/proc"):
            if entry.isdigit():
                try:
                    text = pathlib.Path(f"/proc/{entry}/stat").read_text()
                    parents[int(entry)] = int(text.rsplit(")", 1)[1].split()[1])
                except OSError:
                    pass
        family, grown = {self.pid}, True
        while grown:
            more = {child for child, parent in parents.items() if parent in family} - family
            family |= more
            grown = bool(more)
        return sorted(family - {self.pid})

    def kill(self):
        self.process.kill()
        self.process.wait()


def seconds(process: int) -> float:
    """The processor time of a process so far, in seconds."""
    fields = pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def private(process: int) -> float:
    """The private memory of a process in MiB."""
    lines = pathlib.Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith("Private_")) / 1024


def descriptors(process: int) -> int:
    return len(os.listdir(f"/proc/{process}/fd"))


def folder(name: str) -> pathlib.Path:
    return pathlib.Path(tempfile.mkdtemp(prefix=f"menagerie-{name}-"))


def load() -> str:
    return f"load of the machine {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
