#!/usr/bin/python3
"""Mesh files: round trips, hostile files, reports of known defects; and scenes with meshes in them."""
import os
import shutil
import struct

import common
import meshes
from common import np

G = 9.81
TREFOIL = common.scene_path("meshes/trefoil.obj")


# ---- round trips ----


def check_round_trips(options, checks, folder):
    rng = np.random.default_rng(37)
    v = rng.uniform(-1, 1, (500, 3)) * 10.0**rng.integers(-300, 300, (500, 1))
    v[:3] = [[0.1, 1 / 3, -0.0], [5e-324, 1.7e308, 2.0**-1074], [np.pi, np.e, 1e-5]]
    wild = v, rng.integers(0, 500, (900, 3))
    for name, mesh in (("random numbers", wild), ("trefoil", meshes.read_obj(TREFOIL)),
                       ("icosphere", meshes.icosphere(4, np.pi))):
        paths = [os.path.join(folder, f"trip{i}{end}") for i, end in
                 enumerate((".obj", ".ply", ".obj", ".ply"))]
        meshes.write(paths[0], mesh)
        faults = []
        for source, target in zip(paths, paths[1:]):
            result = common.call(options.program, "mesh", source, "--to", target)
            if result.code != 0:
                faults.append(f"{source}: exit code {result.code}: {result.last_words()}")
                break
            v, t = (meshes.read_ply if target.endswith(".ply") else meshes.read_obj)(target)
            if v.tobytes() != mesh[0].tobytes():
                faults.append(f"vertices differ in {os.path.basename(target)}")
            if not np.array_equal(t, mesh[1]):
                faults.append(f"triangles differ in {os.path.basename(target)}")
        if not faults and common.digest(paths[1]) != common.digest(paths[3]):
            faults.append("the two PLY files differ")
        checks.true(f"OBJ to PLY to OBJ to PLY, {name}", not faults, "; ".join(faults) or "exact")


def check_forms(options, checks, folder):
    """The same triangles whatever the file; single precision only in binary STL."""
    mesh = meshes.placed(meshes.torus(1, 0.4, 17, 9), None, (0.25, 0.5, -0.125))
    rounded = mesh[0].astype(np.float32).astype(float)
    for ending, form in (("obj", ""), ("ply", "ascii"), ("ply", "little"), ("ply", "big"),
                         ("stl", "ascii"), ("stl", "binary")):
        path, out = os.path.join(folder, f"form.{ending}"), os.path.join(folder, "form_out.obj")
        meshes.write(path, mesh, form)
        meshes.run(options.program, path, "--to", out)
        v, t = meshes.read_obj(out)
        same = np.array_equal(v[t], (rounded if form == "binary" else mesh[0])[mesh[1]])
        checks.true(f"triangles of {form} {ending}".replace("  ", " "),
                    same and len(v) == len(mesh[0]), f"{len(v)} vertices, {len(t)} triangles")
    square = os.path.join(folder, "square.obj")
    common.write_scene(folder, "square.obj", "# polygons, texture and normal indices, from the end\n"
                       "v 0 0 0\nv 2 0 0 1.0\nv 2 3 0\r\nv 0 3 0\nvt 0 0\nvn 0 0 1\n"
                       "o part\nusemtl x\nf 1/1/1 2/1/1 3//1 4/1\nf -1 -2 -3 \\\n -4\n")
    said = meshes.run(options.program, square)
    checks.true("polygons of an OBJ file", meshes.count(said, "triangles") == 4 and
                abs(said["area"][0] - 12) < 1e-14, f"{said['triangles']} of area {said['area']}")


# ---- hostile files ----


