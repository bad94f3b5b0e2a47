"""What lists, insertions and removal cost with many rows: the same requests at 10,000 rows and at so many more."""

import json
import statistics
import time
import urllib.request

from cluster import ROOT, Cluster

FEW = 10_000
TIMES = 200
# Milliseconds of the newest generated scan.
NEWEST = 1_700_000_000_000
SETTINGS = ["shared_buffers=1GB", "max_wal_size=16GB", "maintenance_work_mem=512MB"]
ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

PAGES = {
    "page": "/history?limit=20",
    "page in the middle": "/history?limit=20&to=MIDDLE",
    "filter: label": "/history?limit=20&label=siamese",
    "filter: species": "/history?limit=20&species=dog",
    "filter: corrected": "/history?limit=20&corrected=true",
    "search: a common word": "/history?limit=20&q=limps",
    "search: a rare word": "/history?limit=20&q=unicorn",
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


def fill(database, template, start, end):
    """Rows like the template's, a second apart, with the labels, corrections and notes spread over them; the indexes are
    there all the time, as in life, the totals are added up once."""
    document = json.loads(template["document"])
    text = json.dumps(document, separators=(",", ":")).replace("'", "''")
    database.sql(
        f"""
        ALTER TABLE scans DISABLE TRIGGER scans_inserted;
        INSERT INTO scans (id, created_at, species, label, abstained, corrected_label, note, note_folded, digest,
            photo_bytes, document)
        SELECT id, time, CASE number % 2 WHEN 0 THEN 'cat' ELSE 'dog' END,
            (ARRAY['siamese', 'bengal', 'sphynx', 'boxer', 'beagle', 'pug', 'korat', 'birman'])[number % 8 + 1], 0,
            CASE number % 100 WHEN 0 THEN 'korat' END, note, note, digest, 0,
            replace(replace('{text}', '{document["id"]}', id), '{document["image"]["sha256"]}', digest)
        FROM (
            SELECT number, {NEWEST} - ({end} - number) * 1000 AS time,
                '01HF7YAT' || lpad(upper(to_hex(number)), 18, '0') AS id,
                encode(sha256(CAST(CAST(number AS TEXT) AS BYTEA)), 'hex') AS digest,
                CASE WHEN number % 5000 = 0 THEN 'a unicorn' WHEN number % 500 = 0 THEN 'limps a little' END AS note
            FROM generate_series({start}, {end} - 1) AS number
        ) AS numbered;
        ALTER TABLE scans ENABLE TRIGGER scans_inserted;
        TRUNCATE scan_totals;
        INSERT INTO scan_totals SELECT species, label, CAST(corrected_label IS NOT NULL AS INTEGER), abstained,
            COUNT(*), SUM(photo_bytes) FROM scans WHERE deletion IS NULL GROUP BY 1, 2, 3, 4
        """
    )
    database.sql("VACUUM ANALYZE scans")


def milliseconds(body, times=TIMES):
    values = []
    for number in range(times):
        start = time.perf_counter()
        body(number)
        values.append((time.perf_counter() - start) * 1000)
    return statistics.median(values)


def figures(cluster, count, seed):
    port, database = cluster.replicas[0].port, cluster.database
    middle = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(NEWEST / 1000 - count / 2))
    found = {}
    for name, path in PAGES.items():
        path = path.replace("MIDDLE", middle)
        page = json.loads(get(port, path))
        assert len(page["items"]) > 1, (name, page)
        found[name] = milliseconds(lambda _: get(port, path))
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/history/export?format=jsonl", timeout=600) as response:
        line = json.loads(response.readline())

    def insert(number):
        scan = line | {"id": identifier(NEWEST + 1, seed + number)}
        report = json.loads(get(port, "/history/import", json.dumps(scan).encode(), "application/x-ndjson"))
        assert report["imported"] == 1, report

    def delete(number):
        ids = [identifier(NEWEST + 1, seed + 10 * number + index) for index in range(10)]
        request = urllib.request.Request(
            f"http://127.0.0.1:{port}/history?" + "&".join(f"id={scan}" for scan in ids), method="DELETE"
        )
        urllib.request.urlopen(request, timeout=600).close()

    found["insert"] = milliseconds(insert)
    found["delete 10"] = milliseconds(delete, TIMES // 10)
    found["purge 10"] = database.latency(
        "DELETE FROM scans WHERE sequence IN (SELECT sequence FROM scans WHERE deletion < '8' LIMIT 10) "
        "RETURNING photo_digest, thumbnail_digest",
        TIMES // 10,
    )
    return found


def measure(arguments):
    many = arguments.count or 1_000_000
    result = {"rows": many}
    with Cluster(["0"], arguments.binary, balanced=False, others="1-3", database_settings=SETTINGS) as cluster:
        port, database = cluster.replicas[0].port, cluster.database
        get(port, "/classify?save=true", (ROOT / "Tests/Photos/cat.jpg").read_bytes(), "image/jpeg")
        template = {"document": database.sql("SELECT document FROM scans")}
        fill(database, template, 0, FEW)
        few = figures(cluster, FEW, 1)
        start = time.monotonic()
        fill(database, template, FEW, many)
        result["fill_s"] = round(time.monotonic() - start)
        result["database_bytes"] = int(database.sql("SELECT pg_database_size(current_database())"))
        much = figures(cluster, many, 1 << 40)
        start = time.monotonic()
        database.sql("VACUUM scans")
        result["vacuum_s"] = round(time.monotonic() - start, 1)
    result["each"] = {
        name: {"few_ms": round(few[name], 2), "many_ms": round(much[name], 2), "ratio": round(much[name] / few[name], 2)}
        for name in few
    }
    return result
