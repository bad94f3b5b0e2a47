"""A cluster on one machine: PostgreSQL, replicas of Menagerie and HAProxy, each on its own cores."""

import http.client
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
TICKS = os.sysconf("SC_CLK_TCK")


def wait(what, condition, seconds=120):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(what)
        time.sleep(0.02)


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def answers(port, path="/readyz"):
    try:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=2)
        connection.request("GET", path)
        return connection.getresponse().status == 200
    except OSError:
        return False
    finally:
        connection.close()


def processor_seconds(process):
    """The processor time of a process with its threads."""
    fields = pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


class PostgreSQL:
    """A PostgreSQL server on a socket (no port). It flushes commits as usual."""

    def __init__(self, cores, settings=(), megabytes=None):
        """megabytes: the size of a separate disk in memory, which needs root. None: the database uses the usual
        disk."""
        self.prepare(cores, settings)
        if megabytes:
            mount = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m,mode=700,uid=postgres", "menagerie", self.folder]
            subprocess.run(mount, check=True)
        self.program("initdb", "-D", f"{self.folder}/data", "-A", "trust", "-U", "menagerie", "-E", "UTF8", "--no-sync")
        self.start()
        self.program("createdb", "-h", self.folder, "-U", "menagerie", "menagerie")
        self.url = f"postgresql://menagerie@/menagerie?host={self.folder}"

    def prepare(self, cores, settings):
        programs = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/initdb"))
        if not programs:
            raise SystemExit("install PostgreSQL: Scripts/setup postgresql")
        self.programs = programs[-1].parent
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="scale-", dir="/tmp"))
        self.user = []
        if os.geteuid() == 0:
            shutil.chown(self.folder, "postgres")
            self.user = ["runuser", "-u", "postgres", "--"]
        self.cores = cores
        self.options = " ".join(
            [f"-k {self.folder}", "-c listen_addresses="] + [f"-c {setting}" for setting in settings]
        )

    def program(self, name, *arguments):
        command = ["taskset", "-c", self.cores, *self.user, self.programs / name, *arguments]
        subprocess.run(command, check=True, cwd="/", stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)

    def start(self):
        self.program(
            "pg_ctl", "-D", f"{self.folder}/data", "-w", "-s", "-l", f"{self.folder}/log", "-o", self.options, "start"
        )

    def stop(self, mode="fast"):
        self.program("pg_ctl", "-D", f"{self.folder}/data", "-w", "-s", "-m", mode, "stop")

    def runs(self):
        """Whether it accepts connections."""
        command = [self.programs / "pg_isready", "-q", "-h", self.folder]
        return subprocess.run(command).returncode == 0

    def sql(self, text):
        """The rows of a statement as psql prints them, with columns separated by |."""
        command = [self.programs / "psql", "-h", self.folder, "-U", "menagerie", "-XqAt", "-v", "ON_ERROR_STOP=1"]
        result = subprocess.run([*command, "-c", text, "menagerie"], capture_output=True, text=True)
        if result.returncode:
            raise SystemExit(f"{text}\n{result.stderr}")
        return result.stdout.strip()

    def close(self):
        try:
            self.stop("immediate")
        except subprocess.CalledProcessError:
            pass
        if os.path.ismount(self.folder):
            subprocess.run(["umount", self.folder], check=True)
        shutil.rmtree(self.folder, ignore_errors=True)


class Standby(PostgreSQL):
    """A standby server. It has every commit of the other server before that acknowledges it, and can replace it."""

    def __init__(self, primary):
        self.prepare(primary.cores, [])
        self.program(
            "pg_basebackup", "-h", primary.folder, "-U", "menagerie", "-D", f"{self.folder}/data", "-R", "-c", "fast"
        )
        self.start()
        primary.sql("ALTER SYSTEM SET synchronous_standby_names = '*'")
        primary.sql("SELECT pg_reload_conf()")
        wait("the standby", lambda: primary.sql("SELECT sync_state FROM pg_stat_replication") == "sync")
        self.url = f"postgresql://menagerie@/menagerie?host={primary.folder},{self.folder}&target_session_attrs=read-write"

    def promote(self):
        self.program("pg_ctl", "-D", f"{self.folder}/data", "-w", "-s", "promote")