def hostile_files():
    """{name: bytes}, each of which is to be refused."""
    cube = meshes.box()
    files = {"missing.obj": None, "empty.obj": b"", "empty.ply": b"", "empty.stl": b"",
             "noise.obj": bytes(range(256)) * 50, "noise.ply": bytes(range(255, -1, -1)) * 50,
             "noise.stl": bytes(range(1, 256)) * 50, "zeros.obj": bytes(5000),
             "zeros.ply": bytes(5000), "mesh.xyz": b"v 0 0 0\n"}
    obj = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"
    for name, line in (("index_0", "f 0 1 2"), ("index_5", "f 1 2 5"), ("index_-5", "f 1 2 -5"),
                       ("index_huge", "f 1 2 99999999999999999999"), ("two", "f 1 2"),
                       ("word", "f 1 2 x"), ("2^32", "f 1 2 4294967299"), ("point", "f 1 2 3.5"),
                       ("nan", "v nan 0 0\nf 1 2 5"), ("inf", "v inf 0 0\nf 1 2 5"),
                       ("1e999", "v 1e999 0 0\nf 1 2 5"), ("short", "v 1 2\nf 1 2 3"),
                       ("nofaces", ""), ("text", "v a b c\nf 1 2 3")):
        files[f"{name}.obj"] = (obj + line + "\n").encode()
    files["line.obj"] = b"v " + b"1" * 3000000
    for form in ("ascii", "little", "big"):
        good = meshes.ply(*cube, form)
        start = good.index(b"end_header\n") + 11
        edit = lambda old, new, good=good: good.replace(old, new, 1)
        files[f"cut_{form}.ply"] = good[:-5]
        files[f"half_{form}.ply"] = good[:start + (len(good) - start) // 2]
        files[f"header_{form}.ply"] = good[:start - 5]
        files[f"no_body_{form}.ply"] = good[:start]
        for number in (4000000000, 2**31 - 1, 2**63, 2**64 - 1, 10**30, -1):
            files[f"vertices_{number}_{form}.ply"] = edit(b"vertex 8", b"vertex %d" % number)
            files[f"faces_{number}_{form}.ply"] = edit(b"face 12", b"face %d" % number)
        files[f"type_{form}.ply"] = edit(b"property double y", b"property quad y")
        files[f"no_y_{form}.ply"] = edit(b"property double y\n", b"")
        files[f"list_{form}.ply"] = edit(b"list uchar int", b"list double int")
        files[f"index_{form}.ply"] = meshes.ply(cube[0], cube[1] + 1, form)
        files[f"negative_{form}.ply"] = meshes.ply(cube[0], cube[1] - 1, form)
        for value in (np.nan, np.inf):
            v = cube[0].copy()
            v[3, 1] = value
            files[f"{value}_{form}.ply"] = meshes.ply(v, cube[1], form)
    files["format.ply"] = meshes.ply(*cube, "ascii").replace(b"ascii", b"utf-8", 1)
    files["count.ply"] = meshes.ply(*cube, "ascii").replace(b"\n3 ", b"\n4000000000 ", 1)
    files["props.ply"] = meshes.ply(*cube, "little").replace(
        b"property double z\n", b"property double z\n" +
        b"".join(b"property double q%d\n" % i for i in range(20000)), 1)
    files["list_bomb.ply"] = meshes.ply(*cube, "little").replace(
        b"list uchar int", b"list uint int", 1)[:-30] + b"\xff" * 30
    corners = cube[0][cube[1]]
    good = meshes.stl(corners, "binary")
    files["cut.stl"], files["header.stl"] = good[:-5], good[:60]
    for number in (13, 2**31, 2**32 - 1):
        files[f"count_{number}.stl"] = good[:80] + struct.pack("<I", number) + good[84:]
    text = meshes.stl(corners, "ascii")
    files["ascii_cut.stl"] = text[:len(text) // 2]
    files["ascii_word.stl"] = text.replace(b"outer loop", b"outer space", 1)
    files["ascii_two.stl"] = text.replace(b"endloop", b"vertex 1 2 3\nvertex 1 2", 1)
    for value in (np.nan, np.inf):
        v = corners.copy()
        v[3, 1, 0] = value
        files[f"{value}.stl"] = meshes.stl(v, "binary")
        files[f"ascii_{value}.stl"] = meshes.stl(v, "ascii")
    return files


def check_refused(options, checks, label, words):
    result = common.call(options.program, *words)
    faults = [] if result.code == 2 else [f"exit code {result.code} expected 2"]
    if not result.stderr.strip():
        faults.append("no message")
    if result.seconds >= 1:
        faults.append(f"took {result.seconds:.2f} s")
    if result.stdout:
        faults.append(f"on stdout: {result.stdout[:50]!r}")
    message = result.stderr.strip().splitlines()[0][:110] if result.stderr.strip() else ""
    checks.true(label, not faults, ("; ".join(faults) + " -- said: " if faults else "") + message)
    return result


def check_hostile(options, checks, folder):
    hostile = os.path.join(folder, "hostile")
    os.mkdir(hostile)
    for name, data in hostile_files().items():
        path = os.path.join(hostile, name)
        if data is not None:
            with open(path, "wb") as file:
                file.write(data)
        check_refused(options, checks, f"hostile {name}", ["mesh", path])
    for ending in ("obj", "ply", "stl"):
        endless, place = os.path.join(hostile, f"endless.{ending}"), os.path.join(hostile, f"d.{ending}")
        os.symlink("/dev/zero", endless)
        os.mkdir(place)
        check_refused(options, checks, f"hostile endless.{ending}", ["mesh", endless])
        check_refused(options, checks, f"hostile folder.{ending}", ["mesh", place])
    for label, words in (("no file", []), ("--to .stl", [TREFOIL, "--to", hostile + "/x.stl"]),
                         ("--cells -3", [TREFOIL, "--field", hostile + "/x.h5", "--cells", "-3"]),
                         ("--cells 1e6", [TREFOIL, "--field", hostile + "/x.h5", "--cells", "1000000"]),
                         ("--spacing -1", [TREFOIL, "--tets", hostile + "/x.msh", "--spacing", "-1"])):
        result = common.call(options.program, "mesh", *words)
        checks.true(f"mesh {label}", result.code == 2 and result.stderr.strip() != "",
                    f"exit code {result.code}: {result.last_words()}")


# ---- defects ----

COUNTS = ["open edges", "non-manifold edges", "flipped edges", "duplicate vertices",
          "duplicate triangles", "degenerate triangles", "unused vertices", "self-intersections"]


def defective(rng):
    """(name, mesh, counts that are not 0, closed, components, closed after repair)"""
    v, t = meshes.box()
    a, b, c = t[0]
    split = (np.concatenate([v, [(v[a] + v[b]) / 2]]),
             np.concatenate([t[1:], [[a, 8, c], [8, b, c], [a, b, 8]]]))
    flipped = t.copy()
    flipped[4] = flipped[4, ::-1]
    second = meshes.placed(meshes.box(), meshes.rotation(rng), (0.4, 0.3, 0.2))
    cross = meshes.joined((v, t), second)
    rings = meshes.joined(meshes.torus(1, 0.3, 12, 7), meshes.placed(
        meshes.torus(1, 0.3, 12, 7), meshes.rotation(rng), (0.7, 0.2, 0.1)))
    # Two boxes along one edge, which they share: (0, 0, z).
    hinge = meshes.joined(meshes.placed((v, t), None, (0.5, 0.5, 0)),
                          meshes.placed((v, t), None, (-0.5, -0.5, 0)))
    corner = hinge[1].copy()
    for k in range(16):
        same = [i for i in range(8) if np.array_equal(hinge[0][i], hinge[0][k])]
        if k >= 8 and same:
            corner[corner == k] = same[0]
    loose = v[t].reshape(-1, 3), np.arange(36).reshape(-1, 3)
    return [
        ("cube", (v, t), {}, "yes", 1, "yes"),
        ("hole of a triangle", (v, t[1:]), {"open edges": 3}, "no", 1, "no"),
        ("two holes", (v, np.delete(t, [0, 7], axis=0)), {"open edges": 6}, "no", 1, "no"),
        ("triangle twice", (v, np.concatenate([t, t[5:6]])),
         {"duplicate triangles": 1, "non-manifold edges": 3}, "no", 1, "yes"),
        ("triangle and its back", (v, np.concatenate([t, t[5:6, ::-1]])),
         {"duplicate triangles": 1, "non-manifold edges": 3}, "no", 1, "yes"),
        ("flipped triangle", (v, flipped), {"flipped edges": 3}, "no", 1, "yes"),
        ("triangle of a vertex twice", (v, np.concatenate([t, [[0, 1, 1]]])),
         {"degenerate triangles": 1}, "no", 2, "yes"),
        ("triangle of no area in an edge", split, {"degenerate triangles": 1}, "yes", 1, "yes"),
        ("unused vertex", (np.concatenate([v, [[3, 3, 3]]]), t), {"unused vertices": 1}, "yes", 1,
         "yes"),
        ("loose triangles", loose, {"open edges": 36, "duplicate vertices": 28}, "no", 12, "yes"),
        ("hinge", (hinge[0], corner), {"non-manifold edges": 1, "duplicate vertices": 2,
                                       "unused vertices": 2}, "no", 1, None),
        ("boxes that cross", cross, {"self-intersections": meshes.crossings(cross)}, "yes", 2, "yes"),
        ("rings that cross", rings, {"self-intersections": meshes.crossings(rings)}, "yes", 2, "yes"),
        ("linked rings", meshes.joined(meshes.torus(1, 0.2, 24, 12), meshes.placed(
            meshes.torus(1, 0.2, 24, 12), np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]]), (1, 0, 0))),
         {}, "yes", 2, "yes")]


