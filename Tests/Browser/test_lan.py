"""`menagerie serve --lan`: its own certificate, kept and renewed, a key, and the printed text."""

import re
import ssl
import stat
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from server import Server, binary, environment

HAS_NETWORK = bool(subprocess.run(["hostname", "-I"], capture_output=True, text=True).stdout.split())
needs_network = pytest.mark.skipif(not HAS_NETWORK, reason="needs an address in a network")


def openssl(*arguments: str, **options) -> str:
    return subprocess.run(["openssl", *arguments], capture_output=True, text=True, check=True, **options).stdout


def until_printed(server: Server, pattern: str) -> str:
    for _ in range(200):
        if found := re.search(pattern, "".join(server.printed)):
            return found[1]
        time.sleep(0.05)
    raise AssertionError("".join(server.printed))


@pytest.fixture(scope="module")
def lan(tmp_path_factory):
    folder = tmp_path_factory.mktemp("lan")
    server = Server("--lan", folder=str(folder))
    yield server, folder
    server.stop()


@needs_network
def test_the_certificate_is_for_every_address_and_the_authority_leads_to_it(lan):
    server, folder = lan
    address = until_printed(server, r"    (https://[^\s#]+/)\n")
    files = folder / "lan"
    assert openssl("verify", "-purpose", "sslserver", "-CAfile", files / "authority.pem", files / "server.pem").endswith("OK\n")
    text = openssl("x509", "-in", files / "server.pem", "-noout", "-text")
    assert "DNS:localhost" in text and "IP Address:127.0.0.1" in text and "CA:FALSE" in text and "TLS Web Server" in text
    authority = openssl("x509", "-in", files / "authority.pem", "-noout", "-text")
    assert "CA:TRUE, pathlen:0" in authority
    context = ssl.create_default_context(cafile=files / "authority.pem")
    for url in (address, server.url + "/"):
        with urllib.request.urlopen(url + "livez", context=context, timeout=30) as answer:
            assert answer.status == 200
    with pytest.raises(urllib.error.URLError, match="CERTIFICATE_VERIFY_FAILED"):
        urllib.request.urlopen(address + "livez", timeout=30)


@needs_network
def test_the_authority_is_there_for_download_and_nothing_else_without_a_key(lan):
    server, folder = lan
    context = ssl.create_default_context(cafile=folder / "lan/authority.pem")
    with urllib.request.urlopen(server.url + "/authority.crt", context=context, timeout=30) as answer:
        assert answer.headers["Content-Type"] == "application/x-x509-ca-cert"
        der = answer.read()
    assert ssl.DER_cert_to_PEM_cert(der).split() == (folder / "lan/authority.pem").read_text().split()
    with pytest.raises(urllib.error.HTTPError, match="401"):
        urllib.request.urlopen(server.url + "/history", context=context, timeout=30)
    key = until_printed(server, r"\n    (menagerie_\S+)\n")
    request = urllib.request.Request(server.url + "/history", headers={"Authorization": f"Bearer {key}"})
    with urllib.request.urlopen(request, context=context, timeout=30) as answer:
        assert answer.status == 200


@needs_network
def test_only_the_owner_reads_the_files(lan):
    _, folder = lan
    for name in ("authority.pem", "authority.key", "server.pem", "server.key"):
        assert stat.S_IMODE((folder / "lan" / name).stat().st_mode) == 0o600
    assert "menagerie_" not in "".join(lan[0].log)


@needs_network
def test_a_second_start_keeps_both_and_one_near_its_end_is_renewed(lan, tmp_path):
    _, folder = lan
    files = {each.name: each.read_bytes() for each in (folder / "lan").iterdir()}
    copy = tmp_path / "lan"
    copy.mkdir()
    for name, content in files.items():
        (copy / name).write_bytes(content)
    (tmp_path / "keys.json").write_bytes((folder / "keys.json").read_bytes())
    again = Server("--lan", folder=str(tmp_path))
    until_printed(again, r"(Keys were made before)")
    again.stop()
    assert {each.name: each.read_bytes() for each in copy.iterdir()} == files
    # The server's certificate is replaced by one of the same authority that expires in ten days.
    request = openssl("req", "-new", "-key", copy / "server.key", "-subj", "/CN=old")
    (tmp_path / "names").write_text(
        "subjectAltName=" + ",".join(re.findall(r"(?:DNS:|IP Address:)\S+?(?=,|\n|$)", openssl(
            "x509", "-in", copy / "server.pem", "-noout", "-ext", "subjectAltName"))).replace("IP Address", "IP"))
    old = openssl("x509", "-req", "-days", "10", "-CA", copy / "authority.pem", "-CAkey", copy / "authority.key",
                  "-CAcreateserial", "-extfile", tmp_path / "names", input=request)
    (copy / "server.pem").write_text(old)
    renewed = Server("--lan", folder=str(tmp_path))
    renewed.stop()
    assert (copy / "server.pem").read_text() != old
    assert (copy / "authority.pem").read_bytes() == files["authority.pem"]
    subprocess.run(["openssl", "x509", "-in", copy / "server.pem", "-noout", "-checkend", str(300 * 86_400)], check=True)


