#!/usr/bin/python3
"""Pictures without a `camera` key show what moves: each scene of the docs, whole or in part, and of scenes/ is run, rendered
with --ids, and the pixels of bodies that move, cloth, deformable solids, liquids and smoke are counted in the PNG files.
"""
import csv
import glob
import os
import re
import textwrap

from common import ROOT, call, h5py, np, read_png, run, verify

LEAST = 0.1  # of each picture
MOVING = ("free", "deformable", "liquid", "points", "smoke", "fluid")
SIZE = ("--width", 320, "--height", 180)

QUICK = ("scenes/rigid/incline_accelerate.yaml", "scenes/rigid/shapes.yaml", "scenes/cloth/drape.yaml",
         "scenes/deform/jelly.yaml", "scenes/joints/arm.yaml")

# Of shipped scenes, whose cameras are taken away here: how far all that moves must reach, of the picture's width or height,
# where it cannot fill a picture; and those in which something that stands still is in the way.
SPAN = 0.8
HIDDEN = {"scenes/rigid/bin.yaml": "walls of the bin hide most of what is in it"}

# What the parts of scenes in the docs need around them to be a scene, by a word that stands in them; the first that does.
# Parts that are scenes but for `plimsoll: 1` need nothing more.
FLOOR = "{name: floor, motion: static, shape: {half_space: {}}}"
AROUND = {
    "advection:": "dim: 2\n@",
    "prism:": "params: {inner: 1, outer: 1.4}\nrigid:\n  bodies:\n    - " + FLOOR + "\n    - name: stone\n      repeat: {count: 9, "
              "spacing: [0, 0, 0]}\n      position: [0, 0, 0]\n      friction: 0.8\n@6",
    "material_pairs:": "@rigid:\n  bodies:\n    - {name: lake, motion: static, shape: {half_space: {}}, material: ice}\n"
                       "    - {name: sledge, shape: {box: {}}, position: [0, 0.5, 0], velocity: [1, 0, 0], material: steel}\n",
    "name: craft": "gravity: [0, 0, 0]\nrigid:\n  bodies:\n@4",
    "name: door": "duration: 4\nrigid:\n  bodies:\n@4",
    "orientation: {axis: [1, 0, 0], angle: 30, then":
        "rigid:\n  bodies:\n    - name: top\n      shape: {box: {}}\n      motion: kinematic\n@6",
    "object: tile_0": "rigid:\n  bodies:\n    - {name: lamp, shape: {ball: {}}}\n    - {name: tile, shape: {box: {}}, "
                      "position: [1, 0, 0], repeat: {count: 2, spacing: [1, 0, 0]}}\ngravity: [0, 0, 0]\n@",
    "bottom: {friction:": "fluid:\n  domain: {high: [1, 1, 1]}\n  cells: 12\n  liquid: {level: \"=y-0.4\"}\n@rigid:\n  bodies:\n"
                          "    - {name: crate, shape: {box: {size: [0.4, 0.4, 0.4]}}, position: [0.5, 0.5, 0.5], density: 500}\n",
    "fluid: two_way": "fluid: {domain: {high: [1, 1, 1]}, cells: 16, viscosity: 0.01, density: 1000}\nrigid:\n  bodies:\n"
                      "    - {name: ball, shape: {ball: {radius: 0.3}}, position: [0.5, 0.5, 0.5], density: 1500}\n@",
}

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


def as_scene(block):
    """A piece of YAML in the docs as a scene; None: it takes something around it that nobody wrote."""
    if block.startswith("plimsoll: 1"):
        return block
    for word, around in AROUND.items():
        if word in block:
            return "plimsoll: 1\n" + re.sub(r"@(\d*)", lambda found: textwrap.indent(block, " " * int(found[1] or 0)), around)
    return "plimsoll: 1\n" + block if re.search(r"^(rigid|deformable|fluid|splash):", block, re.M) else None