def check_defects(options, checks, folder):
    rng = np.random.default_rng(41)
    for name, mesh, expected, closed, components, repaired in defective(rng):
        path, out = os.path.join(folder, "defect.obj"), os.path.join(folder, "repaired.obj")
        meshes.write(path, mesh)
        said = meshes.run(options.program, path)
        found = {kind: meshes.count(said, kind) for kind in COUNTS if meshes.count(said, kind)}
        good = (found == expected and said["closed"] == closed and
                meshes.count(said, "components") == components and
                (closed == "yes") == meshes.is_closed(mesh))
        checks.true(f"report: {name}", good,
                    f"{found}, closed {said['closed']}, {meshes.count(said, 'components')} components"
                    + ("" if good else f" expected {expected}, {closed}, {components}"))
        said = meshes.run(options.program, path, "--repair", "--to", out)
        if repaired is None:
            continue
        fixed = meshes.read_obj(out)
        left = {kind: meshes.count(said, kind) for kind in COUNTS[1:7] if meshes.count(said, kind)}
        good = not left and said["closed"] == repaired and (repaired == "yes") == meshes.is_closed(fixed)
        volume = 1.0 if len(mesh[0]) <= 36 and repaired == "yes" and components != 2 else None
        if volume:
            good = good and abs(meshes.volume(fixed) - volume) < 1e-14
        checks.true(f"repair: {name}", good, f"closed {said['closed']}, left {left}")


