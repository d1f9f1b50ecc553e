#!/usr/bin/python3
"""PLY and OBJ files against the frames they come from, read by parsers of our own, by meshio and by Blender."""
import os

import common
import export_case as case
import meshes
import ply
from common import np

# Names of files: those in the scene. The cylinder and the boxes have edges; the flag has none.
FILES = {"_7up": ("rigid", "7up"), "a_b": ("rigid", "a-b"), "a_b_2": ("rigid", "a_b"), "jelly": ("deformable", "jelly"),
         "flag": ("deformable", "flag")}
LIQUIDS = {"spray_liquid": "spray.liquid", "pool_liquid": "pool.liquid"}
DROPS = {"spray_spray": "spray.spray", "pool_drops": "pool.drops"}


def path(target, name, number, ending="ply"):
    return os.path.join(target, f"{name}_{number:05d}.{ending}")


def wanted(frame, name):
    if name in FILES:
        return frame.body(*FILES[name])
    return tuple(frame[f"{LIQUIDS[name]}/{array}"] for array in ("vertices", "velocities", "triangles"))


def check_files(options, checks, folder):
    output = case.run(options, folder)
    for ending in ("ply", "obj"):
        target = case.export(options, output, ending, "--out", os.path.join(folder, ending))
        names = sorted(f"{name}_{number:05d}.{ending}" for name in [*FILES, *LIQUIDS, *DROPS]
                       for number in case.frames(output))
        checks.true(f"{ending}: a file a body, liquid and set of drops and frame, no ground",
                    sorted(os.listdir(target)) == names)


def check_capitals(options, checks, folder):
    """Names that are alike but for capitals have files that differ by more."""
    scene = common.write_scene(folder, "capitals.yaml", "plimsoll: 1\nduration: 0.05\nrigid:\n  bodies:\n"
                               "    - {name: crate, shape: {box: {}}}\n    - {name: Crate, shape: {box: {}}, position: [2, 0, 0]}\n")
    output = common.run(options.program, scene, os.path.join(folder, "capitals"))
    found = os.listdir(case.export(options, output, "ply", "--frame", 0))
    checks.true("capitals alone do not part files", len({name.lower() for name in found}) == 2, ", ".join(sorted(found)))


def check_surfaces(options, checks, folder):
    output = case.run(options, folder)
    target = case.export(options, output, "ply")
    for name in [*FILES, *LIQUIDS]:
        same = colors = True
        for number in case.frames(output):
            frame = case.Frame(output, number)
            vertices, velocities, triangles = wanted(frame, name)
            found, faces = ply.read(path(target, name, number))
            same &= np.array_equal(ply.columns(found, "xyz"), vertices) and np.array_equal(faces, triangles)
            same &= np.array_equal(ply.columns(found, ("vx", "vy", "vz")), velocities)
            if name in FILES:
                group, body = FILES[name]
                color = np.floor(255 * frame[f"{group}/colors"][frame.names(group).index(body)] + 0.5)
                colors &= bool(np.all(ply.columns(found, ("red", "green", "blue")) == color))
        checks.true(f"{name}: vertices, velocities, triangles of all frames, to the float", same)
        checks.true(f"{name}: colour", colors)


def check_normals(options, checks, folder):
    """Where there are any they are those of the faces around; bodies with edges have none."""
    output = case.run(options, folder)
    target = case.export(options, output, "ply")
    for name in [*FILES, *LIQUIDS]:
        found, faces = ply.read(path(target, name, 5))
        has = "nx" in found.dtype.names
        checks.true(f"{name}: {'has normals' if name not in ('_7up', 'a_b', 'a_b_2', 'jelly') else 'has edges, no normals'}",
                    has == (name not in ("_7up", "a_b", "a_b_2", "jelly")))
        if not has:
            continue
        normals, points = ply.columns(found, ("nx", "ny", "nz")).astype(float), ply.columns(found, "xyz").astype(float)
        checks.below(f"{name}: lengths of normals, off 1", np.abs(np.linalg.norm(normals, axis=1) - 1).max(), 1e-6)
        sides = points[faces][:, 1:] - points[faces][:, :1]
        areas = np.cross(sides[:, 0], sides[:, 1])
        sums = np.zeros_like(points)
        for corner in range(3):
            np.add.at(sums, faces[:, corner], areas)
        sums /= np.maximum(np.linalg.norm(sums, axis=1), 1e-300)[:, None]
        cosine = np.einsum("ij,ij->i", sums, normals)
        # Both are means, weighted otherwise: they part where a liquid meets its walls, and where its surface is folded
        # flat upon itself no direction is outward.
        checks.above(f"{name}: normals beside mean ones of faces, median cosine", np.median(cosine), 0.99)
        checks.above(f"{name}: cosine that 95 of 100 reach", np.percentile(cosine, 5), 0.5)


