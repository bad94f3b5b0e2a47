#!/usr/bin/python3
"""An RTSP camera that shows films: rtsp_camera.py PORT PATH=FILM[+FILM…][:TRICK]…

Each FILM is H.264 made by `ffmpeg -c:v libx264 -bsf:v h264_metadata=aud=insert -f h264`. It is repeated in real time
at 15 pictures per second. Several films follow one another, whatever their sizes. A TRICK is a bad camera's behaviour
after four seconds: `freeze` keeps the connection and sends nothing more, `garbage` sends invalid bytes, `hang`
closes.

Needs Debian's gir1.2-gst-rtsp-server-1.0, gstreamer1.0-plugins-good and python3-gi.
"""

import os
import pathlib
import sys
import threading
import time

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstRtspServer", "1.0")
from gi.repository import GLib, Gst, GstRtspServer  # noqa: E402

RATE = 15
TRICK_AFTER = 4
# The beginning of each access unit, a delimiter (ITU-T H.264 §7.3.2.4).
DELIMITER = b"\x00\x00\x00\x01\x09"


def units(film: str) -> list[bytes]:
    return [DELIMITER + each for each in pathlib.Path(film).read_bytes().split(DELIMITER)[1:]]


class Camera(GstRtspServer.RTSPMediaFactory):
    def __init__(self, films: list[str], trick: str):
        super().__init__()
        self.pictures = [unit for film in films for unit in units(film)]
        self.trick = trick
        self.set_shared(True)
        self.set_launch(
            "( appsrc name=source is-live=true format=time max-bytes=0 "
            "caps=video/x-h264,stream-format=byte-stream,alignment=au "
            "! rtph264pay name=pay0 pt=96 config-interval=-1 aggregate-mode=none )")
        self.connect("media-configure", self.configure)

    def configure(self, _, media):
        source = media.get_element().get_by_name_recurse_up("source")
        threading.Thread(target=self.play, args=(source,), daemon=True).start()

    def play(self, source):
        begin = time.monotonic()
        number = 0
        while True:
            at = number / RATE
            time.sleep(max(0, begin + at - time.monotonic()))
            unit = self.pictures[number % len(self.pictures)]
            if self.trick and at >= TRICK_AFTER:
                if self.trick == "freeze":
                    return
                if self.trick == "hang":
                    source.emit("end-of-stream")
                    return
                unit = DELIMITER + b"\xf0\x00\x00\x00\x01\x65" + os.urandom(20_000)
            buffer = Gst.Buffer.new_wrapped(unit)
            buffer.pts = buffer.dts = int(at * Gst.SECOND)
            buffer.duration = Gst.SECOND // RATE
            if source.emit("push-buffer", buffer) != Gst.FlowReturn.OK:
                return
            number += 1


def main():
    Gst.init(None)
    server = GstRtspServer.RTSPServer()
    server.set_address("127.0.0.1")
    server.set_service(sys.argv[1])
    for argument in sys.argv[2:]:
        path, films = argument.split("=", 1)
        films, _, trick = films.partition(":")
        server.get_mount_points().add_factory("/" + path, Camera(films.split("+"), trick))
    server.attach(None)
    print("ready", flush=True)
    GLib.MainLoop().run()


main()
