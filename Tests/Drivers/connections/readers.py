"""Checks files for other programs with those programs' own readers: readers.py BINARY PHOTO.

MegaDetector's validator reads the results of camera traps, and exiftool the XMP files beside photos. Needs ffmpeg.
"""

import json
import pathlib
import shutil
import stat
import subprocess
import sys
import tempfile

from megadetector.postprocessing.validate_batch_results import (
    ValidateBatchResultsOptions,
    validate_batch_results,
)

binary, photo = sys.argv[1:3]
ROOT = pathlib.Path(__file__).resolve().parents[3]
checks = 0


def check(name, holds, told=""):
    global checks
    checks += 1
    if not holds:
        sys.exit(f"FAIL  {name}\n{told}")
    print(f"ok    {name}")


def share_compiled():
    subprocess.run([ROOT / "Tests/Drivers/share-compiled", binary, folder / "data"], check=True)


def menagerie(*arguments):
    return subprocess.run(
        [binary, *arguments, "--log-level", "error", "--data-dir", str(folder / "data")],
        capture_output=True,
        text=True,
    )


def validate(name, results, root):
    options = ValidateBatchResultsOptions()
    options.check_image_existence = True
    options.relative_path_base = str(root)
    found = validate_batch_results(str(results), options)["validation_results"]
    check(name, not found["errors"] and not found["warnings"], found)


def exiftool(path, *arguments):
    done = subprocess.run(["exiftool", "-json", "-struct", *arguments, str(path)], capture_output=True, text=True)
    return json.loads(done.stdout)[0]


def film(path, *options):
    """Makes a film: two seconds of an empty yard, then four with the animal in it."""
    yard = "color=c=0x6a7a5a:s=1280x720:r=10:d=6,noise=alls=6:allf=t"
    place = "[1:v]scale=520:-2[animal];[0:v][animal]overlay=x=380:y=120:enable='gte(t,2)'"
    subprocess.run(
        ["ffmpeg", "-nostdin", "-loglevel", "error", "-f", "lavfi", "-i", yard, "-i", photo,
         "-filter_complex", place, "-pix_fmt", "yuv420p", *options, str(path)],
        check=True,
    )  # fmt: skip


