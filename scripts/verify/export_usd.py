#!/usr/bin/python3
"""USD files against the frames and probes they come from, read by a parser of our own (usda.py), and the first frame by
two readers of others where scripts/setup --tools has put them."""
import json
import os

import common
import export_case as case
import usda
from common import np

NAMES = {"_7up": "7up", "a_b": "a-b", "a_b_2": "a_b", "jelly": "jelly", "flag": "flag"}  # as identifiers: as in the scene


def matrix(prim, time):
    """(place, rotation) of a body."""
    return prim.at("xformOp:translate", time), common.quat_matrix(prim.at("xformOp:orient", time))


def check_layer(options, checks, folder):
    output = case.run(options, folder)
    layer = usda.read(case.export(options, output, "usd"))
    run, meta = layer.children["run"], layer.meta
    checks.true("layer: units, axis, times", (meta["metersPerUnit"], meta["upAxis"], meta["timeCodesPerSecond"],
                                              meta["startTimeCode"], meta["endTimeCode"], meta["defaultPrim"])
                == (1, "Y", 20, 0, case.FRAMES, "run"))
    found = {name: prim.meta["displayName"] for name, prim in run.children.items() if "displayName" in prim.meta}
    checks.true("names: identifiers, no two alike, no ground", found == NAMES, f"{found}")
    kinds = {name: prim.kind for name, prim in run.children.items()}
    checks.true("kinds", kinds == {"_7up": "Xform", "a_b": "Xform", "a_b_2": "Xform", "jelly": "Mesh", "flag": "Mesh",
                                   "spray_liquid": "Mesh", "pool_liquid": "Mesh", "spray_spray": "Points",
                                   "pool_drops": "Points"}, f"{kinds}")


def check_rigid(options, checks, folder):
    """Vertices of every frame, poses and velocities of the probes."""
    output = case.run(options, folder)
    run = usda.read(case.export(options, output, "usd")).children["run"]
    probes = output.probes()
    for identifier, name in list(NAMES.items())[:3]:
        prim = run.children[identifier]
        mesh = prim.children["surface"]
        worst = probe = speed = 0
        exact = True
        for number in case.frames(output):
            frame = case.Frame(output, number)
            vertices, _, triangles = frame.body("rigid", name)
            place, turn = matrix(prim, number)
            worst = max(worst, np.abs(mesh.values["points"] @ turn.T + place - vertices).max())
            motion = frame["rigid/motions"][frame.names("rigid").index(name)].astype(np.float32)
            exact &= np.array_equal(prim.at("userProperties:velocity", number).astype(np.float32), motion[:3])
            exact &= np.array_equal(prim.at("userProperties:angularVelocity", number).astype(np.float32), motion[3:])
            if f"{name}.position.x" not in probes.index:
                continue
            row = case.probe_row(output, frame.time)[1]
            rotation = common.quat_matrix(probes.vector(f"{name}.orientation", "wxyz")[row])
            probe = max(probe, np.abs(place - probes.vector(f"{name}.position")[row]).max(),
                        np.abs(turn - rotation).max())
            speed = max(speed, np.abs(prim.at("userProperties:velocity", number) -
                                      probes.vector(f"{name}.velocity")[row]).max())
        indices = mesh.values["faceVertexIndices"].astype(int).reshape(-1, 3)
        checks.true(f"{name}: triangles", np.array_equal(indices, triangles) and
                    np.array_equal(mesh.values["faceVertexCounts"], np.full(len(triangles), 3)))
        checks.below(f"{name}: vertices, off the frames', of the scene's size", worst / case.SIZE, 1e-6)
        checks.true(f"{name}: velocities as in the frames, to the float", exact)
        checks.below(f"{name}: pose, off the probes'", probe / case.SIZE, 1e-6)
        checks.below(f"{name}: velocity, off the probes', m/s", speed, 1e-6)
    checks.true("a_b does not move: one value", "xformOp:translate" in run.children["a_b_2"].values)
    samples = run.children["_7up"].samples["xformOp:translate"]
    checks.true("a sample a frame, at its number", sorted(samples) == list(range(case.FRAMES + 1)))


def check_deformable(options, checks, folder):
    output = case.run(options, folder)
    run = usda.read(case.export(options, output, "usd")).children["run"]
    for name in ("jelly", "flag"):
        prim, same, triangles_same = run.children[name], True, True
        for number in case.frames(output):
            vertices, velocities, triangles = case.Frame(output, number).body("deformable", name)
            same &= np.array_equal(prim.samples["points"][number].astype(np.float32), vertices)
            same &= np.array_equal(prim.samples["velocities"][number].astype(np.float32), velocities)
            triangles_same &= np.array_equal(prim.values["faceVertexIndices"].reshape(-1, 3), triangles)
        checks.true(f"{name}: points and velocities of all frames, to the float", same)
        checks.true(f"{name}: the frames' triangles, once", triangles_same)


def series_at(folder, clips, time):
    """What a reader of value clips finds at a time: the file that is active there, at its own time."""
    active = [index for start, index in clips["active"] if start <= time]
    own = [clip for stage, clip in clips["times"] if stage == time]
    layer = usda.read(os.path.join(folder, clips["assetPaths"][int(active[-1])]))
    return layer.children[clips["primPath"].strip("/")], own[0]


