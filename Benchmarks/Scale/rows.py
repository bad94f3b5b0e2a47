"""Measures lists, searches, insertions and removal with many rows. The same requests go in turns to a small history and
to a larger one."""

import contextlib
import hashlib
import json
import pathlib
import sqlite3
import statistics
import tempfile
import threading
import time
import urllib.request

from cluster import ROOT, Cluster, Replica, free_port

FEW = 10_000
TIMES = 200
# The number of rows that one transaction generates.
STEP = 500_000
# The time of the oldest generated scan, and a time after all of them, in milliseconds.
OLDEST = 1_690_000_000_000
NEWEST = OLDEST + 10**11
SETTINGS = [
    "shared_buffers=1GB",
    "max_wal_size=4GB",
    "maintenance_work_mem=512MB",
    "shared_preload_libraries=pg_stat_statements",
]
ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
LABELS = ["siamese", "bengal", "sphynx", "boxer", "beagle", "pug", "korat", "birman"]

# One row in 500 has a note: nine tenths of these "limps", one tenth "unicorn". 20 of the first rows have "squirrel".
NOTE = f"""CASE WHEN number % 5000 = 0 THEN 'a unicorn' WHEN number % 500 = 0 THEN 'limps a little'
    WHEN number < {FEW} AND number % 500 = 1 THEN 'chases a squirrel' END"""

PAGES = {
    "page": "/history?limit=20",
    "page in the middle": "/history?limit=20&to=MIDDLE",
    "filter: label": "/history?limit=20&label=siamese",
    "filter: species": "/history?limit=20&species=dog",
    "filter: corrected": "/history?limit=20&corrected=true",
    "search: a word in 20 notes": "/history?limit=20&q=squirrel",
    "search: a word in a tenth of the notes": "/history?limit=20&q=unicorn",
    "search: a word in nine tenths of the notes": "/history?limit=20&q=limps",
    "search: two letters in 20 notes": "/history?limit=20&q=qu",
    "search: two letters in nine tenths of the notes": "/history?limit=20&q=li",
}


def get(port, path, data=None, content_type=None):
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", data=data)
    if content_type:
        request.add_header("Content-Type", content_type)
    with urllib.request.urlopen(request, timeout=600) as response:
        return response.read()


def identifier(milliseconds, number):
    """The ULID of a time and a number."""
    value = milliseconds << 80 | number
    return "".join(ALPHABET[value >> shift & 31] for shift in range(125, -1, -5))


def insertion(document, identifiers, digests, numbers):
    """The SQL that inserts rows like the document's, one second apart, with various labels, corrections and notes."""
    document = json.loads(document)
    text = json.dumps(document, separators=(",", ":")).replace("'", "''")
    label = " ".join(f"WHEN {index} THEN '{name}'" for index, name in enumerate(LABELS))
    return f"""
        INSERT INTO scans (id, created_at, species, label, abstained, corrected_label, note, note_folded, digest,
            photo_bytes, document)
        SELECT id, time, CASE number % 2 WHEN 0 THEN 'cat' ELSE 'dog' END, CASE number % {len(LABELS)} {label} END, 0,
            CASE number % 100 WHEN 0 THEN 'korat' END, note, note, digest, 0,
            replace(replace('{text}', '{document["id"]}', id), '{document["image"]["sha256"]}', digest)
        FROM (
            SELECT number, {OLDEST} + number * 1000 AS time, '01HF7YAT' || {identifiers} AS id, {digests} AS digest,
                {NOTE} AS note
            FROM {numbers}
        ) AS numbered
        """


# Computes the totals of all generated rows at once.
TOTALS = """
    INSERT INTO scan_totals SELECT species, label, CAST(corrected_label IS NOT NULL AS INTEGER), abstained,
        COUNT(*), SUM(photo_bytes) FROM scans WHERE deletion IS NULL GROUP BY 1, 2, 3, 4
    """

DELETION = """
    DELETE FROM scans WHERE sequence IN (SELECT sequence FROM scans WHERE deletion < '8' LIMIT 5)
    RETURNING photo_digest, thumbnail_digest
    """