def camera_trap():
    card = folder / "card"
    for name in ["a.png", "100MEDIA/b c.png", "100MEDIA/ä.png"]:
        (card / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(photo, card / name)
    (card / "broken.png").write_bytes(b"no picture")
    film(card / "100MEDIA/d.mp4", "-preset", "ultrafast")
    film(card / "e.AVI", "-c:v", "mjpeg")
    (card / "broken.mp4").write_bytes(b"no film")
    results = folder / "results.json"
    done = menagerie("classify", str(card), "--format", "megadetector", "--output", str(results))
    check("a picture that cannot be read is told, and the run goes on", done.returncode == 1, done.stderr)
    validate("MegaDetector's validator finds no fault", results, card)
    document = json.loads(results.read_text())
    files = {image["file"]: image for image in document["images"]}
    names = {"a.png", "100MEDIA/b c.png", "100MEDIA/ä.png", "broken.png", "100MEDIA/d.mp4", "e.AVI", "broken.mp4"}
    check("names begin at the folder", set(files) == names, files)
    check("a cat is an animal", any(box["category"] == "1" for box in files["a.png"]["detections"]), files["a.png"])
    check("what failed has no list", files["broken.png"]["detections"] is None and files["broken.png"]["failure"])
    for name in ["100MEDIA/d.mp4", "e.AVI"]:
        entry = files[name]
        frames = {box["frame_number"] for box in entry["detections"] if box["category"] == "1" and box["conf"] > 0.4}
        looked, shown = entry["frames_processed"], {frame for frame in entry["frames_processed"] if frame >= 20}
        close = all(abs(frame - 10 * number) <= 1 for number, frame in enumerate(looked))
        check("a film is looked at once a second", entry["frame_rate"] == 10 and len(looked) in (6, 7) and close, entry)
        check("the animal is in the frames that show it, and in no other", frames == shown, entry)
    broken = files["broken.mp4"]
    told = (broken["frame_rate"], broken["frames_processed"], broken["detections"])
    check("a film that cannot be read is told as MegaDetector does", told == (-1, [], None) and broken["failure"], broken)
    left = sorted(path.name for path in folder.glob("results*"))
    check("nothing of the run is left but its results", left == ["results.json"], left)


def sidecars():
    album = folder / "album"
    album.mkdir()
    shutil.copy(photo, album / "new.png")
    shutil.copy(photo, album / "old.png")
    # A file made by exiftool, with typical keywords of people.
    old = album / "old.png.xmp"
    subprocess.run(
        ["exiftool", "-q", "-o", str(old), "-XMP-xmp:Rating=4", "-XMP-dc:Subject=Oulu", "-XMP-dc:Description=Näin",
         "-XMP-digiKam:TagsList=Places/Oulu",
         "-XMP-mwg-rs:RegionInfo={AppliedToDimensions={W=100,H=100,Unit=pixel},RegionList=[{Area={X=0.1,Y=0.1,W=0.1,"
         "H=0.1,Unit=normalized},Name=Anna,Type=Face}]}", "-tagsfromfile", str(album / "old.png")],
        check=True,
    )  # fmt: skip
    before, written = old.read_bytes(), exiftool(old)
    dry = menagerie("tag", str(album), "--dry-run")
    check("a dry run says what it would write", "Animals/Cats" in dry.stdout, dry.stdout + dry.stderr)
    check("and writes nothing", old.read_bytes() == before and not (album / "new.png.xmp").exists())
    done = menagerie("tag", str(album))
    check("both photos get their keywords", done.returncode == 0, done.stdout + done.stderr)
    made, merged = exiftool(album / "new.png.xmp"), exiftool(old)
    words = made["TagsList"] if isinstance(made["TagsList"], list) else [made["TagsList"]]
    check("exiftool reads digiKam's tree", any(word.startswith("Animals/Cats") for word in words), made)
    check("and Lightroom's", "Animals|Cats" in str(made["HierarchicalSubject"]), made)
    check("what stood in a file stands there still", merged["Rating"] == 4 and merged["Description"] == "Näin", merged)
    check("keywords of people stay", "Oulu" in merged["Subject"] and "Places/Oulu" in merged["TagsList"], merged)
    check("and so do their regions", merged["RegionInfo"] == written["RegionInfo"], merged)
    valid = subprocess.run(["exiftool", "-validate", "-warning", str(old)], capture_output=True, text=True).stdout
    check("exiftool finds the file valid", "OK" in valid, valid)
    again = menagerie("tag", str(album))
    check("a second run changes nothing", "2 as they were" in again.stdout, again.stdout)
    # Another program rewrites the file and adds a word.
    subprocess.run(["exiftool", "-q", "-overwrite_original", "-XMP-dc:Subject+=Evening", str(old)], check=True)
    menagerie("tag", str(album))
    check("a word that came since stays", "Evening" in exiftool(old)["Subject"], exiftool(old))
    undone = menagerie("tag", str(album), "--undo")
    left = exiftool(old)
    check("taking back leaves what people wrote", left["Subject"] == ["Oulu", "Evening"], left)
    check("and nothing of ours", b"menagerie" not in old.read_bytes() and "HierarchicalSubject" not in left, left)
    check("a file that was made goes", not (album / "new.png.xmp").exists(), undone.stdout)
    # Bad files are reported and left alone.
    old.write_bytes(before)
    old.chmod(stat.S_IRUSR)
    (album / "new.png.xmp").write_bytes(before[:-40])
    done = menagerie("tag", str(album))
    check("a broken and a read-only file are told", done.returncode == 1 and "read-only" in done.stderr, done.stderr)
    check("and stay as they are", old.read_bytes() == before and (album / "new.png.xmp").read_bytes() == before[:-40])


with tempfile.TemporaryDirectory() as temporary:
    folder = pathlib.Path(temporary)
    share_compiled()
    camera_trap()
with tempfile.TemporaryDirectory() as temporary:
    folder = pathlib.Path(temporary)
    share_compiled()
    sidecars()
print(f"{checks} checks")
