"""A cluster on one machine: PostgreSQL, replicas of Menagerie and HAProxy, each on the cores that it is given."""

import http.client
import os
import pathlib
import shutil
import signal
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
    """What a process, with its threads, has used of the processor."""
    fields = pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


class PostgreSQL:
    """A server of its own on a socket (no port); its commits are flushed as usual."""

    def __init__(self, cores, settings=()):
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
        self.program("initdb", "-D", f"{self.folder}/data", "-A", "trust", "-U", "menagerie", "-E", "UTF8", "--no-sync")
        self.start()
        self.program("createdb", "-h", self.folder, "-U", "menagerie", "menagerie")
        self.url = f"postgresql://menagerie@/menagerie?host={self.folder}"

    def program(self, name, *arguments):
        command = ["taskset", "-c", self.cores, *self.user, self.programs / name, *arguments]
        subprocess.run(command, check=True, cwd="/", stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)

    def start(self):
        self.program(
            "pg_ctl", "-D", f"{self.folder}/data", "-w", "-s", "-l", f"{self.folder}/log", "-o", self.options, "start"
        )

    def stop(self, mode="fast"):
        self.program("pg_ctl", "-D", f"{self.folder}/data", "-w", "-s", "-m", mode, "stop")

    def sql(self, text):
        """The rows of a statement as psql prints them, columns apart by |."""
        command = [self.programs / "psql", "-h", self.folder, "-U", "menagerie", "-XqAt", "-v", "ON_ERROR_STOP=1"]
        result = subprocess.run([*command, "-c", text, "menagerie"], check=True, capture_output=True, text=True)
        return result.stdout.strip()

    def latency(self, text, times):
        """Milliseconds of a statement on average, by pgbench."""
        script = self.folder / "statement.sql"
        script.write_text(text + ";\n")
        script.chmod(0o644)
        command = [self.programs / "pgbench", "-h", self.folder, "-U", "menagerie", "-n", "-M", "prepared"]
        said = subprocess.check_output([*command, "-t", str(times), "-f", script, "menagerie"], text=True)
        return float(said.split("latency average = ")[1].split()[0])

    def close(self):
        try:
            self.stop("immediate")
        except subprocess.CalledProcessError:
            pass
        shutil.rmtree(self.folder, ignore_errors=True)


class Replica:
    def __init__(self, name, port, cores, database, folder, binary, settings=()):
        self.name, self.port, self.cores = name, port, cores
        self.log = folder / f"{name}.log"
        count = len(subprocess.check_output(["taskset", "-c", cores, "nproc"], text=True).split(",")[0])
        self.command = ["taskset", "-c", cores, binary, "serve", "--port", str(port)]
        self.command += ["--data-dir", folder / name, "--set", "history.backend=postgresql"]
        values = [f"history.postgresql_url={database.url}", f"recognition.inference_threads={count}"]
        for setting in values + ["recognition.decode_threads=1", "log.level=notice", *settings]:
            self.command += ["--set", setting]
        self.process = None

    def start(self):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(self.command, cwd=ROOT, stdout=log, stderr=log)
        return self

    def ready(self):
        try:
            wait(self.name, lambda: self.process.poll() is None and answers(self.port))
        except TimeoutError:
            raise SystemExit(f"{self.name} does not start:\n{self.log.read_text()[-2000:]}") from None
        return self

    def stop(self, number=signal.SIGTERM):
        """Ends it, and answers how many seconds that took."""
        start = time.monotonic()
        self.process.send_signal(number)
        self.process.wait(60)
        return time.monotonic() - start

    def close(self):
        if self.process and self.process.poll() is None:
            self.stop(signal.SIGKILL)


class Balancer:
    def __init__(self, port, cores, replicas, folder):
        self.port = port
        text = (pathlib.Path(__file__).parent / "haproxy.cfg").read_text().replace("PORT", str(port))
        servers = [f"    server {replica.name} 127.0.0.1:{replica.port}" for replica in replicas]
        configuration = folder / "haproxy.cfg"
        configuration.write_text(text.rstrip() + "\n" + "\n".join(servers) + "\n")
        with open(folder / "haproxy.log", "ab") as log:
            command = ["taskset", "-c", cores, "haproxy", "-db", "-f", configuration]
            self.process = subprocess.Popen(command, stdout=log, stderr=log)
        wait("the balancer", lambda: answers(port))

    def close(self):
        self.process.kill()
        self.process.wait()


class Cluster:
    """`with Cluster(…) as cluster`: everything runs, and is gone afterwards.

    cores: of each replica, one after the other, such as ["0", "1"]; the others share the rest."""

    def __init__(self, cores, binary, balanced=True, others="2,3", port=8190, settings=(), database_settings=()):
        self.arguments = (cores, binary, balanced, others, port, settings, database_settings)

    def __enter__(self):
        cores, binary, balanced, others, port, settings, database_settings = self.arguments
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="scale-replicas-"))
        self.database, self.replicas, self.balancer = None, [], None
        try:
            self.database = PostgreSQL(others, database_settings)
            for number, core in enumerate(cores, 1):
                replica = Replica(
                    f"replica{number}", port + number, core, self.database, self.folder, binary, settings
                )
                self.replicas.append(replica.start())
            for replica in self.replicas:
                replica.ready()
            if balanced:
                self.balancer = Balancer(port, others, self.replicas, self.folder)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for part in [self.balancer, *self.replicas, self.database]:
            if part:
                part.close()
        shutil.rmtree(self.folder, ignore_errors=True)