def check_clips(options, checks, folder):
    output = case.run(options, folder)
    path = case.export(options, output, "usd")
    run = usda.read(path).children["run"]
    clips = run.meta["clips"]["default"]
    manifest = usda.read(os.path.join(os.path.dirname(path), clips["manifestAssetPath"])).children["run"]
    for group, kind in (("spray.liquid", "Mesh"), ("pool.liquid", "Mesh"), ("spray.spray", "Points"),
                        ("pool.drops", "Points")):
        identifier = group.replace(".", "_")
        arrays = ["vertices", "velocities"] if kind == "Mesh" else ["positions", "velocities"]
        same, count = True, 0
        for number in case.frames(output):
            found, own = series_at(os.path.dirname(path), clips, number)
            prim, frame = found.children[identifier], case.Frame(output, number)
            for name, array in zip(("points", "velocities"), arrays):
                same &= np.array_equal(prim.samples[name][own].astype(np.float32), frame[f"{group}/{array}"])
            if kind == "Mesh":
                same &= np.array_equal(prim.samples["faceVertexIndices"][own], frame[f"{group}/triangles"].ravel())
                same &= len(prim.samples["faceVertexCounts"][own]) == len(frame[f"{group}/triangles"])
            else:
                same &= np.array_equal(prim.samples["widths"][own].astype(np.float32), 2 * frame[f"{group}/radii"])
            count = max(count, len(prim.samples["points"][own]))
            same &= set(prim.samples) == set(manifest.children[identifier].types)
        checks.true(f"{group}: every frame through its clip, to the float", same, f"up to {count} points")
        checks.true(f"{group}: nothing in the layer is before the clips",
                    not set(manifest.children[identifier].types) & set(run.children[identifier].types))


def check_one_frame(options, checks, folder):
    """A frame by itself holds everything, in other units and axes."""
    output = case.run(options, folder)
    path = case.export(options, output, "usd", "--frame", 4, "--scale", 100, "--up", "z", "--out",
                       os.path.join(folder, "alone"))
    layer, frame = usda.read(path), case.Frame(output, 4)
    run = layer.children["run"]
    checks.true("one frame: one file", os.listdir(os.path.dirname(path)) == ["run.usda"] and "clips" not in run.meta)
    checks.true("one frame: centimetres, z up", (layer.meta["metersPerUnit"], layer.meta["upAxis"]) == (0.01, "Z"))
    turned = lambda v: 100 * np.asarray(v, dtype=float)[..., [0, 2, 1]] * [1, -1, 1]
    vertices, _, _ = frame.body("rigid", "7up")
    place, turn = matrix(run.children["_7up"], 4)
    worst = np.abs(run.children["_7up"].children["surface"].values["points"] @ turn.T + place - turned(vertices)).max()
    points = run.children["pool_liquid"].samples["points"][4]
    worst = max(worst, np.abs(points - turned(frame["pool.liquid/vertices"])).max())
    checks.below("one frame: vertices, of the scene's size", worst / 100 / case.SIZE, 1e-6)


def check_readers(options, checks, folder):
    """The first frame by three.js's reader and by tinyusdz."""
    output = case.run(options, folder)
    path = case.export(options, output, "usd")
    frame = case.Frame(output, 0)
    for reader in ("three", "tinyusdz"):
        for file, names in ((path, list(NAMES)), (os.path.join(os.path.dirname(path), "run_00000.usda"),
                                                  ["spray_liquid", "pool_liquid"])):
            meshes = json.loads(case.node("usd.mjs", reader, file))
            worst, missing = 0, [name for name in names if name not in meshes]
            for name in set(names) - set(missing):
                if name in NAMES:
                    wanted = frame.body("rigid" if NAMES[name] in case.RIGID else "deformable", NAMES[name])[0]
                else:
                    wanted = frame[name.replace("_", ".") + "/vertices"]
                worst = max(worst, case.apart(np.array(meshes[name]).reshape(-1, 3), wanted))
            checks.true(f"{reader}: all meshes of {os.path.basename(file)}", not missing, f"missing {missing}")
            checks.below(f"{reader}: vertices, of the scene's size", worst / case.SIZE, 1e-6)


def check_drops(options, checks, folder):
    """Drops and surfaces of several frames, as tinyusdz has read their files."""
    output = case.run(options, folder)
    target = os.path.dirname(case.export(options, output, "usd"))
    for group, array in (("spray.spray", "positions"), ("pool.drops", "positions"), ("spray.liquid", "vertices"),
                         ("pool.liquid", "vertices")):
        worst = count = 0
        for number in (0, 3, case.FRAMES):
            again = os.path.join(folder, "again.usda")
            with open(again, "w", encoding="utf-8") as file:
                file.write(case.node("usd.mjs", "layer", os.path.join(target, f"run_{number:05d}.usda")))
            prim, frame = usda.read(again).children["run"].children[group.replace(".", "_")], case.Frame(output, number)
            pairs = [("points", frame[f"{group}/{array}"]), ("velocities", frame[f"{group}/velocities"])]
            if array == "positions":
                pairs.append(("widths", 2 * frame[f"{group}/radii"][:, None]))
            for name, wanted in pairs:
                found = np.asarray(list(prim.samples[name].values())[0], dtype=float).reshape(wanted.shape)
                worst, count = max(worst, np.abs(found - wanted).max(initial=0)), count + len(wanted)
        if group != "pool.drops": # the pool is calm
            checks.true(f"tinyusdz, {group}: has points in some frame", count > 0, f"{count}")
        checks.below(f"tinyusdz, {group}: points, velocities, widths, of the scene's size", worst / case.SIZE, 1e-6)


if __name__ == "__main__":
    case.verify(__doc__, [check_layer, check_rigid, check_deformable, check_clips, check_one_frame], [check_readers, check_drops])
