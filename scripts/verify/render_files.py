#!/usr/bin/python3
"""Files of `plimsoll render`: what is shown, names that differ, sizes and lengths of films, numbers of objects, ground and
camera, requests that are refused.
"""
import json
import os
import shutil
import subprocess

from common import call, np, read_png, run, verify
from render_fit import color_of, read_ids

SCENE = """plimsoll: 1
name: yard
duration: 0.5
fps: 40
gravity: [0, 0, 0]
rigid:
  contact: {enabled: false}
  bodies:
    - {name: floor, motion: static, shape: {half_space: {size: [3, 3]}}}
    - {name: crate, shape: {box: {}}, position: [0, 0.5, 0], velocity: [0, 0, 0]}
    - {name: ball, shape: {ball: {radius: 0.5}}, position: [2, 0.5, 0]}
    - {name: post, motion: static, shape: {box: {size: [0.2, 9, 0.2]}}, position: [-60, 4.5, 0]}
"""
SMALL = ("--width", 160, "--height", 90, "--threads", 1)


def yard(options, folder):
    """The folder of the run, made once."""
    out = os.path.join(folder, "yard")
    if not os.path.isdir(out):
        with open(out + ".yaml", "w", encoding="utf-8") as file:
            file.write(SCENE)
        run(options.program, out + ".yaml", out)
    return out


def render(options, folder, *words):
    result = call(options.program, "render", folder, *SMALL, *words)
    if result.code != 0:
        raise RuntimeError(f"render {words}: {result.last_words()}")
    return result


def pixels_of(picture, number):
    return (picture == np.array(color_of(number), dtype=np.uint8)).all(axis=2)


def names_do_not_collide(options, checks, folder):
    out = yard(options, folder)
    for words in ((), ("--show", "bodies"), ("--camera", "top"), ("--ids",)):
        render(options, out, "--frame", 3, *words)
    wanted = {"frame_00003.png", "frame_00003-bodies.png", "frame_00003-top.png", "frame_00003-ids.png", "ids.csv"}
    checks.true("pictures of other things have other names", wanted <= set(os.listdir(out)), str(sorted(wanted)))


def numbers_are_those_of_the_table(options, checks, folder):
    out = yard(options, folder)
    render(options, out, "--ids", "--frame", 0, "--camera", "front")
    rows = {row["name"]: row for row in read_ids(out)}
    checks.true("the table has the bodies and no half-space", sorted(rows) == ["ball", "crate", "post"], str(sorted(rows)))
    checks.true("the table has the colours", all(
        row["color"] == "#%02x%02x%02x" % tuple(color_of(int(row["id"]))) for row in rows.values()))
    picture = read_png(os.path.join(out, "frame_00000-front-ids.png"))
    known = sum(pixels_of(picture, int(row["id"])) for row in rows.values()) + pixels_of(picture, 0)
    checks.true("every pixel has a colour of the table, or is black", (known == 1).all())
    crate, ball = (pixels_of(picture, int(rows[name]["id"])) for name in ("crate", "ball"))
    # Seen from the front, crate and ball span 3 m from edge to edge, of which 12 % of the width stay free.
    wide = np.ptp(np.flatnonzero((crate | ball).any(axis=0))) + 1
    checks.within("what moves fills the width, the post far away does not count", wide / 160, 0.88, 0.02)
    rows_of, columns_of = (np.ptp(np.flatnonzero(ball.any(axis=axis))) + 1 for axis in (1, 0))
    checks.near("the ball is round", ball.sum(), np.pi / 4 * rows_of * columns_of, 4)


def ground_is_neutral(options, checks, folder):
    out = yard(options, folder)
    render(options, out, "--frame", 0, "--set", "/camera/caption=false", "--camera", "top")
    picture = read_png(os.path.join(out, "frame_00000-top.png")).astype(int)
    corner = picture[-9:, -9:].reshape(-1, 3)
    checks.below("the half-space has no colour: red to blue", np.abs(corner[:, 0] - corner[:, 2]).max(), 40)
    middle = picture[40:50, 20:60].reshape(-1, 3)
    checks.true("the first body has the palette's first colour", (middle[:, 0] > middle[:, 2] + 60).any())


