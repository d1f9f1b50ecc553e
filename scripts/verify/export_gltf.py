#!/usr/bin/python3
"""glTF files against the frames and probes they come from, read by a parser of our own."""
import json
import os
import struct

import common
import export_case as case
from common import np


def read(path):
    with open(path, "rb") as file:
        data = file.read()
    length, = struct.unpack("<I", data[12:16])
    tree, binary = json.loads(data[20:20 + length]), data[28 + length:]

    def array(index):
        accessor = tree["accessors"][index]
        view = tree["bufferViews"][accessor["bufferView"]]
        columns = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[accessor["type"]]
        kind = {5126: "<f4", 5125: "<u4"}[accessor["componentType"]]
        return np.frombuffer(binary, kind, accessor["count"] * columns, view["byteOffset"]).reshape(-1, columns)
    return data, tree, array


def export(options, output, *words):
    result = common.call(options.program, "export", output, "--to", "gltf", *words)
    if result.code != 0:
        raise RuntimeError(result.stderr)
    return read(result.stdout.strip())


def keys(tree, array, node, path):
    animation = tree["animations"][0]
    channel, = [c for c in animation["channels"] if c["target"] == {"node": node, "path": path}]
    sampler = animation["samplers"][channel["sampler"]]
    return array(sampler["input"]).ravel(), array(sampler["output"])


def vertices_of(output, number, group):
    return common.datasets(os.path.join(output, f"frame_{number:05d}.h5"))[f"{group}/vertices"]


def check_rigid(options, checks, folder):
    """Every vertex, put in place by translation and rotation, is where the frame has it."""
    output = os.path.join(folder, "tumble")
    common.run(options.program, common.scene_path("rigid/tumble.yaml"), output, None, "--frames", "12")
    data, tree, array = export(options, output)
    checks.true("rigid: the header tells the size", struct.unpack("<I", data[8:12])[0] == len(data))
    node = tree["nodes"][0]
    times, places = keys(tree, array, 0, "translation")
    turns = keys(tree, array, 0, "rotation")[1]
    primitive = tree["meshes"][node["mesh"]]["primitives"][0]
    rest = array(primitive["attributes"]["POSITION"]).astype(float)
    checks.true("rigid: a key a frame", len(times) == 13)
    worst = 0
    for k in range(13):
        x, y, z, w = turns[k].astype(float)
        at = rest @ np.asarray(common.quat_matrix((w, x, y, z))).T + places[k]
        wanted = vertices_of(output, k, "rigid")
        worst = max(worst, max(np.abs(wanted - point).max(axis=1).min() for point in at))
    checks.below("rigid: vertices, off the frames', m", worst, 1e-6 * np.abs(rest).max() * 2)
    part = export(options, output, "--frames", "3:9", "--every", "3")
    checks.true("rigid: --frames and --every", len(keys(part[1], part[2], 0, "translation")[0]) == 3)


def check_deformable(options, checks, folder):
    """The first shape and each morph target add up to the vertices of their frame."""
    output = os.path.join(folder, "jelly")
    common.run(options.program, common.scene_path("deform/jelly.yaml"), output, None, "--frames", "3")
    _, tree, array = export(options, output)
    index, = [i for i, node in enumerate(tree["nodes"]) if node["name"] == "jelly"]
    primitive = tree["meshes"][tree["nodes"][index]["mesh"]]["primitives"][0]
    rest = array(primitive["attributes"]["POSITION"])
    weights = keys(tree, array, index, "weights")[1].reshape(4, 3)
    checks.true("deformable: weights are 1 at their own frame", np.array_equal(weights, np.eye(4)[:, 1:]))
    for k, target in enumerate(primitive["targets"], 1):
        at, wanted = rest + array(target["POSITION"]), vertices_of(output, k, "deformable")
        worst = max(np.abs(wanted - point).max(axis=1).min() for point in at)
        checks.below(f"deformable, frame {k}: vertices, off the frame's, m", worst, 1e-6)


