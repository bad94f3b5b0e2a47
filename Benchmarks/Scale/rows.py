"""What lists, insertions and removal cost with many rows: the same requests at 10,000 rows and at so many more."""

import json
import statistics
import threading
import time
import urllib.request

from cluster import ROOT, Cluster

FEW = 10_000
TIMES = 200
# Rows that are generated in one transaction.
STEP = 500_000
# Milliseconds of the oldest generated scan, and later than any of them.
OLDEST = 1_690_000_000_000
NEWEST = OLDEST + 10**11
SETTINGS = [
    "shared_buffers=1GB",
    "max_wal_size=4GB",
    "maintenance_work_mem=512MB",
    "shared_preload_libraries=pg_stat_statements",
]
ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

PAGES = {
    "page": "/history?limit=20",
    "page in the middle": "/history?limit=20&to=MIDDLE",
    "filter: label": "/history?limit=20&label=siamese",
    "filter: species": "/history?limit=20&species=dog",
    "filter: corrected": "/history?limit=20&corrected=true",
    "search: a common word": "/history?limit=20&q=limps",
    "search: a rare word": "/history?limit=20&q=unicorn",
    # In as many notes however many rows there are.
    "search: a word in 20 notes": "/history?limit=20&q=squirrel",
}


def get(port, path, data=None, content_type=None):
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", data=data)
    if content_type:
        request.add_header("Content-Type", content_type)
    with urllib.request.urlopen(request, timeout=600) as response:
        return response.read()


def identifier(milliseconds, number):
    """A ULID."""
    value = milliseconds << 80 | number
    return "".join(ALPHABET[value >> shift & 31] for shift in range(125, -1, -5))


def fill(database, document, start, end):
    """Rows like the document's, a second apart, with the labels, corrections and notes spread over them; the indexes are
    there all the time, as in life, the totals are added up once."""
    document = json.loads(document)
    text = json.dumps(document, separators=(",", ":")).replace("'", "''")
    database.sql("ALTER TABLE scans DISABLE TRIGGER scans_inserted")
    for first in range(start, end, STEP):
        database.sql(
            f"""
            INSERT INTO scans (id, created_at, species, label, abstained, corrected_label, note, note_folded, digest,
                photo_bytes, document)
            SELECT id, time, CASE number % 2 WHEN 0 THEN 'cat' ELSE 'dog' END,
                (ARRAY['siamese', 'bengal', 'sphynx', 'boxer', 'beagle', 'pug', 'korat', 'birman'])[number % 8 + 1], 0,
                CASE number % 100 WHEN 0 THEN 'korat' END, note, note, digest, 0,
                replace(replace('{text}', '{document["id"]}', id), '{document["image"]["sha256"]}', digest)
            FROM (
                SELECT number, {OLDEST} + number * 1000 AS time,
                    '01HF7YAT' || lpad(upper(to_hex(number)), 18, '0') AS id,
                    encode(sha256(CAST(CAST(number AS TEXT) AS BYTEA)), 'hex') AS digest,
                    CASE WHEN number % 5000 = 0 THEN 'a unicorn' WHEN number % 500 = 0 THEN 'limps a little'
                        WHEN number < {FEW} AND number % 500 = 1 THEN 'chases a squirrel' END AS note
                FROM generate_series(CAST({first} AS BIGINT), {min(first + STEP, end)} - 1) AS number
            ) AS numbered
            """
        )
        print(f"{min(first + STEP, end):,} rows", flush=True)
    database.sql(
        """
        ALTER TABLE scans ENABLE TRIGGER scans_inserted;
        TRUNCATE scan_totals;
        INSERT INTO scan_totals SELECT species, label, CAST(corrected_label IS NOT NULL AS INTEGER), abstained,
            COUNT(*), SUM(photo_bytes) FROM scans WHERE deletion IS NULL GROUP BY 1, 2, 3, 4
        """
    )
    database.sql("VACUUM ANALYZE")


def milliseconds(body, times=TIMES):
    values = []
    for number in range(times):
        start = time.perf_counter()
        body(number)
        values.append((time.perf_counter() - start) * 1000)
    return statistics.median(values)


