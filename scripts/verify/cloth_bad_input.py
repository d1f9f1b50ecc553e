#!/usr/bin/python3
"""Sheets and chains that make no sense are refused with a message that names them and the fix."""
import os

import bad_input
import common

GOOD = """\
plimsoll: 1
name: odd
duration: 0.1
fps: 10
time_step: {max_dt: 0.02}
deformable:
  bodies:
    - name: cloth
      sheet: {size: [0.4, 0.4], cells: [4, 4]}
      fabric: cotton
      pins: [{name: held, near: [0.2, 0, 0.2]}]
    - {name: net, sheet: {cells: [3, 3]}, area_density: 0.1, springs: {edges: 10}, position: [2, 0, 0]}
    - {name: block, shape: {box: {size: [0.2, 0.2, 0.2]}}, cells: [2, 2, 2], young: 1.0e+4, position: [4, 0, 0]}
probes:
  - {name: cloth, quantities: [center, stretch, energy]}
"""

CLOTH = "deformable/bodies/cloth"
BLOCK = "deformable/bodies/block"
FLOOR = "{{bodies: [{{name: floor, motion: static, shape: {{half_space: {{}}}}, exact: {}}}]}}"

REFUSED = [
    ("bending stiffness below 0", {f"{CLOTH}/bending_stiffness": -1}, r"bending_stiffness.*at least 0"),
    ("bending stiffness not finite", {f"{CLOTH}/bending_stiffness": ".nan"}, r"bending_stiffness.*finite"),
    ("bending damping below 0", {f"{CLOTH}/bending_damping": -1}, r"bending_damping.*at least 0"),
    ("unknown bending", {f"{CLOTH}/bending": "plate"}, r"bending.*not one of: shell"),
    ("unknown fabric", {f"{CLOTH}/fabric": "wool"}, r"fabric.*not one of: none, cotton"),
    ("unknown cut", {f"{CLOTH}/sheet/cut": "diagonal"}, r"cut.*not one of: crosswise"),
    ("no area density", {f"{CLOTH}/fabric": "none", f"{CLOTH}/stretch": 10}, r"bodies/0.*area_density"),
    ("nothing that holds it together", {f"{CLOTH}/fabric": "none", f"{CLOTH}/area_density": 1}, r"bodies/0.*stretch"),
    ("stretch 0", {f"{CLOTH}/stretch": 0}, r"stretch.*above 0"),
    ("area density below 0", {f"{CLOTH}/area_density": -1}, r"area_density.*above 0"),
    ("density of a sheet", {f"{CLOTH}/density": 1000}, r"density.*area_density"),
    ("young of a sheet", {f"{CLOTH}/young": 1000}, r"young.*stretch"),
    ("damping form of a sheet", {f"{CLOTH}/damping_form": "diagonal"}, r"damping_form.*green"),
    ("linear law of a sheet", {f"{CLOTH}/model": "linear"}, r"model.*rotations"),
    ("fabric of a block", {f"{BLOCK}/fabric": "silk"}, r"fabric.*only a sheet"),
    ("stretch of a block", {f"{BLOCK}/stretch": 10}, r"stretch.*young"),
    ("area density of a block", {f"{BLOCK}/area_density": 1}, r"area_density.*density"),
    ("bending of a block", {f"{BLOCK}/bending_stiffness": 1}, r"bending_stiffness.*only a sheet"),
    ("cells not whole", {f"{CLOTH}/sheet/cells": "[2.5, 2]"}, r"cells.*whole"),
    ("no cells", {f"{CLOTH}/sheet/cells": "[0, 2]"}, r"cells.*at least 1"),
    ("size 0", {f"{CLOTH}/sheet/size": "[0, 1]"}, r"size.*above 0"),
    ("strain limit below 0", {f"{CLOTH}/strain_limit": -0.1}, r"strain_limit.*at least 0"),
    ("preroll below 0", {"deformable/preroll": -1}, r"preroll.*at least 0"),
    ("drag not finite", {"deformable/drag": ".inf"}, r"drag.*finite"),
    ("checks below 0", {f"{CLOTH}/checkered": -1}, r"checkered.*at least 0"),
    ("sheet and shape", {f"{CLOTH}/shape": "{ball: {}}"}, r"exactly one of 'shape'"),
    ("chain in space", {"probes": "[]", "deformable/bodies": "[{name: rope, chain: {}, fabric: cotton}]"},
     r"chain needs 'dim: 2'"),
    ("folded at rest", {f"{CLOTH}/map": '["=x", 0, 0]'}, r"'cloth': triangle \d+.*flat at rest"),
    ("unknown zones", {"deformable/zones": "round"}, r"zones.*not one of: rigid, affine"),
    ("self-collision neither true nor false", {f"{BLOCK}/self_collision": "perhaps"}, r"self_collision.*true or false"),
    ("exact neither true nor false", {"rigid": FLOOR.format("maybe")}, r"exact.*true or false"),
    ("exact half space", {"rigid": FLOOR.format("true")}, r"exact.*half space.*box"),
    ("skin of a sheet", {f"{CLOTH}/skin": "{path: a.obj}"}, r"skin.*tetrahedra"),
]