def check_bad_requests(options, checks, folder):
    output = os.path.join(folder, "tumble")
    for words in (["--frames", "9:3"], ["--frames", "a"], ["--every", "0"], ["--frame", "99"],
                  ["--frame", "1", "--frames", "1:2"], ["--scale", "0"], ["--up", "x"]):
        result = common.call(options.program, "export", output, "--to", "gltf", *words)
        checks.true(f"refused: {' '.join(words)}", result.code == 2 and result.stderr != "")


def check_normals(options, checks, folder):
    """Unit length, along the faces around them: within 90 degrees of each, so that nothing is dark from outside."""
    output = case.run(options, folder)
    _, tree, array = read(case.export(options, output, "gltf"))
    checks.true("names, no ground", sorted(node["name"] for node in tree["nodes"]) ==
                sorted(case.RIGID + ("jelly", "flag")))
    for mesh in tree["meshes"]:
        primitive, worst = mesh["primitives"][0], 1
        lengths = 0
        triangles = array(primitive["indices"]).reshape(-1, 3).astype(int)
        targets = [{"POSITION": None}] + primitive.get("targets", [])
        for target in targets[::3]:
            points, normals = (array(primitive["attributes"][name]).astype(float) for name in ("POSITION", "NORMAL"))
            if target["POSITION"] is not None:
                points, normals = points + array(target["POSITION"]), normals + array(target["NORMAL"])
            lengths = max(lengths, np.abs(np.linalg.norm(normals, axis=1) - 1).max())
            sides = points[triangles][:, 1:] - points[triangles][:, :1]
            faces = np.cross(sides[:, 0], sides[:, 1])
            faces /= np.linalg.norm(faces, axis=1)[:, None]
            worst = min(worst, np.einsum("tcx,tx->tc", normals[triangles], faces).min())
        checks.below(f"{mesh['name']}: lengths of normals, off 1", lengths, 1e-6)
        checks.above(f"{mesh['name']}: normals beside faces, least cosine", worst, 0.7 if mesh["name"] in case.RIGID else 0.2)
    box, = [mesh for mesh in tree["meshes"] if mesh["name"] == "a-b"]
    normals = array(box["primitives"][0]["attributes"]["NORMAL"])
    checks.below("a-b: a box's normals are its sides', off", np.abs(np.abs(normals).max(axis=1) - 1).max(), 1e-6)


def check_liquid(options, checks, folder):
    """The surface of a liquid is in the file of one frame."""
    output = case.run(options, folder)
    _, tree, array = read(case.export(options, output, "gltf", "--frame", 3))
    for name in case.SERIES:
        mesh, = [mesh for mesh in tree["meshes"] if mesh["name"] == name]
        points = array(mesh["primitives"][0]["attributes"]["POSITION"])
        checks.true(f"{name}, frame 3: vertices of the frame, to the float",
                    np.array_equal(np.unique(points, axis=0), np.unique(vertices_of(output.folder, 3, name), axis=0)))


