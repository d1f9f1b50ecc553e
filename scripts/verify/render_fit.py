#!/usr/bin/python3
"""Pictures without a `camera` key show what moves: each scene of the docs and of scenes/ is run, rendered with --ids, and
the pixels of dynamic bodies, cloth, deformable solids and liquids are counted in the PNG files.
"""
import csv
import glob
import os
import re

from common import ROOT, call, h5py, np, read_png, run, verify

LEAST = 0.1  # of the picture
MOVING = ("free", "deformable", "liquid", "points")
SPAN = 0.8   # of the picture's width or height: how far all that moves must reach
SIZE = ("--width", 320, "--height", 180)

QUICK = ("scenes/rigid/incline_accelerate.yaml", "scenes/rigid/shapes.yaml", "scenes/cloth/drape.yaml",
         "scenes/deform/jelly.yaml", "scenes/joints/arm.yaml")

# Scenes in which something that stands still is in the way.
HIDDEN = {"scenes/rigid/bin.yaml": "walls of the bin hide most of what is in it"}

# ---- pictures ----


def color_of(number):
    """As docs/output.md says: bits 0, 3, 6 ... are the highest of red, and so on."""
    rgb = [0, 0, 0]
    for bit in range(24):
        rgb[bit % 3] |= (number >> bit & 1) << (7 - bit // 3)
    return rgb


def read_ids(folder):
    with open(os.path.join(folder, "ids.csv"), newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


# ---- scenes ----


def snippets():
    """Scenes that stand in the docs, whole: {name: text}."""
    found = {}
    for path in sorted(glob.glob(os.path.join(ROOT, "docs", "*.md"))):
        with open(path, encoding="utf-8") as file:
            blocks = re.findall(r"^```yaml\n(.*?)^```", file.read(), re.S | re.M)
        page = os.path.basename(path)[:-3]
        for number, block in enumerate(block for block in blocks if block.startswith("plimsoll: 1")):
            found[f"docs/{page}.md {number + 1}"] = block
    return found


def shipped():
    found = {}
    for path in sorted(glob.glob(os.path.join(ROOT, "scenes", "*", "*.yaml"))):
        with open(path, encoding="utf-8") as file:
            found[os.path.relpath(path, ROOT)] = file.read()
    return found


def without_camera(text):
    """The text without its top-level key `camera`, in a line or in a block."""
    return re.sub(r"^camera:.*\n((?:[ \t]+.*)?\n)*", "", text, flags=re.M)


# ---- the check ----


class Seen:
    """What moves in the pictures of a run: its share of each, and how much of a side the box around it takes in all."""

    def __init__(self, folder):
        moving = [int(row["id"]) for row in read_ids(folder) if row["kind"] in MOVING]
        codes = np.array([r << 16 | g << 8 | b for r, g, b in map(color_of, moving)], dtype=np.int64)
        self.moving, self.shares, seen = len(moving), [], False
        for path in sorted(glob.glob(os.path.join(folder, "pictures-ids", "*.png"))):
            picture = read_png(path).astype(np.int64)
            here = np.isin(picture[:, :, 0] << 16 | picture[:, :, 1] << 8 | picture[:, :, 2], codes)
            self.shares.append(here.mean())
            seen = seen | here
        self.shares = np.array(self.shares)
        with h5py.File(os.path.join(folder, "frame_00000.h5"), "r") as frame:
            self.in_plane = any(group.attrs.get("dim") == 2 for group in frame.values())
        wide = np.flatnonzero(seen.any(axis=0))
        tall = np.flatnonzero(seen.any(axis=1))
        self.span = max((np.ptp(wide) + 1) / seen.shape[1], (np.ptp(tall) + 1) / seen.shape[0]) if len(wide) else 0


def look(options, folder, name, text, words):
    """Runs a scene without its camera and counts in its pictures."""
    scene = folder + ".yaml"
    with open(scene, "w", encoding="utf-8") as file:
        file.write(without_camera(text))
    run(options.program, scene, folder, None, *words)
    result = call(options.program, "render", folder, "--ids", "--quiet", "--threads", 1, *SIZE)
    if result.code != 0:
        raise RuntimeError(f"{name}: {result.last_words()}")
    return Seen(folder)


def why_not(name, seen):
    """Why pictures cannot be filled, or None."""
    if seen.in_plane:
        return "a slice shows its whole domain"
    if seen.span >= SPAN:
        return f"its ways reach over {seen.span:.2f} of a side: no camera that stands still is nearer"
    return HIDDEN.get(name)


def judge(options, checks, folder, scenes, words):
    """Small things that go a long way fill little of any picture that shows all of it: then the way must fill it."""
    for number, (name, text) in enumerate(scenes.items()):
        try:
            seen = look(options, os.path.join(folder, f"run{number}"), name, text, words)
        except RuntimeError as error:
            checks.true(f"{name}: is drawn", False, " ".join(str(error).split())[:300])
            continue
        if seen.moving == 0:
            checks.note(f"{name}: nothing in it moves by itself")
            continue
        mean = seen.shares.mean()
        figures = (f"{mean:.3f} of the picture at least {LEAST:g} (least {seen.shares.min():.3f}, most "
                   f"{seen.shares.max():.3f}, {len(seen.shares)} pictures)")
        reason = why_not(name, seen) if mean < LEAST else None
        if reason:
            checks.expected_failure(f"{name}: filled by what moves", f"{figures}; {reason}")
        else:
            checks.true(f"{name}: filled by what moves", mean >= LEAST, f"{figures}, reach {seen.span:.2f}")


def snippets_are_filled(options, checks, folder):
    scenes = snippets()
    checks.true("the docs have scenes", len(scenes) >= 5, f"{len(scenes)}")
    judge(options, checks, folder, scenes, ("--frames", 16) if options.quickest else ())


def shipped_scenes_are_filled(options, checks, folder):
    scenes = shipped()
    if options.quick:
        scenes = {name: scenes[name] for name in QUICK}
    folder = os.path.join(folder, "shipped")
    os.makedirs(folder)
    os.symlink(os.path.join(ROOT, "scenes", "meshes"), os.path.join(os.path.dirname(folder), "meshes"))
    judge(options, checks, folder, scenes, ("--frames", 3))


if __name__ == "__main__":
    verify(__doc__, [snippets_are_filled, shipped_scenes_are_filled])
