#!/usr/bin/python3
"""Surfaces and tetrahedra from distance fields: closed, manifold, of good angles and the right volume;
and the same files for any number of threads."""
import os

import common
import meshes
from common import np

TREFOIL = common.scene_path("meshes/trefoil.obj")


def union_of_boxes(turn):
    """Two overlapping boxes as one mesh of two components, and the volume of the union."""
    first, second = np.array([1.0, 0.6, 0.7]), np.array([0.5, 1.2, 0.4])
    shift = np.array([0.3, 0.35, 0.1])
    low = np.maximum(-first / 2, shift - second / 2)
    high = np.minimum(first / 2, shift + second / 2)
    volume = np.prod(first) + np.prod(second) - np.prod(high - low)
    return meshes.placed(meshes.joined(meshes.box(first), meshes.placed(meshes.box(second), None,
                                                                         shift)), turn), volume


# ---- surfaces ----


def surface_of(options, folder, mesh, cells):
    path, out = os.path.join(folder, "surface_in.ply"), os.path.join(folder, "surface.ply")
    meshes.write(path, mesh)
    meshes.run(options.program, path, "--cells", cells, "--surface", out)
    return meshes.read_ply(out)


def check_manifold(checks, label, mesh, characteristic=None):
    closed = meshes.is_closed(mesh)
    used, corners = len(np.unique(mesh[1])), len(mesh[0])
    fans = meshes.fans(mesh) if closed else 0
    good = closed and fans == used == corners and meshes.volume(mesh) > 0
    if characteristic is not None:
        good = good and meshes.euler(mesh) == characteristic
    checks.true(f"{label}: closed, manifold, pointing out", good,
                f"{len(mesh[1])} triangles, {corners} vertices, {fans} fans, Euler characteristic "
                f"{meshes.euler(mesh)}" + ("" if characteristic is None else
                                           f" expected {characteristic}"))


def check_surface_order(options, checks, folder):
    """Against the volume of the mesh, whose triangles are as small as the finest cells."""
    fine = not options.quick
    cases = (("ball", meshes.icosphere(6 if fine else 5), 2),
             ("torus", meshes.torus(1, 0.4, 600 if fine else 200, 240 if fine else 80), 0))
    for name, mesh, characteristic in cases:
        # The grid is fitted to the surface: turned a little, no face of it is on nodes.
        mesh = meshes.placed(mesh, meshes.rotation(np.random.default_rng(2)), (0.01, 0.02, 0.03))
        volume, errors, tilts = meshes.volume(mesh), [], []
        all_cells = (16, 32, 64, 128) if fine else (16, 32, 64)
        for cells in all_cells:
            surface = surface_of(options, folder, mesh, cells)
            check_manifold(checks, f"surface of a {name} at {cells} cells", surface, characteristic)
            errors.append(abs(meshes.volume(surface) / volume - 1))
            if name == "ball":
                corners = surface[0][surface[1]] - (0.01, 0.02, 0.03)
                normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
                tilts.append(np.min(meshes.dot(normal, corners.mean(axis=1))))
        slope = -np.polyfit(np.log(all_cells), np.log(errors), 1)[0]
        checks.within(f"surface of a {name}: order of the volume, errors " +
                      ", ".join(f"{error:.2g}" for error in errors), slope, 2, 0.1)
        if tilts:
            checks.true("surface of a ball: every triangle points out", min(tilts) >= 0,
                        f"least product {min(tilts):.2g}")


def check_surfaces(options, checks, folder):
    rng = np.random.default_rng(23)
    trefoil = meshes.read_obj(TREFOIL)
    cases = [("cube whose faces are on nodes", meshes.box(), 16, 2),
             ("two boxes across each other, faces on nodes", meshes.joined(
                 meshes.box((3, 1, 1)), meshes.box((1, 3, 1.5))), 48, 2),
             ("trefoil", trefoil, 64, 0),
             ("hollow ball", meshes.joined(meshes.icosphere(4), meshes.turned(
                 meshes.icosphere(3, 0.6))), 40, 4),
             ("union of boxes", union_of_boxes(meshes.rotation(rng))[0], 33, 2),
             ("star", meshes.star(2, 2.5), 48, None),
             ("plate thinner than a cell", meshes.placed(
                 meshes.box((1, 1, 0.02)), meshes.rotation(rng)), 32, None)]
    for number in range(4 if options.quick else 40):
        parts = [meshes.placed(meshes.lumpy(rng, int(rng.integers(0, 4)), rng.uniform(0, 0.5)),
                               meshes.rotation(rng), rng.uniform(-1, 1, 3), rng.uniform(0.1, 1))
                 for _ in range(rng.integers(1, 7))]
        cases.append((f"lumps {number}", meshes.joined(*parts), int(rng.integers(8, 60)), None))
    for name, mesh, cells, characteristic in cases:
        check_manifold(checks, f"surface of {name} at {cells} cells",
                       surface_of(options, folder, mesh, cells), characteristic)


# ---- tetrahedra ----