class Shared:
    """A replica with its own PostgreSQL."""

    def __init__(self, cluster, count):
        self.cluster, self.database, self.count = cluster, cluster.database, count
        self.port = cluster.replicas[0].port

    @staticmethod
    @contextlib.contextmanager
    def filled(binary, count):
        with Cluster(["0"], binary, balanced=False, others="1-3", database_settings=SETTINGS) as cluster:
            side = Shared(cluster, count)
            side.fill()
            yield side

    def fill(self):
        """Generates the rows. The indexes exist all the time, as in production."""
        self.database.sql("CREATE EXTENSION pg_stat_statements")
        get(self.port, "/classify?save=true", (ROOT / "Tests/Photos/cat.jpg").read_bytes(), "image/jpeg")
        document = self.database.sql("SELECT document FROM scans")
        self.database.sql("ALTER TABLE scans DISABLE TRIGGER scans_inserted")
        for first in range(0, self.count, STEP):
            end = min(first + STEP, self.count)
            self.database.sql(
                insertion(
                    document, "lpad(upper(to_hex(number)), 18, '0')",
                    "encode(sha256(CAST(CAST(number AS TEXT) AS BYTEA)), 'hex')",
                    f"generate_series(CAST({first} AS BIGINT), {end - 1}) AS number",
                )
            )
            print(f"{end:,} rows", flush=True)
        self.database.sql("ALTER TABLE scans ENABLE TRIGGER scans_inserted; TRUNCATE scan_totals;" + TOTALS)
        self.database.sql("VACUUM ANALYZE")

    def size(self):
        return int(self.database.sql("SELECT pg_database_size(current_database())"))

    def purge(self):
        """Removes deleted rows. The time includes the start of psql."""
        self.database.sql(DELETION)

    def begin(self):
        self.database.sql("SELECT pg_stat_statements_reset()")

    def spent(self, times):
        """The database's milliseconds per request, and the number of 8 KiB pages that it read. The number does not
        depend on other work on the machine."""
        pages, milliseconds = self.database.sql(
            "SELECT sum(shared_blks_hit + shared_blks_read) || ' ' || sum(total_exec_time) FROM pg_stat_statements "
            "WHERE query NOT LIKE '%pg_stat_statements%'"
        ).split()
        return {"database_ms": round(float(milliseconds) / times, 3), "pages": round(float(pages) / times, 1)}


class Alone:
    """A service with SQLite."""

    def __init__(self, folder, binary, count):
        self.count = count
        self.service = Replica(f"alone{count}", free_port(), "0", None, folder, binary)
        self.port = self.service.port
        self.path = self.service.data / "history.sqlite"

    @staticmethod
    @contextlib.contextmanager
    def filled(binary, count):
        with tempfile.TemporaryDirectory(prefix="scale-alone-") as folder:
            side = Alone(pathlib.Path(folder), binary, count)
            try:
                side.fill()
                yield side
            finally:
                side.service.close()

    def fill(self):
        self.service.start().ready()
        get(self.port, "/classify?save=true", (ROOT / "Tests/Photos/cat.jpg").read_bytes(), "image/jpeg")
        self.service.stop()
        with contextlib.closing(self.connect()) as database:
            database.create_function("digest", 1, lambda number: hashlib.sha256(b"%d" % number).hexdigest())
            database.execute("PRAGMA synchronous = OFF")
            database.execute("PRAGMA cache_size = -1000000")
            document = database.execute("SELECT document FROM scans").fetchone()[0]
            trigger = database.execute("SELECT sql FROM sqlite_master WHERE name = 'scans_inserted'").fetchone()[0]
            database.execute("DROP TRIGGER scans_inserted")
            for first in range(0, self.count, STEP):
                end = min(first + STEP, self.count)
                numbers = f"""(WITH RECURSIVE numbers (number) AS (
                    SELECT {first} UNION ALL SELECT number + 1 FROM numbers WHERE number < {end - 1}
                ) SELECT number FROM numbers)"""
                database.execute(insertion(document, "printf('%018X', number)", "digest(number)", numbers))
                print(f"{end:,} rows", flush=True)
            for statement in [trigger, "DELETE FROM scan_totals", TOTALS, "PRAGMA wal_checkpoint(TRUNCATE)"]:
                database.execute(statement)
        self.service.start().ready()

    def connect(self):
        return sqlite3.connect(self.path, isolation_level=None, timeout=60)

    def size(self):
        return self.path.stat().st_size

    def purge(self):
        """Removes deleted rows. This process, not the service, opens the database's file for that."""
        with contextlib.closing(self.connect()) as database:
            database.execute(DELETION).fetchall()

    def begin(self):
        pass

    def spent(self, _):
        return {}


def milliseconds(body):
    start = time.perf_counter()
    body()
    return (time.perf_counter() - start) * 1000