def obj(vertices, triangles):
    return "".join(f"v {x} {y} {z}\n" for x, y, z in vertices) + \
        "".join(f"f {a + 1} {b + 1} {c + 1}\n" for a, b, c in triangles)


CORNERS = [(0, 0, 0), (0.1, 0, 0), (0.1, 0, 0.1), (0, 0, 0.1), (0.05, 0.1, 0)]


def check_files(options, checks, folder, scene):
    files = {
        "good.obj": obj(CORNERS[:4], [(0, 2, 1), (0, 3, 2)]),
        "flat.obj": obj([*CORNERS[:4], (0.05, 0, 0)], [(0, 2, 1), (0, 3, 2), (0, 1, 4)]),
        "doubled.obj": obj(CORNERS[:4], [(0, 2, 1), (0, 3, 2), (2, 1, 0)]),
        "turned.obj": obj(CORNERS[:4], [(0, 2, 1), (0, 2, 3)]),
        "three.obj": obj(CORNERS, [(0, 2, 1), (0, 3, 2), (0, 4, 2)]),
        "loose.obj": obj([*CORNERS[:4], (5, 5, 5)], [(0, 2, 1), (0, 3, 2)]),
        "words.obj": "no mesh\n",
    }
    for name, text in files.items():
        common.write_scene(folder, name, text)
    bodies = lambda name, more="": {"probes": "[]", "deformable/bodies":
                                    f"[{{name: rag, sheet: {{path: {os.path.join(folder, name)}{more}}}, fabric: silk}}]"}
    result, _ = bad_input.run_odd(options, folder, scene, bodies("good.obj"))
    checks.true("sheet from a file runs", result is not None and result.code == 0,
                result.last_words() if result and result.code else "")
    bad_input.check_all(options, checks, folder, scene, [
        ("flat triangle", bodies("flat.obj"), r"'rag': triangle 2.*flat"),
        ("doubled triangle", bodies("doubled.obj"), r"'rag': triangles 0 and 2 have the same corners; leave one out"),
        ("turned triangle", bodies("turned.obj"), r"'rag': triangles 0 and 1.*exchange two corners"),
        ("edge of three", bodies("three.obj"), r"'rag': triangles .*share one edge"),
        ("vertex without triangle", bodies("loose.obj"), r"'rag': node 4.*mass"),
        ("file of words", bodies("words.obj"), r"words\.obj"),
        ("file that is not there", bodies("nowhere.obj"), r"nowhere\.obj"),
        ("file of another kind", bodies("good.yaml"), r"does not end in \.obj"),
        ("file scaled by 0", bodies("good.obj", ", scale: 0"), r"scale.*above 0"),
        ("sheet in the plane", {**bodies("good.obj"), "dim": 2}, r"sheet needs 'dim: 3'"),
    ])


if __name__ == "__main__":
    bad_input.verify(__doc__, GOOD, REFUSED, more=(check_files,))