def check_drops(options, checks, folder):
    output = case.run(options, folder)
    target = case.export(options, output, "ply")
    for name, group in DROPS.items():
        same = True
        for number in case.frames(output):
            frame, (found, _) = case.Frame(output, number), ply.read(path(target, name, number))
            same &= np.array_equal(ply.columns(found, "xyz"), frame[f"{group}/positions"])
            same &= np.array_equal(ply.columns(found, ("vx", "vy", "vz")), frame[f"{group}/velocities"])
            same &= np.array_equal(found["radius"], frame[f"{group}/radii"])
        checks.true(f"{name}: places, velocities, radii of all frames, to the float", same)


def check_obj(options, checks, folder):
    output = case.run(options, folder)
    target = case.export(options, output, "obj", "--scale", 10, "--up", "z")
    frame = case.Frame(output, 4)
    for name in [*FILES, *LIQUIDS]:
        vertices, _, triangles = wanted(frame, name)
        points, faces = meshes.read_obj(path(target, name, 4, "obj"))
        worst = np.abs(points - 10 * vertices.astype(float)[:, [0, 2, 1]] * [1, -1, 1]).max() / 10
        checks.true(f"{name}, obj: triangles", np.array_equal(faces, triangles))
        checks.below(f"{name}, obj, scaled, z up: vertices, of the scene's size", worst / case.SIZE, 1e-6)


# ---- by others ----


def check_meshio(options, checks, folder):
    try:
        import meshio
    except ImportError as missing:
        raise case.Missing("python3-meshio") from missing
    output = case.run(options, folder)
    target = case.export(options, output, "ply")
    for name in [*FILES, *LIQUIDS]:
        same = True
        for number in case.frames(output):
            found, faces = ply.read(path(target, name, number))
            mesh = meshio.read(path(target, name, number))
            same &= np.array_equal(mesh.points, ply.columns(found, "xyz"))
            same &= len(mesh.cells) == 1 and np.array_equal(mesh.cells[0].data, faces)
            # This meshio takes uchar for signed.
            same &= all(np.array_equal(mesh.point_data[value].astype(found[value].dtype), found[value])
                        for value in found.dtype.names[3:])
        checks.true(f"meshio, {name}: vertices, triangles and {', '.join(sorted(mesh.point_data))} of all frames", same)


def check_blender(options, checks, folder):
    """Bodies, liquids and drops in frames from the first to the last."""
    output, numbers = case.run(options, folder), (0, 3, case.FRAMES)
    target = case.export(options, output, "ply")
    every = [*FILES, *LIQUIDS, *DROPS]
    found = case.blender(folder, [0], *(path(target, name, number) for name in every for number in numbers))
    for name in every:
        worst, good = 0, True
        for number in numbers:
            frame, stem = case.Frame(output, number), f"{name}_{number:05d}"
            points = frame[f"{DROPS[name]}/positions"] if name in DROPS else wanted(frame, name)[0]
            objects = found[f"{stem}.ply"]
            good = good and list(objects) == [stem] and (len(points) == 0) == (len(objects[stem]["0"]) == 0)
            if good and len(points):
                worst = max(worst, case.apart(np.array(objects[stem]["0"]), points))
        checks.true(f"Blender, {name}: one object of its name in frames {numbers}", good)
        checks.below(f"Blender, {name}: vertices, of the scene's size", worst / case.SIZE, 1e-6)


if __name__ == "__main__":
    case.verify(__doc__, [check_files, check_capitals, check_surfaces, check_normals, check_drops, check_obj], [check_meshio, check_blender])