def check_tets(options, checks, folder, name, mesh, cells, spacing, volume=None):
    """spacing in cells of the field."""
    path, out = os.path.join(folder, "tets_in.ply"), os.path.join(folder, "tets.msh")
    meshes.write(path, mesh)
    h = np.ptp(mesh[0], axis=0).max() / cells
    said = meshes.run(options.program, path, "--cells", cells, "--spacing", repr(float(h * spacing)),
                      "--tets", out)
    v, tets = meshes.read_gmsh(out)
    volumes, angles = meshes.tet_volumes(v, tets), meshes.tet_angles(v, tets)
    faces, uses = meshes.tet_boundary(tets)
    label = f"tets of {name} at {cells} cells, spacing {spacing:g} cells"
    checks.true(f"{label}: none inverted", np.all(volumes > 0),
                f"{len(tets)} tets, smallest {volumes.min() / h**3:.2g} cells^3")
    checks.above(f"{label}: smallest dihedral angle (greatest {angles.max():.1f})", angles.min(), 10)
    checks.near(f"{label}: volume", volumes.sum(), volume or meshes.volume(mesh), 1)
    edge = meshes.sides(faces)
    key = np.sort(edge[:, 0] * len(v) + edge[:, 1])
    checks.true(f"{label}: boundary closed", uses <= 2 and len(np.unique(tets)) == len(v) and
                np.array_equal(key, np.sort(edge[:, 1] * len(v) + edge[:, 0])),
                f"{len(faces)} faces, {'manifold' if meshes.is_closed((v, faces)) else 'with pinches'}")
    away = meshes.distances(v[np.unique(faces)[::7]], mesh).max() / h
    checks.below(f"{label}: boundary away from the surface, in cells", away, 1.5 * spacing)
    agree = (meshes.count(said, "tets") == len(tets) and meshes.count(said, "inverted tets") == 0 and
             abs(said["tet volume"][0] / volumes.sum() - 1) < 1e-10 and
             abs(said["dihedral angles"][0] / angles.min() - 1) < 1e-3)
    checks.true(f"{label}: what was said", agree)


def check_all_tets(options, checks, folder):
    rng = np.random.default_rng(29)
    turn = meshes.rotation(rng)
    boxes, volume = union_of_boxes(turn)
    cases = [("ball", meshes.icosphere(4), 40, 2, None),
             ("torus", meshes.torus(1, 0.4, 80, 40), 64, 2, None),
             ("union of boxes", boxes, 64, 2, volume),
             ("thin plate", meshes.placed(meshes.box((1, 0.6, 0.05)), turn), 90, 1, None),
             ("sharp cone", meshes.placed(meshes.cone(0.25, 1, 40), turn), 64, 1, None),
             ("star with spikes", meshes.star(2, 2.5), 80, 1, None),
             ("trefoil", meshes.read_obj(TREFOIL), 112, 2, None)]
    if not options.quick:
        cases += [("cube along the axes", meshes.box(), 32, 2, None),
                  ("union of boxes along the axes", union_of_boxes(np.eye(3))[0], 64, 1, volume),
                  ("ball, coarse", meshes.icosphere(4), 24, 1.7, None)]
        for number in range(6):
            mesh = meshes.placed(meshes.lumpy(rng, 3, 0.15), meshes.rotation(rng))
            cases.append((f"lumpy ball {number}", mesh, 64, 1, None))
    for name, mesh, cells, spacing, volume in cases:
        check_tets(options, checks, folder, name, mesh, cells, spacing, volume)


# ---- threads ----


def check_threads(options, checks, folder):
    rng = np.random.default_rng(31)
    gone = rng.random(20480) < 0.01
    sphere = meshes.icosphere(5)
    cases = (("trefoil", meshes.read_obj(TREFOIL)),
             ("boxes", union_of_boxes(meshes.rotation(rng))[0]),
             ("icosphere with gaps", (sphere[0], sphere[1][~gone])))
    for name, mesh in cases:
        path = os.path.join(folder, "threads.ply")
        meshes.write(path, mesh)
        files, said = {}, {}
        for threads in (1, 2, 4):
            outs = [os.path.join(folder, f"threads{threads}{end}") for end in (".h5", ".ply", ".msh")]
            result = common.call(options.program, "mesh", path, "--cells", 64, "--threads", threads,
                                 "--field", outs[0], "--surface", outs[1], "--tets", outs[2])
            if result.code != 0:
                raise RuntimeError(f"mesh {name}, {threads} threads: exit code {result.code}\n"
                                   f"{result.stderr}")
            files[threads] = [common.digest(out) for out in outs]
            said[threads] = result.stdout
        for number, what in enumerate(("field", "surface", "tets")):
            same = len({files[threads][number] for threads in files}) == 1
            checks.true(f"{name}: {what} by 1, 2 and 4 threads", same, "equal" if same else "differ")
        checks.true(f"{name}: report by 1, 2 and 4 threads", len(set(said.values())) == 1)


def main():
    options = common.arguments(__doc__)
    checks = common.Checks()
    with common.temporary() as folder:
        check_surface_order(options, checks, folder)
        check_surfaces(options, checks, folder)
        check_all_tets(options, checks, folder)
        check_threads(options, checks, folder)
    checks.finish()


if __name__ == "__main__":
    main()