def check_nested_repair(options, checks, folder):
    """A ball in a hollow ball, each turned at random, and triangles at random too."""
    rng = np.random.default_rng(43)
    right = meshes.joined(meshes.icosphere(3), meshes.turned(meshes.icosphere(2, 0.7)),
                          meshes.icosphere(2, 0.4))
    for number in range(3):
        mixed = right[1].copy()
        turn = rng.random(len(mixed)) < rng.uniform(0.1, 0.9)
        mixed[turn] = mixed[turn][:, ::-1]
        path, out = os.path.join(folder, "mixed.ply"), os.path.join(folder, "mixed_out.ply")
        meshes.write(path, (right[0], mixed))
        meshes.run(options.program, path, "--repair", "--to", out)
        fixed = meshes.read_ply(out)
        checks.below(f"repair: nested balls, {turn.sum()} of {len(turn)} turned: volume",
                     abs(meshes.volume(fixed) / meshes.volume(right) - 1)
                     if meshes.is_closed(fixed) else np.nan, 1e-12)


# ---- scenes ----

FALLING = """\
plimsoll: 1
name: falling
duration: 1
time_step: {max_dt: 0.01}
rigid:
  bodies:
    - name: stone
      shape: {file: {path: stone.ply, scale: 0.5}}
      position: [1, 2, 3]
      orientation: {axis: [1, 2, -1], angle: 40}
      velocity: [0.3, 2, -0.4]
      angular_velocity: [0, 0, 0]
      density: 2500
    - name: floor
      shape: {box: {}}
      motion: static
probes:
  - {name: stone, quantities: [position, velocity, mass, angular_momentum]}
"""


def check_shapes(options, checks, folder):
    """The scene that is delivered: masses of what is in it."""
    scene = common.scene_path("rigid/shapes.yaml")
    exact = 2 * np.pi / 3 * (0.6**3 - 0.48**3) * 1000
    errors, all_cells = [], (32, 64, 128)
    for cells in all_cells:
        output = common.run(options.program, scene, os.path.join(folder, f"shapes{cells}"),
                            {"params/cells": cells}, "--frames", 3)
        probes = output.probes()
        errors.append(abs(probes["bowl.mass"][0] / exact - 1))
        if cells == 64:
            knot = 1000 * 0.8**3 * meshes.volume(meshes.read_obj(TREFOIL))
            checks.below("shapes: mass of the knot", abs(probes["knot.mass"][0] / knot - 1), 1e-12)
            checks.near("shapes: mass of the bowl at 64 cells", probes["bowl.mass"][0], exact, 2)
            centre = (0.8 * meshes.mass_properties(meshes.read_obj(TREFOIL))[1] + [-2.4, 1.4, 0])
            checks.below("shapes: centre of the knot", np.max(np.abs(
                probes.vector("knot.position") - centre)), 1e-12)
    slope = -np.polyfit(np.log(all_cells), np.log(errors), 1)[0]
    checks.above("shapes: order of the bowl's mass, errors " +
                 ", ".join(f"{error:.2g}" for error in errors), slope, 1)
    checks.true("shapes: the mass of the bowl converges", errors[0] > errors[1] > errors[2])


