"""Tests `menagerie classify` on one and more machines, with an S3 store that checks signatures: bulk.py BINARY PHOTO.
"""

import json
import logging
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

import boto3
from moto import settings
from moto.server import ThreadedMotoServer

binary, photo = sys.argv[1:3]
ROOT = pathlib.Path(__file__).resolve().parents[2]
bucket = "zoo"
keys = [f"photos/{number % 3}/{number}.jpg" for number in range(24)]
keys.append("photos/a folder/a photo.jpg")
# moto unescapes an address before it checks the signature. The check then fails for slashes in the query and for
# special letters in the path, so such keys are read unsigned. Tests/MenagerieTests/S3Tests.swift compares their
# signatures with botocore's.
odd = ["odd/päivä 1/kissa+koira & “hiiri”.jpg", "odd/a%20b(1)!*'.jpg"]
broken = "photos/broken.png"
checks = 0
logging.getLogger("werkzeug").setLevel(logging.ERROR)


def check_signatures(on):
    settings.INITIAL_NO_AUTH_ACTION_COUNT = 0 if on else float("inf")


def check(name, holds, told=""):
    global checks
    checks += 1
    if not holds:
        sys.exit(f"FAIL  {name}\n{told}")
    print(f"ok    {name}")


def store():
    """A server, and the environment for its clients."""
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    address = "http://{}:{}".format(*server.get_host_and_port())
    access = {"endpoint_url": address, "region_name": "eu-north-1"}
    users = boto3.client("iam", aws_access_key_id="a", aws_secret_access_key="b", **access)
    users.create_user(UserName="reader")
    policy = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "s3:*", "Resource": "*"}]}
    users.put_user_policy(UserName="reader", PolicyName="all", PolicyDocument=json.dumps(policy))
    key = users.create_access_key(UserName="reader")["AccessKey"]
    client = boto3.client(
        "s3", aws_access_key_id=key["AccessKeyId"], aws_secret_access_key=key["SecretAccessKey"], **access
    )
    client.create_bucket(Bucket=bucket, CreateBucketConfiguration={"LocationConstraint": "eu-north-1"})
    with open(photo, "rb") as file:
        picture = file.read()
    for name in keys + odd:
        client.put_object(Bucket=bucket, Key=name, Body=picture)
    client.put_object(Bucket=bucket, Key=broken, Body=b"no photo")
    client.put_object(Bucket=bucket, Key="photos/empty.jpg", Body=b"")
    client.put_object(Bucket=bucket, Key="photos/notes.txt", Body=b"notes")
    # The photo is on the second page of the list.
    for number in range(1_010):
        client.put_object(Bucket=bucket, Key=f"many/{number:05}.txt", Body=b"")
    client.put_object(Bucket=bucket, Key="many/last.jpg", Body=picture)
    environment = {
        "AWS_ENDPOINT_URL": address,
        "AWS_REGION": "eu-north-1",
        "AWS_ACCESS_KEY_ID": key["AccessKeyId"],
        "AWS_SECRET_ACCESS_KEY": key["SecretAccessKey"],
    }
    return environment, client


def command(*arguments, data="data"):
    subprocess.run([ROOT / "Tests/Drivers/share-compiled", binary, f"{folder}/{data}"], check=True)
    return [binary, "classify", "--log-level", "error", "--data-dir", f"{folder}/{data}", *arguments]


def classify(*arguments, environment, data="data"):
    return subprocess.run(
        command(*arguments, data=data), env=environment, capture_output=True, text=True, timeout=120, check=False
    )


