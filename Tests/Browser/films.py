"""The fake camera's films, made with ffmpeg from the shared videos."""

import shutil
import subprocess
from pathlib import Path

import pytest

from photos import SHARED

VIDEOS = SHARED / "data/video"

needs_videos = pytest.mark.skipif(not VIDEOS.exists(), reason="needs the shared videos: set SHARED_FOLDER or put them at ../shared")
needs_films = pytest.mark.skipif(
    not VIDEOS.exists() or shutil.which("ffmpeg") is None, reason="needs the shared videos and ffmpeg")


def passing_bus(folder: Path, rate: int = 10) -> Path:
    """Makes a film at `rate` frames per second. A bus drives through an empty picture from left to right in 2.5 s. Then
    the picture is empty for 1.5 s.

    The fake camera repeats it, so that the bus makes a lap every 4 s.
    """
    film = folder / "bus.y4m"
    drive = (
        f"color=c=0x8a8f86:s=640x360:r={rate}:d=4[road];"
        f"[0:v]trim=end_frame=1,crop=500:280:120:55,scale=300:-2,loop={4 * rate}:1,setpts=N/{rate}/TB,fps={rate}[bus];"
        "[road][bus]overlay=x='-w+(W+w)*t/2.5':y=90:shortest=0")
    subprocess.run(
        ["ffmpeg", "-v", "error", "-y", "-i", VIDEOS / "bus_passing.mp4", "-filter_complex", drive, "-t", "4",
         "-pix_fmt", "yuv420p", film], check=True)
    return film


def rounds(folder: Path, count: int = 3) -> Path:
    """An MP4 in which the bus passes this many times, once every 4 s."""
    film = folder / "rounds.mp4"
    subprocess.run(
        ["ffmpeg", "-v", "error", "-y", "-stream_loop", str(count - 1), "-i", passing_bus(folder), "-c:v", "libx264",
         "-preset", "veryfast", "-pix_fmt", "yuv420p", film], check=True)
    return film
