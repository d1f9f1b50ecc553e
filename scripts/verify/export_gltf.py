#!/usr/bin/python3
"""glTF files against the frames and probes they come from, read by a parser of our own."""
import json
import os
import struct

import common
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


if __name__ == "__main__":
    common.verify(__doc__, [check_rigid, check_deformable, check_bad_requests])