def check_falling(options, checks, folder):
    """A mesh whose origin is far outside it: its centre of mass goes along the parabola."""
    rng = np.random.default_rng(47)
    mesh = meshes.placed(meshes.lumpy(rng, 3, 0.2), meshes.rotation(rng), (3, -2, 1.5))
    meshes.write(os.path.join(folder, "stone.ply"), mesh)
    scene = common.write_scene(folder, "falling.yaml", FALLING)
    volume, centre, _ = meshes.mass_properties(mesh)
    axis = np.array([1, 2, -1]) / 6**0.5
    half = np.radians(40) / 2
    turn = common.quat_matrix(np.concatenate([[np.cos(half)], np.sin(half) * axis]))
    start = np.array([1, 2, 3]) + turn @ (0.5 * centre)
    for label, gravity, spin in (("still", [0, -G, 0], [0, 0, 0]), ("turning", [0.5, -G, 1],
                                                                    [2, -3, 5])):
        output = common.run(options.program, scene, os.path.join(folder, f"fall_{label}"),
                            {"gravity": gravity, "rigid/bodies/stone/angular_velocity": spin})
        probes = output.probes()
        t = probes["time"][:, None]
        velocity = np.array([0.3, 2, -0.4])
        path = start + t * velocity + t * t * np.array(gravity) / 2
        checks.below(f"falling mesh, {label}: centre along the parabola",
                     np.max(np.abs(probes.vector("stone.position") - path)), 1e-12)
        checks.below(f"falling mesh, {label}: velocity", np.max(np.abs(
            probes.vector("stone.velocity") - velocity - t * np.array(gravity))), 1e-12)
        checks.below(f"falling mesh, {label}: mass", abs(
            probes["stone.mass"][0] / (2500 * 0.125 * volume) - 1), 1e-12)
        momentum = probes.vector("stone.angular_momentum")
        inertia = 2500 * 0.5**5 * turn @ meshes.mass_properties(mesh)[2] @ turn.T
        size = max(np.linalg.norm(inertia), 1e-300)
        checks.below(f"falling mesh, {label}: angular momentum", np.max(np.abs(
            momentum - inertia @ np.array(spin))) / size, 1e-10)
    return scene


def check_resume(options, checks, folder, scene):
    program = options.program
    whole = common.run(program, scene, os.path.join(folder, "whole"))
    half = common.run(program, scene, os.path.join(folder, "half"), None, "--frames", 12)
    expected = common.info_hash(program, whole.state(24))
    result = common.call(program, "resume", half.folder, "--quiet")
    found = common.info_hash(program, half.state(24)) if result.code == 0 else result.last_words()
    checks.true("resume with a mesh file: hash", found == expected, f"{found} expected {expected}")
    # The scene that a run writes can be run itself.
    again = common.call(program, "run", whole.path("scene.yaml"), "--out",
                        os.path.join(folder, "again"), "--quiet")
    found = (common.info_hash(program, os.path.join(folder, "again", "state_00024.h5"))
             if again.code == 0 else again.last_words())
    checks.true("run of a written scene with a mesh file: hash", found == expected, found)
    check_changed(options, checks, folder, scene)