def cost(database, body, times=TIMES):
    """Milliseconds of the middle one of several requests, those that the database spent on each on average, and how many pages
    of 8 KiB it looked at for each: a count, which does not depend on what else the machine does."""
    body(times)
    database.sql("SELECT pg_stat_statements_reset()")
    spent = milliseconds(body, times)
    pages, database_ms = database.sql(
        "SELECT sum(shared_blks_hit + shared_blks_read) || ' ' || sum(total_exec_time) FROM pg_stat_statements "
        "WHERE query NOT LIKE '%pg_stat_statements%'"
    ).split()
    return {
        "ms": round(spent, 2), "database_ms": round(float(database_ms) / times, 3), "pages": round(float(pages) / times, 1),
    }


def figures(cluster, count, seed):
    port, database = cluster.replicas[0].port, cluster.database
    middle = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(OLDEST / 1000 + count / 2))
    found = {}
    for name, path in PAGES.items():
        path = path.replace("MIDDLE", middle)
        page = json.loads(get(port, path))
        assert len(page["items"]) > 1, (name, page)
        found[name] = cost(database, lambda _: get(port, path))
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/history/export?format=jsonl", timeout=600) as response:
        line = json.loads(response.readline())

    def insert(number):
        scan = line | {"id": identifier(NEWEST, seed + number)}
        report = json.loads(get(port, "/history/import", json.dumps(scan).encode(), "application/x-ndjson"))
        assert report["imported"] == 1, report

    def delete(number):
        ids = [identifier(NEWEST, seed + 10 * number + index) for index in range(10)]
        request = urllib.request.Request(
            f"http://127.0.0.1:{port}/history?" + "&".join(f"id={scan}" for scan in ids), method="DELETE"
        )
        urllib.request.urlopen(request, timeout=600).close()

    def purge(_):
        database.sql(
            "DELETE FROM scans WHERE sequence IN (SELECT sequence FROM scans WHERE deletion < '8' LIMIT 5) "
            "RETURNING photo_digest, thumbnail_digest"
        )

    found["insert"] = cost(database, insert)
    found["delete 10"] = cost(database, delete, TIMES // 10)
    # With the time that psql takes to start.
    found["purge 5"] = cost(database, purge, TIMES // 10)
    return found


def vacuum(cluster, count):
    """VACUUM after the oldest twentieth of the rows was removed, beside a client that turns pages and changes notes."""
    port, database = cluster.replicas[0].port, cluster.database
    scans = [scan["id"] for scan in json.loads(get(port, "/history?limit=100"))["items"]]

    def requests(going_on):
        found = {"page": [], "note": []}
        while going_on() or not found["note"]:
            found["page"].append(milliseconds(lambda _: get(port, "/history?limit=20"), 1))
            change = urllib.request.Request(
                f"http://127.0.0.1:{port}/history/{scans[len(found['page']) % 100]}",
                data=b'{"note":"seen"}', method="PATCH", headers={"Content-Type": "application/json"},
            )
            found["note"].append(milliseconds(lambda _: urllib.request.urlopen(change, timeout=600).close(), 1))
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
    many = arguments.count or 1_000_000
    result = {"rows": many}
    with Cluster(["0"], arguments.binary, balanced=False, others="1-3", database_settings=SETTINGS) as cluster:
        port, database = cluster.replicas[0].port, cluster.database
        database.sql("CREATE EXTENSION pg_stat_statements")
        get(port, "/classify?save=true", (ROOT / "Tests/Photos/cat.jpg").read_bytes(), "image/jpeg")
        document = database.sql("SELECT document FROM scans")
        fill(database, document, 0, FEW)
        few = figures(cluster, FEW, 1)
        start = time.monotonic()
        fill(database, document, FEW, many)
        result["fill_s"] = round(time.monotonic() - start)
        result["database_bytes"] = int(database.sql("SELECT pg_database_size(current_database())"))
        much = figures(cluster, many, 1 << 40)
        result["vacuum"] = vacuum(cluster, many)
    result["each"] = {
        name: {"few": few[name], "many": much[name], "ratio_ms": round(much[name]["ms"] / few[name]["ms"], 2),
               "ratio_database_ms": round(much[name]["database_ms"] / few[name]["database_ms"], 2),
               "ratio_pages": round(much[name]["pages"] / few[name]["pages"], 2)}
        for name in few
    }
    return result