@needs_network
def test_a_certificate_of_another_authority_is_used_as_it_is(tmp_path, driver):
    names = "subjectAltName=DNS:localhost,IP:127.0.0.1"
    openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "30", "-subj", "/CN=Authority",
            "-keyout", tmp_path / "authority.key", "-out", tmp_path / "authority.pem")
    request = openssl("req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=localhost",
                      "-keyout", tmp_path / "real.key")
    (tmp_path / "names").write_text(names)
    (tmp_path / "real.pem").write_text(openssl(
        "x509", "-req", "-days", "30", "-CA", tmp_path / "authority.pem", "-CAkey", tmp_path / "authority.key", "-CAcreateserial",
        "-extfile", tmp_path / "names", input=request))
    server = Server("--lan", http_tls_certificate=str(tmp_path / "real.pem"), http_tls_key=str(tmp_path / "real.key"))
    try:
        context = ssl.create_default_context(cafile=tmp_path / "authority.pem")
        with urllib.request.urlopen(server.url + "/livez", context=context, timeout=30) as answer:
            assert answer.status == 200
        with pytest.raises(urllib.error.HTTPError, match="404"):
            urllib.request.urlopen(server.url + "/authority.crt", context=context, timeout=30)
        key = until_printed(server, r"\n    (menagerie_\S+)\n")
        driver.execute_cdp_cmd("Security.setIgnoreCertificateErrors", {"ignore": True})
        driver.get(f"{server.url}/#key={key}")
        for _ in range(200):
            if driver.execute_script("return fetch('/session').then((a) => a.json()).then((a) => a.role)") == "admin":
                break
            time.sleep(0.05)
        driver.execute_script("location.hash = '#phone'")
        for _ in range(200):
            if "phones trust by themselves" in driver.execute_script("return document.querySelector('main').textContent"):
                break
            time.sleep(0.05)
        else:
            raise AssertionError(driver.execute_script("return document.querySelector('main').textContent"))
        assert driver.execute_script("return window.isSecureContext && Boolean(navigator.mediaDevices)")
        driver.get("about:blank")
    finally:
        driver.execute_cdp_cmd("Security.setIgnoreCertificateErrors", {"ignore": False})
        driver.get_log("browser")
        server.stop()


@needs_network
def test_the_code_is_printed_and_the_address_in_it_signs_in(lan, driver):
    server, _ = lan
    until_printed(server, r"(█[█▀▄ ]+█)")
    key = until_printed(server, r"\n    (menagerie_\S+)\n")
    driver.execute_cdp_cmd("Security.setIgnoreCertificateErrors", {"ignore": True})
    try:
        driver.get(f"{server.url}/#key={key}")
        for _ in range(200):
            if driver.execute_script("return fetch('/session').then((a) => a.json()).then((a) => a.role)") == "admin":
                break
            time.sleep(0.05)
        else:
            raise AssertionError("not signed in")
        assert driver.execute_script("return location.hash") == "#scan"
        driver.get("about:blank")
    finally:
        driver.execute_cdp_cmd("Security.setIgnoreCertificateErrors", {"ignore": False})
        driver.get_log("browser")


@pytest.mark.skipif(subprocess.run(["unshare", "--net", "true"], capture_output=True).returncode != 0, reason="needs unshare")
def test_without_a_network_the_start_is_refused_with_the_reason(tmp_path: Path):
    ended = subprocess.run(
        ["unshare", "--net", binary(), "serve", "--lan", "--port", "0", "--data-dir", tmp_path],
        capture_output=True, text=True, env=environment(), timeout=60)
    assert ended.returncode != 0
    assert "--lan: this machine has no address in a network" in ended.stderr