def lines(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


with tempfile.TemporaryDirectory() as folder:
    check_signatures(False)
    access, client = store()
    check_signatures(True)
    environment = os.environ | access
    expected = {f"s3://{bucket}/{name}" for name in [*keys, broken, "photos/empty.jpg"]}
    failing = {f"s3://{bucket}/{broken}", f"s3://{bucket}/photos/empty.jpg"}

    output = f"{folder}/alone.jsonl"
    result = classify(f"s3://{bucket}/photos", "--output", output, environment=environment)
    answers = lines(output)
    check("a prefix is classified", {line["photo"] for line in answers} == expected, f"{answers}{result.stderr}")
    check(
        "what is no photo says so", result.returncode == 1 and {a["photo"] for a in answers if "error" in a} == failing
    )
    check("once each", len(answers) == len(expected))
    local = classify(photo, "--json", environment=environment)
    told = json.loads(local.stdout)["predictions"]
    check("with the answer of the same file", all(a["predictions"] == told for a in answers if "error" not in a))

    check_signatures(False)
    result = classify(f"s3://{bucket}/odd/", "--json", environment=environment)
    names = {json.loads(line)["photo"] for line in result.stdout.splitlines()}
    check("keys may have any letters", names == {f"s3://{bucket}/{name}" for name in odd}, result.stderr)

    result = classify(f"s3://{bucket}/many/", "--json", environment=environment)
    check("lists of several pages are read", result.stdout.count("s3://zoo/many/last.jpg") == 1, result.stderr)
    check_signatures(True)

    listed = f"{folder}/list.txt"
    with open(listed, "w", encoding="utf-8") as file:
        file.write(f"s3://{bucket}/{keys[-1]}\n{os.path.abspath(photo)}\ns3://{bucket}/missing.jpg\n")
    result = classify("--list", listed, "--json", environment=environment)
    check(
        "lists have both",
        result.stdout.count('"predictions"') == 2 and "404" in result.stderr,
        result.stdout + result.stderr,
    )

    output = f"{folder}/wrong.jsonl"
    wrong = environment | {"AWS_SECRET_ACCESS_KEY": "wrong"}
    result = classify("--list", listed, "--output", output, environment=wrong)
    check(
        "a wrong key ends the run and no photo is blamed",
        result.returncode == 1 and "403" in result.stderr and not any("s3:" in line["photo"] for line in lines(output)),
        result.stderr,
    )
    result = classify("s3://nowhere/", "--json", environment=environment)
    check(
        "a bucket that is not there is named",
        result.returncode == 1 and "s3://nowhere/" in result.stderr,
        result.stderr,
    )

    # Several machines.
    with_database = [
        "--run",
        "night",
        "--set",
        f"history.postgresql_url={os.environ['MENAGERIE_HISTORY_POSTGRESQL_URL']}",
    ]
    check_signatures(False)
    for copy in range(10):
        for name in keys:
            client.copy({"Bucket": bucket, "Key": name}, bucket, f"copies/{copy}/{name}")
    client.put_object(Bucket=bucket, Key="copies/broken.png", Body=b"no photo")
    check_signatures(True)
    wanted = {f"s3://{bucket}/copies/{copy}/{name}" for copy in range(10) for name in keys}
    wanted.add(f"s3://{bucket}/copies/broken.png")
    prefix = f"s3://{bucket}/copies"
    database = os.environ["MENAGERIE_HISTORY_POSTGRESQL_URL"]

    def asked(sql):
        return subprocess.run(
            ["psql", "-XAtc", sql, database], capture_output=True, text=True, check=False
        ).stdout.strip()

    victim = subprocess.Popen(
        command(prefix, *with_database, data="victim"), env=environment, stderr=subprocess.DEVNULL
    )
    while victim.poll() is None and int(asked("SELECT COUNT(answer) FROM run_photos") or 0) < 20:
        time.sleep(0.02)
    check("one machine is at work", victim.poll() is None)
    victim.send_signal(signal.SIGKILL)
    victim.wait()
    done, held = (
        int(asked("SELECT COUNT(answer) FROM run_photos")),
        int(asked("SELECT COUNT(*) FROM run_photos WHERE answer IS NULL AND held_until > 0")),
    )
    check(f"it dies after {done} of {len(wanted)}, with {held} claimed", 0 < done < len(wanted) and held > 0)
    # The killed machine's claims on photos expire after a time. Here they expire at once.
    asked("UPDATE run_photos SET held_until = 1 WHERE held_until > 1")
    others = [
        subprocess.Popen(
            command(*photos, *with_database, "--output", f"{folder}/{name}.jsonl", data=name),
            env=environment,
            stderr=subprocess.PIPE,
            text=True,
        )
        for name, photos in (("one", [prefix]), ("two", []))
    ]
    told = [process.communicate(timeout=300)[1] for process in others]
    check("two others end it", [process.returncode for process in others] == [1, 1], told)
    with open(f"{folder}/one.jsonl", "rb") as one, open(f"{folder}/two.jsonl", "rb") as two:
        check("both write the same answers", one.read() == two.read())
    answers = lines(f"{folder}/one.jsonl")
    names = [line["photo"] for line in answers]
    check("every photo has one line, in order", names == sorted(wanted, key=str.encode), names[:5])
    check("the one that is none failed", [a["photo"] for a in answers if "error" in a] == [f"{prefix}/broken.png"])
    parts = [int(text.split(" photos classified")[0].split("\n")[-1]) for text in told]
    check(
        f"both did their part: {parts[0]} and {parts[1]}", min(parts) > 0 and sum(parts) >= len(wanted) - 1 - done, told
    )

    check_signatures(False)
    with open(photo, "rb") as file:
        client.put_object(Bucket=bucket, Key="copies/broken.png", Body=file.read())
    check_signatures(True)
    result = classify(*with_database, "--retry-failed", "--output", f"{folder}/again.jsonl", environment=environment)
    check("what failed is tried again", result.returncode == 0, result.stderr)
    check("and told", len(lines(f"{folder}/again.jsonl")) == len(wanted))
    classify(*with_database, "--forget", environment=environment)
    check("a run is forgotten", asked("SELECT COUNT(*) FROM run_photos") == "0")

print(f"{checks} checks passed")