def snippets():
    """All YAML of the docs as scenes: {name: text, or None}."""
    found = {}
    for path in [os.path.join(ROOT, "README.md"), *sorted(glob.glob(os.path.join(ROOT, "docs", "**", "*.md"), recursive=True))]:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        for match in re.finditer(r"^```yaml\n(.*?)^```", text, re.S | re.M):
            line = text.count("\n", 0, match.start()) + 1
            found[f"{os.path.relpath(path, ROOT)} line {line}"] = as_scene(match[1])
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
    """What moves in the pictures of a run: its share of each. Scripted bodies count where nothing moves by itself."""

    def __init__(self, folder):
        rows = read_ids(folder)
        moving = [row for row in rows if row["kind"] in MOVING] or [row for row in rows if row["kind"] == "prescribed"]
        codes = np.array([r << 16 | g << 8 | b for r, g, b in (color_of(int(row["id"])) for row in moving)], dtype=np.int64)
        self.shares, seen = [], False
        for path in sorted(glob.glob(os.path.join(folder, "pictures-ids", "*.png"))):
            picture = read_png(path).astype(np.int64)
            here = np.isin(picture[:, :, 0] << 16 | picture[:, :, 1] << 8 | picture[:, :, 2], codes)
            self.shares.append(here.mean())
            seen = seen | here
        self.moving, self.shares = len(moving), np.array(self.shares)
        wide, tall = np.flatnonzero(seen.any(axis=0)), np.flatnonzero(seen.any(axis=1))
        self.span = max((np.ptp(wide) + 1) / seen.shape[1], (np.ptp(tall) + 1) / seen.shape[0]) if len(wide) else 0
        with h5py.File(os.path.join(folder, "frame_00000.h5"), "r") as frame:
            self.in_plane = any(group.attrs.get("dim") == 2 for group in frame.values())


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


def each(options, checks, folder, scenes, words):
    """(name, what is seen) of each scene that can be drawn."""
    for name, text in scenes.items():
        try:
            yield name, look(options, os.path.join(folder, re.sub(r"\W", "_", name)), name, text, words)
        except RuntimeError as error:
            checks.true(f"{name}: is drawn", False, " ".join(str(error).split())[:300])


def snippets_are_filled(options, checks, folder):
    scenes = snippets()
    for name, text in scenes.items():
        checks.true(f"{name}: is a scene, or is known to be part of one", text is not None)
    checks.true("the docs have scenes", len(scenes) >= 15, f"{len(scenes)}")
    scenes = {name: text for name, text in scenes.items() if text}
    for name, text in scenes.items():
        words = ("--frames", 3) if options.quickest else ()
        if options.quick and "splash:" in text:
            words = ("--frames", 3, "--set", "/splash/cells=40", "--set", "/splash/particles=2")
        for _, seen in each(options, checks, folder, {name: text}, words):
            checks.true(f"{name}: filled by what moves", seen.moving > 0 and seen.shares.min() >= LEAST,
                        f"least {seen.shares.min():.3f} of a picture at least {LEAST:g} (mean {seen.shares.mean():.3f}, "
                        f"{seen.moving} things, {len(seen.shares)} pictures)")


def why_not(name, seen):
    """Why pictures of a shipped scene cannot be filled, or None."""
    if seen.in_plane:
        return "a slice shows its whole domain"
    if seen.span >= SPAN:
        return f"its ways reach over {seen.span:.2f} of a side: no camera that stands still is nearer"
    return HIDDEN.get(name)


def shipped_scenes_are_filled(options, checks, folder):
    """Most have a camera of their own, which is left out here: the mean of their pictures, or a reason."""
    scenes = shipped()
    if options.quick:
        scenes = {name: scenes[name] for name in QUICK}
    folder = os.path.join(folder, "shipped")
    os.makedirs(folder)
    os.symlink(os.path.join(ROOT, "scenes", "meshes"), os.path.join(os.path.dirname(folder), "meshes"))
    for name, seen in each(options, checks, folder, scenes, ("--frames", 3)):
        if seen.moving == 0:
            checks.note(f"{name}: nothing in it moves")
            continue
        mean, reason = seen.shares.mean(), why_not(name, seen)
        figures = f"{mean:.3f} of the picture at least {LEAST:g} ({len(seen.shares)} pictures), reach {seen.span:.2f}"
        if mean < LEAST and reason:
            checks.expected_failure(f"{name}: filled by what moves", f"{figures}; {reason}")
        else:
            checks.true(f"{name}: filled by what moves", mean >= LEAST, figures)


if __name__ == "__main__":
    verify(__doc__, [snippets_are_filled, shipped_scenes_are_filled])