def cost(sides, body, times=TIMES):
    """The median milliseconds of several requests to each side, made in turns."""
    for side in sides:
        for number in range(times, times + 5):
            body(side, number)
        side.begin()
    values = [[] for _ in sides]
    for number in range(times):
        for side, spent in zip(sides, values, strict=True):
            spent.append(milliseconds(lambda: body(side, number)))
    few, many = (
        {"ms": round(statistics.median(spent), 2)} | side.spent(times) for side, spent in zip(sides, values, strict=True)
    )
    return {"few": few, "many": many} | {f"ratio_{name}": round(many[name] / max(few[name], 0.001), 2) for name in few}


def first_line(side):
    with urllib.request.urlopen(f"http://127.0.0.1:{side.port}/history/export?format=jsonl", timeout=600) as response:
        return json.loads(response.readline())


def compare(few, many):
    sides = [few, many]
    found = {}

    def report(name, figures):
        found[name] = figures
        print(name, json.dumps(figures), flush=True)

    for name, path in PAGES.items():

        def page(side, _, path=path):
            middle = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(OLDEST / 1000 + side.count / 2))
            return get(side.port, path.replace("MIDDLE", middle))

        totals = [json.loads(page(side, 0))["total"] for side in sides]
        assert min(totals) > 1, (name, totals)
        report(name, cost(sides, page) | {"totals": totals})
    lines = {side: first_line(side) for side in sides}
    seed = int(time.time()) << 32

    def insert(side, number):
        scan = lines[side] | {"id": identifier(NEWEST, seed + number)}
        answer = json.loads(get(side.port, "/history/import", json.dumps(scan).encode(), "application/x-ndjson"))
        assert answer["imported"] == 1, answer

    def delete(side, number):
        ids = [identifier(NEWEST, seed + 10 * number + index) for index in range(10)]
        request = urllib.request.Request(
            f"http://127.0.0.1:{side.port}/history?" + "&".join(f"id={scan}" for scan in ids), method="DELETE"
        )
        urllib.request.urlopen(request, timeout=600).close()

    report("insert", cost(sides, insert))
    report("delete 10", cost(sides, delete, TIMES // 10 - 5))
    report("purge 5", cost(sides, lambda side, _: side.purge(), TIMES // 10))
    return found


def vacuum(side):
    """Measures VACUUM after the oldest twentieth of the rows is removed. A client turns pages and changes notes."""
    port, database, count = side.port, side.database, side.count
    scans = [scan["id"] for scan in json.loads(get(port, "/history?limit=100"))["items"]]

    def requests(going_on):
        found = {"page": [], "note": []}
        while going_on() or not found["note"]:
            found["page"].append(milliseconds(lambda: get(port, "/history?limit=20")))
            change = urllib.request.Request(
                f"http://127.0.0.1:{port}/history/{scans[len(found['page']) % 100]}",
                data=b'{"note":"seen"}', method="PATCH", headers={"Content-Type": "application/json"},
            )
            found["note"].append(milliseconds(lambda: urllib.request.urlopen(change, timeout=600).close()))
        return {
            name: {"requests": len(values), "median_ms": round(statistics.median(values), 2), "longest_ms": round(max(values), 1)}
            for name, values in found.items()
        }

    database.sql(f"DELETE FROM scans WHERE sequence IN (SELECT sequence FROM scans ORDER BY created_at LIMIT {count // 20})")
    end = time.monotonic() + 10
    before = requests(lambda: time.monotonic() < end)
    work = threading.Thread(target=lambda: database.sql("VACUUM scans"))
    start = time.monotonic()
    work.start()
    beside = requests(work.is_alive)
    work.join()
    return {"removed": count // 20, "vacuum_s": round(time.monotonic() - start, 1), "before": before, "beside": beside}


def measure(arguments):
    """`--only sqlite` or `--only postgresql` selects one of them."""
    result = {}
    for name, kind in {"postgresql": Shared, "sqlite": Alone}.items():
        if arguments.only and arguments.only != name:
            continue
        start = time.monotonic()
        with kind.filled(arguments.binary, arguments.count or 1_000_000) as many:
            result[name] = {"rows": many.count, "fill_s": round(time.monotonic() - start), "bytes": many.size()}
            with kind.filled(arguments.binary, FEW) as few:
                result[name]["each"] = compare(few, many)
            if kind is Shared:
                result[name]["vacuum"] = vacuum(many)
    return result
