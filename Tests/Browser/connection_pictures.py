"""Makes the pictures of Docs/connections from real answers of the service: python connection_pictures.py FOLDER.

The photos are two samples that anybody may publish (cat: CC0, moose: public domain). Needs what Scripts/test
connections installs.
"""

import base64
import html
import json
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

from conftest import start_browser
from page import Page
from server import PACKAGE, Server, binary, environment

SAMPLES = PACKAGE / "Public/samples"
LARGEST = 40_000
STYLE = """body{margin:0;background:#fff}pre{margin:0;padding:16px 20px;background:#1d2430;color:#dde5ee;
font:15px/1.5 'DejaVu Sans Mono',monospace;white-space:pre-wrap;word-break:break-all}b{color:#8fd18a;font-weight:400}
figure{margin:0;position:relative}img{width:100%;display:block}i{position:absolute;border:3px solid #f5b301;
border-radius:4px;box-sizing:border-box}i span{position:absolute;left:0;top:0;background:#f5b301;color:#222;padding:0 6px;
font:14px/1.5 'DejaVu Sans',sans-serif;white-space:nowrap}"""


class Camera:
    """Takes small pictures of a browser's view."""

    def __init__(self, page: Page, folder: Path):
        self.page, self.folder = page, folder

    def shot(self, width: int, height: int, **form) -> bytes:
        shot = self.page.driver.execute_cdp_cmd("Page.captureScreenshot", {
            **form, "captureBeyondViewport": True, "clip": {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}})
        return base64.b64decode(shot["data"])

    def save(self, name: str, width: int, height: int):
        """Saves the view as PNG with few colours (for text) or as WebP (for everything else), depending on the name."""
        if name.endswith(".png"):
            palette = "split[a][b];[a]palettegen=max_colors=16[p];[b][p]paletteuse=dither=none"
            subprocess.run(
                ["ffmpeg", "-v", "error", "-y", "-f", "image2pipe", "-i", "-", "-filter_complex", palette, self.folder / name],
                input=self.shot(width, height, format="png"), check=True)  # fmt: skip
        else:
            shots = (self.shot(width, height, format="webp", quality=quality) for quality in (80, 60, 40, 25))
            (self.folder / name).write_bytes(next(shot for shot in shots if len(shot) <= LARGEST))
        size = (self.folder / name).stat().st_size
        print(f"{name}: {size} bytes, {width} × {height}")
        assert size <= LARGEST

    def document(self, name: str, body: str, width: int):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "page.html"
            path.write_text(f"<!doctype html><meta charset=utf-8><style>{STYLE}</style>{body}", encoding="utf-8")
            self.page.appear(width)
            self.page.driver.get(path.as_uri())
            self.save(name, width, self.page.script("return Math.ceil(document.body.getBoundingClientRect().height)"))

    def terminal(self, name: str, *parts: tuple[str, str]):
        """Takes a picture of a terminal with commands and their output."""
        text = "\n".join(f"<b>$ {html.escape(command)}</b>\n{html.escape(printed)}" if command else html.escape(printed)
                         for command, printed in parts)
        self.document(f"{name}.png", f"<pre>{text}</pre>", 860)

    def boxes(self, name: str, photo: Path, found: list[tuple[list[float], str]]):
        """Takes a picture of a photo with boxes and their names. A box is x, y, width and height as fractions."""
        data = base64.b64encode(photo.read_bytes()).decode()
        marks = "".join(
            "<i style='left:{:.2f}%;top:{:.2f}%;width:{:.2f}%;height:{:.2f}%'><span>{}</span></i>".format(
                *[100 * each for each in box], html.escape(text)) for box, text in found)
        self.document(f"{name}.webp", f"<figure><img src='data:image/{photo.suffix[1:]};base64,{data}'>{marks}</figure>", 560)


def run(*words) -> str:
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, env=environment())
    if done.returncode:
        sys.exit(f"{words}: {done.stdout}{done.stderr}")
    return done.stdout.strip()


def evening(camera: Camera, folder: Path):
    run(sys.executable, PACKAGE / "Tests/Drivers/connections/evening.py", binary(), SAMPLES / "cat.png", folder / "configs", folder)
    topics = ["menagerie/porch/events", "menagerie/porch/count", "menagerie/porch/individual"]
    heard = [line for line in (folder / "broker").read_text().splitlines() if line.startswith(tuple(topics))]
    camera.terminal("home-assistant", (f"mosquitto_sub -v -t {' -t '.join(topics)}/#", "\n".join(heard)))
    for name, file in [("webhooks", "webhook"), ("frigate", "frigate")]:
        camera.terminal(name, ("", (folder / file).read_text()))