def camera_can_be_set(options, checks, folder):
    out = yard(options, folder)
    render(options, out, "--ids", "--frame", 0)
    near = (read_png(os.path.join(out, "frame_00000-ids.png")) > 0).any(axis=2).mean()
    render(options, out, "--ids", "--frame", 0, "--set", "/camera/position=[1,30,60]", "--set", "/camera/target=[1,0.5,0]")
    far = (read_png(os.path.join(out, "frame_00000-ids.png")) > 0).any(axis=2).mean()
    checks.below("from far away things are small", far, 0.2 * near)
    size = ("--width", 320, "--height", 180)
    render(options, out, "--frame", 0, *size)
    with open(os.path.join(out, "frame_00000.png"), "rb") as file:
        with_caption = file.read()
    render(options, out, "--frame", 0, "--set", "/camera/caption=false", *size)
    with open(os.path.join(out, "frame_00000.png"), "rb") as file:
        checks.true("the caption can be left out", file.read() != with_caption)


def probe_film(path):
    done = subprocess.run(["ffprobe", "-v", "error", "-count_frames", "-show_entries",
                           "stream=width,height,nb_read_frames,duration", "-of", "json", path],
                          stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)["streams"][0]


def films_have_size_and_length(options, checks, folder):
    out = yard(options, folder)
    if not shutil.which("ffprobe"):
        checks.note("ffprobe is not installed: films are not looked at")
        return
    cases = ((("--samples", 1), 21, 0.525), (("--samples", 1, "--slow", 4), 25, 25 / 12),
             (("--samples", 1, "--fps", 20), 11, 0.55), (("--samples", 1, "--slow", 2, "--fps", 30), 31, 31 / 30))
    for words, pictures, seconds in cases:
        render(options, out, *words)
        film = probe_film(os.path.join(out, "film.mp4"))
        checks.true(f"film {' '.join(map(str, words[2:])) or 'of all frames'}: size and pictures",
                    (film["width"], film["height"], int(film["nb_read_frames"])) == (160, 90, pictures), str(film))
        checks.near("its length", float(film["duration"]), seconds, 1)


def progress_is_told(options, checks, folder):
    out = yard(options, folder)
    lines = render(options, out, "--samples", 1).stderr.splitlines()
    checks.true("a line a picture with the time left", len(lines) == 21 and lines[-1].startswith("picture 21/21  left 0 s"),
                lines[-1] if lines else "")
    rows = [json.loads(line) for line in render(options, out, "--samples", 1, "--progress", "json").stdout.splitlines()
            if line.startswith("{")]
    checks.true("as JSON", [row["picture"] for row in rows] == list(range(1, 22)))
    checks.true("--quiet says nothing", render(options, out, "--ids", "--quiet").stderr == "")


def bad_requests_are_refused(options, checks, folder):
    out = yard(options, folder)
    for words, part in ((("--width", 161), "even sizes"), (("--camera", "below"), "front, top, side or orbit"),
                        (("--set", "/gravity/1=0"), "another run"), (("--slow", -1), "--slow"),
                        (("--fps", 1000), "--fps"), (("--fps", 10, "--frame", 1), "leave out --frame"),
                        (("--set", "/camera/glass=thick"), "glass"), (("--set", "/camera/captain=true"), "caption"),
                        (("--progress", "xml"), "json"), (("--slow", 10000, "--fps", 240), "pictures")):
        result = call(options.program, "render", out, *SMALL, *words)
        checks.true(f"refused: {' '.join(map(str, words))}", result.code == 2 and part in result.stderr, result.last_words())
    render(options, out, "--frame", 1, "--width", 161)
    checks.true("a single picture may have an odd size",
                read_png(os.path.join(out, "frame_00001.png")).shape == (90, 161, 3))


if __name__ == "__main__":
    verify(__doc__, [names_do_not_collide, numbers_are_those_of_the_table, ground_is_neutral, camera_can_be_set,
                     films_have_size_and_length, progress_is_told, bad_requests_are_refused])