def check_poses(options, checks, folder):
    """Translation and rotation of each key against the probes, times against the frames, to the float."""
    output = case.run(options, folder)
    _, tree, array = read(case.export(options, output, "gltf"))
    probes = output.probes()
    wanted = np.array([case.Frame(output, number).time for number in case.frames(output)])
    for name in ("7up", "a-b"):
        index, = [i for i, node in enumerate(tree["nodes"]) if node["name"] == name]
        times, places = keys(tree, array, index, "translation")
        checks.true(f"{name}: times of keys are the frames', to the float",
                    np.array_equal(times, (wanted - wanted[0]).astype(np.float32)))
        turns = keys(tree, array, index, "rotation")[1].astype(float)[:, [3, 0, 1, 2]]
        worst = 0
        for k, time in enumerate(wanted):
            row = case.probe_row(output, time)[1]
            rotation = common.quat_matrix(probes.vector(f"{name}.orientation", "wxyz")[row])
            worst = max(worst, np.abs(places[k] - probes.vector(f"{name}.position")[row]).max(),
                        np.abs(common.quat_matrix(turns[k]) - rotation).max())
        checks.below(f"{name}: pose, off the probes', of the scene's size", worst / case.SIZE, 1e-6)
    still, = [i for i, node in enumerate(tree["nodes"]) if node["name"] == "a_b"]
    vertices = case.Frame(output, 0).body("rigid", "a_b")[0]
    primitive = tree["meshes"][tree["nodes"][still]["mesh"]]["primitives"][0]
    moved = any(channel["target"]["node"] == still for channel in tree["animations"][0]["channels"])
    if not moved:
        place = np.array(tree["nodes"][still].get("translation", [0, 0, 0]))
        x, y, z, w = tree["nodes"][still].get("rotation", [0, 0, 0, 1])
    else:
        place = keys(tree, array, still, "translation")[1][0]
        x, y, z, w = keys(tree, array, still, "rotation")[1][0]
    at = array(primitive["attributes"]["POSITION"]) @ common.quat_matrix((w, x, y, z)).T + place
    checks.below("a_b, which stands still: vertices, of the scene's size", case.apart(at, vertices) / case.SIZE, 1e-6)


POOL = """\
plimsoll: 1
name: pool
duration: 0.1
fluid:
  domain: {high: [0.5, 0.5, 0.5]}
  cells: 8
  sides: {top: open}
  liquid: {level: "=y-0.2"}
"""


def check_messages(options, checks, folder):
    """What glTF cannot hold is said, with the format that can."""
    output = case.run(options, folder)
    result = common.call(options.program, "export", output.folder, "--to", "gltf")
    checks.true("left out liquids and drops are told of, with USD", result.code == 0 and "liquid" in result.stderr
                and "--to usd" in result.stderr and "--frame N" in result.stderr, result.last_words())
    pool = common.run(options.program, common.write_scene(folder, "pool.yaml", POOL), os.path.join(folder, "pool"))
    result = common.call(options.program, "export", pool.folder, "--to", "gltf")
    checks.true("a run of nothing but liquid is refused, with USD", result.code == 2 and "--to usd" in result.stderr
                and "--frame N" in result.stderr and not os.path.exists(pool.path("export/run.glb")), result.last_words())
    result = common.call(options.program, "export", pool.folder, "--to", "gltf", "--frame", 1)
    checks.true("a frame of it is not", result.code == 0 and os.path.exists(pool.path("export/run.glb")))


# ---- by others ----


def check_validator(options, checks, folder):
    output = case.run(options, folder)
    for words in ((), ("--frame", 3), ("--scale", 100, "--up", "z")):
        found = json.loads(case.node("gltf.mjs", case.export(options, output, "gltf", *words)))
        checks.true(f"validator{' '.join(map(str, ('',) + words))}: no errors, no warnings",
                    found["numErrors"] == found["numWarnings"] == 0, f"{found['messages'][:3]}")


def check_blender(options, checks, folder):
    """Bodies in Blender are where the frames have them, by name, at the frames' times."""
    output, frames = case.run(options, folder), (0, 3, case.FRAMES)
    found = case.blender(folder, frames, case.export(options, output, "gltf"))["run.glb"]
    checks.true("Blender: names", sorted(found) == sorted(case.RIGID + ("jelly", "flag")), f"{sorted(found)}")
    for name, places in found.items():
        group = "rigid" if name in case.RIGID else "deformable"
        worst = max(case.apart(np.array(places[str(k)]), case.Frame(output, k).body(group, name)[0]) for k in frames)
        checks.below(f"Blender, {name}: vertices of three frames, of the scene's size", worst / case.SIZE, 1e-6)


if __name__ == "__main__":
    case.verify(__doc__, [check_rigid, check_deformable, check_bad_requests, check_normals, check_liquid, check_poses,
                 check_messages],
                [check_validator, check_blender])