class Replica:
    def __init__(self, name, port, cores, url, folder, binary):
        self.name, self.port, self.cores = name, port, cores
        self.log = folder / f"{name}.log"
        count = subprocess.check_output(["taskset", "-c", cores, "nproc"], text=True).strip()
        self.command = ["taskset", "-c", cores, binary, "serve", "--port", str(port)]
        self.data = folder / name
        self.command += ["--data-dir", self.data]
        # Without a database it uses SQLite in its folder.
        if url:
            self.command += ["--set", "history.backend=postgresql", "--set", f"history.postgresql_url={url}"]
        # As in the compose file, the balancer must notice that a replica stops.
        for setting in [
            f"recognition.threads={count}",
            "http.drain_delay_s=3",
            "log.level=notice",
        ]:
            self.command += ["--set", setting]
        self.process = None

    def start(self):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(self.command, cwd=ROOT, stdout=log, stderr=log)
        return self

    def ready(self):
        try:
            wait(self.name, lambda: self.process.poll() is not None or answers(self.port))
        except TimeoutError:
            pass
        if self.process.poll() is not None or not answers(self.port):
            raise SystemExit(f"{self.name} does not start:\n{self.log.read_text()[-2000:]}")
        return self

    def stop(self, number=signal.SIGTERM):
        """Stops it. Returns the seconds that this took."""
        start = time.monotonic()
        self.process.send_signal(number)
        self.process.wait(60)
        return time.monotonic() - start

    def close(self):
        if self.process and self.process.poll() is None:
            self.stop(signal.SIGKILL)


class Balancer:
    """HAProxy with the compose project's file, with addresses of this machine and without TLS."""

    def __init__(self, port, cores, replicas, folder):
        self.port = port
        lines = (ROOT / "Deploy/replicas/haproxy.cfg").read_text().splitlines()
        left_out = ("bind :80", "http-request redirect scheme https", "server ")
        lines = [line for line in lines if not line.strip().startswith(left_out)]
        lines = [f"    bind 127.0.0.1:{port}" if "bind :443" in line else line for line in lines]
        # The backend is the last section.
        lines += [f"    server {replica.name} 127.0.0.1:{replica.port}" for replica in replicas]
        configuration = folder / "haproxy.cfg"
        configuration.write_text("\n".join(lines) + "\n")
        with open(folder / "haproxy.log", "ab") as log:
            command = ["taskset", "-c", cores, "haproxy", "-db", "-f", configuration]
            environment = os.environ | {"HAPROXY_SOCKET": str(folder / "haproxy.sock")}
            self.process = subprocess.Popen(command, stdout=log, stderr=log, env=environment)
        wait("the balancer", lambda: answers(port))

    def close(self):
        self.process.kill()
        self.process.wait()


class Cluster:
    """Runs everything during `with Cluster(…) as cluster`.

    cores: the cores of each replica, such as ["0", "1"]. The other programs share the rest."""

    def __init__(self, cores, binary, balanced=True, others="2,3", database_settings=(), has_standby=False, megabytes=None):
        self.cores, self.binary, self.balanced, self.others = cores, binary, balanced, others
        self.database_settings, self.has_standby, self.megabytes = database_settings, has_standby, megabytes

    def __enter__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="scale-replicas-"))
        self.database, self.standby, self.replicas, self.balancer = None, None, [], None
        try:
            self.database = PostgreSQL(self.others, self.database_settings, self.megabytes)
            if self.has_standby:
                self.standby = Standby(self.database)
            url = (self.standby or self.database).url
            for number, core in enumerate(self.cores, 1):
                replica = Replica(f"replica{number}", free_port(), core, url, self.folder, self.binary)
                self.replicas.append(replica.start())
            for replica in self.replicas:
                replica.ready()
            if self.balanced:
                self.balancer = Balancer(free_port(), self.others, self.replicas, self.folder)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for part in [self.balancer, *self.replicas, self.standby, self.database]:
            if part:
                part.close()
        shutil.rmtree(self.folder, ignore_errors=True)