def check_changed(options, checks, folder, scene):
    """The mesh is changed between run and resume: refused, and good again with the old mesh."""
    program, stone = options.program, os.path.join(folder, "stone.ply")
    half = common.run(program, scene, os.path.join(folder, "changed"), None, "--frames", 12)
    kept = stone + ".kept"
    shutil.copy(stone, kept)
    v, t = meshes.read_ply(stone)
    v[5] *= 1 + 1e-15 * 4
    meshes.write(stone, (v, t))
    result = check_refused(options, checks, "resume with another mesh in the file",
                           ["resume", half.folder, "--quiet"])
    checks.true("resume with another mesh: says which file", "stone.ply" in result.stderr)
    os.remove(stone)
    check_refused(options, checks, "resume without the mesh file",
                  ["resume", half.folder, "--quiet"])
    for verb in (["check", scene], ["run", scene, "--out", os.path.join(folder, "none")]):
        result = check_refused(options, checks, f"{verb[0]} without the mesh file", verb)
        checks.true(f"{verb[0]} without the mesh file: line and pointer",
                    "line 8, /rigid/bodies/0/shape/file" in result.stderr,
                    result.stderr.strip().splitlines()[0][:150])
    checks.true("run without the mesh file: no folder", not os.path.exists(
        os.path.join(folder, "none")))
    shutil.move(kept, stone)
    result = common.call(program, "resume", half.folder, "--quiet")
    checks.true("resume with the first mesh again", result.code == 0, result.last_words()
                if result.code else "exit code 0")


def check_bad_shapes(options, checks, folder):
    cube = meshes.box()
    meshes.write(os.path.join(folder, "open.ply"), (cube[0], cube[1][1:]))
    meshes.write(os.path.join(folder, "turned.ply"), meshes.turned(cube))
    common.write_scene(folder, "broken.ply", "ply\nformat ascii 1.0\nelement vertex 4000000000\n")
    common.write_scene(folder, "flat.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 3 2 1\n")
    for name, shape, place in (
            ("broken file", "{file: {path: broken.ply}}", "line 8, /rigid/bodies/0/shape"),
            ("flat surface", "{file: {path: flat.obj}}", "line 7, /rigid/bodies/0"),
            ("inside out without repair", "{file: {path: turned.ply, repair: false}}",
             "line 7, /rigid/bodies/0"),
            ("wrong ending", "{file: {path: falling.yaml}}", "line 8, /rigid/bodies/0/shape/file"),
            ("no path", "{file: {}}", "line 8, /rigid/bodies/0/shape/file"),
            ("scale 0", "{file: {path: turned.ply, scale: 0}}",
             "line 8, /rigid/bodies/0/shape/file/scale"),
            ("half-space alone", "{half_space: {}}", "line 8, /rigid/bodies/0/shape"),
            ("union of nothing", "{union: {of: []}}", "line 8, /rigid/bodies/0/shape/union/of"),
            ("nothing is left", "{difference: {of: [{ball: {}}, {box: {size: [2, 2, 2]}}]}}",
             "line 8, /rigid/bodies/0/shape"),
            ("apart", "{intersection: {of: [{ball: {}}, {place: {shape: {ball: {}}, "
             "position: [5, 0, 0]}}]}}", "line 8, /rigid/bodies/0/shape")):
        text = FALLING.replace("{file: {path: stone.ply, scale: 0.5}}", shape)
        scene = common.write_scene(folder, "bad.yaml", text)
        result = check_refused(options, checks, f"scene: {name}", ["check", scene])
        checks.true(f"scene: {name}: line and pointer", place in result.stderr, place)
    scene = common.write_scene(folder, "open.yaml", FALLING.replace(
        "{path: stone.ply, scale: 0.5}", "{path: open.ply}"))
    result = common.call(options.program, "check", scene)
    checks.true("scene: open surface: warned of", "gaps" in result.stderr, result.last_words())
    scene = common.write_scene(folder, "repaired.yaml", FALLING.replace(
        "{path: stone.ply, scale: 0.5}", "{path: turned.ply}"))
    output = common.run(options.program, scene, os.path.join(folder, "repaired"), None, "--frames", 1)
    checks.below("scene: inside out with repair: mass", abs(output.probes()["stone.mass"][0] / 2500 - 1),
                 1e-14)


def main():
    options = common.arguments(__doc__)
    checks = common.Checks()
    with common.temporary() as folder:
        check_round_trips(options, checks, folder)
        check_forms(options, checks, folder)
        check_hostile(options, checks, folder)
        check_defects(options, checks, folder)
        check_nested_repair(options, checks, folder)
        check_shapes(options, checks, folder)
        scene = check_falling(options, checks, folder)
        check_resume(options, checks, folder, scene)
        check_bad_shapes(options, checks, folder)
    checks.finish()


if __name__ == "__main__":
    main()
