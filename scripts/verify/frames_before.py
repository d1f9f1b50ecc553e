#!/usr/bin/python3
"""Frames as they were before bodies had names, kinds, masses, poses and motions in them: they still open, in pictures, in
the viewer and for every exporter.
"""
import json
import os

import export_case
from common import call, h5py, np, read_png, verify
from render_fit import color_of, read_ids
from view_server import ask, served

LATER = ("names", "kinds", "masses", "poses", "motions", "glass")
CHANGED = ("frame_", "shapes")
FORMATS = ("gltf", "usd", "ply", "obj", "vtk", "html")


def older(options, folder):
    """The run of everything with what came later taken out of its files, made once. They leave the manifest, as their sums
    are others now."""
    output = export_case.run(options, folder)
    with open(output.path("manifest.txt"), encoding="ascii") as file:
        lines = file.readlines()
    kept = [line for line in lines if not line.startswith(CHANGED)]
    if len(kept) == len(lines):
        return output
    for name in os.listdir(output.folder):
        if not name.startswith(CHANGED):
            continue
        with h5py.File(output.path(name), "r+") as file:
            for group in file.values():
                for array in [array for array in LATER if array in group]:
                    del group[array]
    with open(output.path("manifest.txt"), "w", encoding="ascii") as file:
        file.writelines(kept)
    return output


def nothing_later_is_left(options, checks, folder):
    output = older(options, folder)
    arrays = export_case.Frame(output, 3).arrays
    checks.true("frames have vertices and none of the later arrays", "rigid/vertices" in arrays and not
                [name for name in arrays if name.split("/")[-1] in LATER])


def pictures_are_drawn(options, checks, folder):
    output = older(options, folder)
    size = ("--width", 320, "--height", 180, "--threads", 1, "--quiet")
    result = call(options.program, "render", output.folder, "--frame", 3, "--samples", 1, *size)
    checks.true("render draws a picture", result.code == 0, result.last_words() if result.code else "")
    result = call(options.program, "render", output.folder, "--frame", 3, "--ids", *size)
    if not checks.true("render draws numbers of objects", result.code == 0, result.last_words() if result.code else ""):
        return
    picture = read_png(output.path("frame_00003-ids.png"))
    rigid = [row for row in read_ids(output.folder) if row["group"] == "rigid"]
    seen = [row["id"] for row in rigid if (picture == np.array(color_of(int(row["id"])), dtype=np.uint8)).all(axis=2).any()]
    checks.true("all bodies have numbers, more than one of them is seen", len(rigid) >= 4 and len(seen) > 1,
                f"{len(rigid)} bodies, {len(seen)} seen")


def the_viewer_shows_them(options, checks, folder):
    output = older(options, folder)
    with served(options.program, output.folder) as (port, token, _):
        status, answer = ask(port, "/frame?n=3&shapes=1", token)
        if not checks.true("view sends a frame", status == 200 and answer.startswith(b"PLIMPACK"), "" if status == 200 else answer.decode(errors="replace")):
            return
        size = int.from_bytes(answer[8:12], "little")
        groups = {group["name"]: group for group in json.loads(answer[16:16 + size])["groups"]}
        arrays = {array["name"] for array in groups["rigid"]["arrays"]}
        checks.true("with vertices and triangles, without later arrays", {"vertices", "triangles"} <= arrays and
                    not arrays & set(LATER), str(sorted(arrays)))


def corners(path):
    """How many vertices an OBJ file has."""
    with open(path, encoding="utf-8") as file:
        return sum(line.startswith("v ") for line in file)


def exports_are_written(options, checks, folder):
    output = older(options, folder)
    for to in FORMATS:
        result = call(options.program, "export", output.folder, "--to", to)
        path = result.stdout.strip().splitlines()[-1] if result.stdout.strip() else ""
        checks.true(f"export --to {to}", result.code == 0 and os.path.exists(path), result.last_words() if result.code else path)
    written = sum(corners(os.path.join(output.folder, "export", name)) for name in os.listdir(output.path("export"))
                  if name.startswith("rigid") and name.endswith("_00003.obj"))
    checks.true("OBJ has all vertices of bodies", written == len(export_case.Frame(output, 3)["rigid/vertices"]), f"{written}")


if __name__ == "__main__":
    verify(__doc__, [nothing_later_is_left, pictures_are_drawn, the_viewer_shows_them, exports_are_written])