def cameras(camera: Camera, folder: Path):
    subprocess.run(
        ["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "color=c=0x6a7a5a:s=1280x720:r=5:d=8", "-loop", "1", "-t", "8",
         "-i", SAMPLES / "cat.png", "-filter_complex",
         "[1:v]scale=520:-2[c];[0:v][c]overlay=380:120:enable='between(t,2,8)':shortest=1", "-pix_fmt", "yuv420p",
         folder / "porch.mp4"], check=True)  # fmt: skip
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/porch"
    stream = subprocess.Popen(
        ["ffmpeg", "-nostdin", "-v", "error", "-re", "-stream_loop", "-1", "-i", folder / "porch.mp4", "-c", "copy", "-f", "mpegts",
         "-listen", "1", url])  # fmt: skip
    server = Server(cameras_enabled="true", security_open="true")
    page = camera.page
    try:
        page.url = server.url
        page.appear(760, height=900)
        page.request("POST", "/cameras", json.dumps({"name": "Porch", "url": url}).encode(), **{"Content-Type": "application/json"})
        page.open("cameras")
        page.wait(lambda: page.texts(".last-sighting strong"), "who came")
        page.wait(lambda: page.script("const i = document.querySelector('img.camera-picture'); return i.naturalWidth > 0 && !i.hidden"), "its picture")
        page.driver.execute_async_script("setTimeout(arguments[0], 800)")
        camera.save("cameras.webp", 760, 900)
    finally:
        page.driver.get("about:blank")
        server.stop()
        stream.kill()
        stream.wait()


def deepstack(camera: Camera):
    server = Server(connections_deepstack="true", security_open="true")
    try:
        photo = SAMPLES / "cat.png"
        answer = json.loads(run("curl", "-sS", "-F", f"image=@{photo}", f"{server.url}/v1/vision/detection"))
        breeds = json.loads(run("curl", "-sS", "-F", f"image=@{photo}", f"{server.url}/v1/vision/custom/menagerie_breeds"))
    finally:
        server.stop()
    size = [int(each) for each in run("ffprobe", "-v", "error", "-show_entries", "stream=width,height", "-of", "csv=p=0", photo).split(",")[:2]]
    found = []
    for kind, breed in zip(answer["predictions"], breeds["predictions"]):
        box = [kind["x_min"] / size[0], kind["y_min"] / size[1], (kind["x_max"] - kind["x_min"]) / size[0], (kind["y_max"] - kind["y_min"]) / size[1]]
        found.append((box, f"detection: {kind['label']} {kind['confidence']:.2f} · menagerie_breeds: {breed['label']}"))
    camera.boxes("deepstack", photo, found)


def camera_trap(camera: Camera, folder: Path):
    card = folder / "card"
    card.mkdir()
    photo = card / "moose.webp"
    photo.write_bytes((SAMPLES / "moose.webp").read_bytes())
    run(binary(), "classify", card, "--format", "megadetector", "--output", folder / "results.json", "--data-dir", folder / "data")
    results = json.loads((folder / "results.json").read_text())
    found = []
    for box in results["images"][0]["detections"]:
        if box["conf"] >= 0.4:
            species = [results["classification_categories"][each[0]] for each in box.get("classifications", [])[:1]]
            found.append((box["bbox"], f"{' · '.join([results['detection_categories'][box['category']], *species])} {box['conf']:.2f}"))
    camera.boxes("camera-traps", photo, found)


def photo_libraries(camera: Camera, folder: Path):
    album = folder / "album"
    album.mkdir()
    (album / "IMG_1.png").write_bytes((SAMPLES / "cat.png").read_bytes())
    run(binary(), "tag", album, "--data-dir", folder / "data")
    printed = run("exiftool", "-s", "-XMP:all", album / "IMG_1.png.xmp")
    camera.terminal("photo-libraries", ("exiftool -s -XMP:all IMG_1.png.xmp", printed))


if __name__ == "__main__":
    target = Path(sys.argv[1]).resolve()
    target.mkdir(parents=True, exist_ok=True)
    driver = start_browser()
    try:
        camera = Camera(Page(driver, "about:blank"), target)
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary)
            cameras(camera, folder)
            deepstack(camera)
            camera_trap(camera, folder)
            photo_libraries(camera, folder)
            evening(camera, folder)
    finally:
        driver.quit()
