#!/usr/bin/python3
"""Mass properties of meshes, and distance fields: values, signs, gaps, the far field."""
import os

import common
import meshes
from common import np

BAND = 3  # cells around the surface in which distances are exact


# ---- mass ----


def random_mesh(rng, kind):
    """A closed mesh about as large as 1, near the origin."""
    if kind == "box":
        return meshes.box(rng.uniform(0.05, 1, 3))
    if kind == "ball":
        return meshes.lumpy(rng, int(rng.integers(1, 5)), rng.uniform(0, 0.3))
    if kind == "torus":
        return meshes.torus(1.0, rng.uniform(0.1, 0.9), int(rng.integers(3, 60)),
                            int(rng.integers(3, 40)))
    if kind == "cavity":
        return meshes.joined(meshes.lumpy(rng, 3, 0.1), meshes.turned(meshes.placed(
            meshes.lumpy(rng, 2, 0.2), meshes.rotation(rng), rng.uniform(-0.2, 0.2, 3), 0.5)))
    parts = [meshes.placed(random_mesh(rng, part), meshes.rotation(rng), (3 * i, 0, 0))
             for i, part in enumerate(rng.choice(["box", "ball", "torus"], rng.integers(2, 6)))]
    return meshes.joined(*parts)


def check_random_masses(options, checks, folder):
    rng = np.random.default_rng(3)
    forms = [("obj", ""), ("ply", "ascii"), ("ply", "little"), ("ply", "big"), ("stl", "ascii"),
             ("stl", "binary")]
    kinds = ["box", "ball", "torus", "cavity", "several"]
    rounds = 8 if options.quick else 60
    for kind in kinds:
        worst = np.zeros(3)
        for number in range(rounds):
            scale = 10**rng.uniform(-3, 3)
            mesh = meshes.placed(random_mesh(rng, kind), meshes.rotation(rng),
                                 scale * rng.uniform(-3, 3, 3), scale)
            ending, form = forms[number % len(forms)]
            if form == "binary":  # which holds single precision
                mesh = mesh[0].astype(np.float32).astype(float), mesh[1]
            path = os.path.join(folder, f"mass.{ending}")
            meshes.write(path, mesh, form)
            said = meshes.run(options.program, path)
            volume, centre, inertia = meshes.mass_properties(mesh)
            worst = np.maximum(worst, [
                abs(said["volume"][0] / volume - 1),
                np.max(np.abs(np.array(said["centre"]) - centre)) / np.ptp(mesh[0], axis=0).max(),
                np.max(np.abs(np.array(said["inertia row"]) - inertia)) / np.max(np.abs(inertia))])
        for what, value in zip(("volume", "centre", "inertia"), worst):
            checks.below(f"mass of {rounds} meshes, {kind}: {what}", value, 1e-10)


def check_mass_box(options, checks, folder):
    size = np.array([0.3, 1.7, 0.9])
    path = os.path.join(folder, "box.obj")
    meshes.write(path, meshes.box(size))
    said = meshes.run(options.program, path)
    exact = np.diag(np.prod(size) * (np.sum(size**2) - size**2) / 12)
    checks.below("mass of a box: volume", abs(said["volume"][0] / np.prod(size) - 1), 1e-15)
    checks.below("mass of a box: centre", np.max(np.abs(said["centre"])), 1e-16)
    checks.below("mass of a box: inertia",
                 np.max(np.abs(said["inertia row"] - exact)) / np.max(exact), 1e-15)


def order(errors, factor=2):
    """Of errors at mesh sizes that shrink by `factor`: slope of the fitted line."""
    return -np.polyfit(np.arange(len(errors)) * np.log(factor), np.log(errors), 1)[0]


def check_mass_order(options, checks, folder):
    r, s = 1.0, 0.4
    volume = 2 * np.pi**2 * r * s**2
    torus = np.array([5 * s**2 / 8 + r**2 / 2, 3 * s**2 / 4 + r**2, 5 * s**2 / 8 + r**2 / 2])
    cases = (("ball", [meshes.icosphere(n) for n in (2, 3, 4, 5)], 4 * np.pi / 3,
              np.full(3, 8 * np.pi / 15)),
             ("torus", [meshes.torus(r, s, 4 * n, 2 * n) for n in (5, 10, 20, 40)], volume,
              volume * torus))
    for name, family, volume, inertia in cases:
        errors = []
        for mesh in family:
            path = os.path.join(folder, "order.ply")
            meshes.write(path, mesh)
            said = meshes.run(options.program, path)
            errors.append([abs(said["volume"][0] / volume - 1),
                           np.max(np.abs(np.diag(said["inertia row"]) / inertia - 1))])
        for what, error in zip(("volume", "inertia"), np.array(errors).T):
            checks.within(f"mass of a {name}: order of the {what} ({error[-1]:.2g} at the last)",
                          order(error), 2, 0.05)


# ---- distance ----


def field_of(options, folder, mesh, cells, *words):
    """The field, and what was said."""
    path, out = os.path.join(folder, "field.ply"), os.path.join(folder, "field.h5")
    meshes.write(path, mesh)
    said = meshes.run(options.program, path, "--cells", cells, "--field", out, *words)
    return meshes.Field(out), said


def some(rng, mask, most):
    """At most so many of the true places of a mask."""
    where = np.flatnonzero(mask)
    return rng.choice(where, most, replace=False) if len(where) > most else where


def check_far(checks, label, field, exact):
    """Marching of second order is exact for planes and off by O(h) only where fronts meet. Half a cell
    is what a trilinear value may be off by at such a ridge anyway, whatever the nodes hold."""
    far = np.abs(exact) > BAND * field.spacing
    error = np.abs(field.phi - exact)[far]
    relative = np.max(error / np.abs(exact[far]))
    checks.below(f"{label}: beyond the band, in cells (relative {relative:.2g}, {far.sum()} nodes)",
                 error.max() / field.spacing, 0.5)
    checks.true(f"{label}: signs beyond the band", np.array_equal(field.phi[far] < 0, exact[far] < 0))


def check_sphere(options, checks, folder):
    rng = np.random.default_rng(5)
    mesh = meshes.icosphere(5)
    field, _ = field_of(options, folder, mesh, 64)
    nodes, h = field.nodes(), field.spacing
    analytic = np.linalg.norm(nodes, axis=1) - 1
    corners = mesh[0][mesh[1]]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    faceting = 1 - np.min(meshes.dot(normal, corners[:, 0]) / np.linalg.norm(normal, axis=1))
    band = np.abs(analytic) <= BAND * h
    error = np.max(np.abs(field.phi - analytic)[band])
    checks.below(f"icosphere of {len(mesh[1])} at 64 cells, {band.sum()} nodes of the band: error in "
                 f"cells less faceting {faceting / h:.2g}", (error - faceting) / h, 0.02)
    sample = some(rng, band, 1000 if options.quick else 20000)
    exact = meshes.distances(nodes[sample], mesh)
    inside = meshes.winding(nodes[sample[:300]], mesh) > 0.5
    error = np.abs(np.abs(field.phi[sample]) - exact)[exact <= BAND * h]
    checks.below(f"icosphere: distance to the facets at {len(sample)} nodes", error.max(), 1e-12)
    checks.true("icosphere: signs at nodes of the band",
                np.array_equal(field.phi[sample[:300]] < 0, inside))
    check_far(checks, "icosphere", field, analytic)
    outside = analytic > BAND * h  # where no fronts meet
    checks.below("icosphere: outside the band, in cells",
                 np.max(np.abs(field.phi - analytic)[outside]) / h, 0.05)


def check_boxes(options, checks, folder):
    rng = np.random.default_rng(7)
    one = np.eye(3)
    cases = [("cube", (1, 1, 1), one, 1, 32), ("box off the grid", (1, 0.83, 0.467), one, 1, 40),
             ("cube turned 30 degrees", (1, 1, 1), common.quat_matrix(
                 [np.cos(np.pi / 12), 0, np.sin(np.pi / 12), 0]), 1, 37)]
    for number in range(3 if options.quick else 20):
        scale = 10.0**rng.integers(-3, 4)
        cases.append((f"turned box of {scale:g} m", tuple(rng.uniform(0.3, 1, 3)),
                      meshes.rotation(rng), scale, int(rng.integers(16, 70))))
    for name, size, turn, scale, cells in cases:
        size = np.array(size) * scale
        shift = scale * rng.uniform(-1, 1, 3) if scale != 1 else np.zeros(3)
        field, _ = field_of(options, folder, meshes.placed(meshes.box(size), turn, shift), cells)
        exact = meshes.box_distance((field.nodes() - shift) @ turn, size)
        near = np.abs(exact) <= BAND * field.spacing * (1 - 1e-9)
        checks.below(f"{name} at {cells} cells: {near.sum()} nodes of the band, of the size",
                     np.max(np.abs(field.phi - exact)[near]) / size.max(), 1e-12)
        check_far(checks, name, field, exact)


def check_torus(options, checks, folder):
    field, _ = field_of(options, folder, meshes.torus(1, 0.4, 400, 160), 64)
    exact = meshes.torus_distance(field.nodes(), 1, 0.4)
    check_far(checks, "torus", field, exact)


def check_overlap(options, checks, folder):
    """Faces inside the other box are no surface: no node is less deep in the union than in a box.

    Whether a point of a face is inside the other box is told by the nodes of its cell, so along the
    seam, where both boxes' faces meet, a node may lack up to a cell of its depth."""
    rng = np.random.default_rng(9)
    sizes = np.array([[3, 1, 1], [1, 3, 1.5]])
    mesh = meshes.joined(*map(meshes.box, sizes))
    for name, turn in (("on nodes", np.eye(3)), ("turned", meshes.rotation(rng))):
        field, _ = field_of(options, folder, meshes.placed(mesh, turn), 48)
        nodes = field.nodes() @ turn
        each = np.stack([meshes.box_distance(nodes, size) for size in sizes])
        inside = each.min(axis=0) < -0.5 * field.spacing
        missing = np.max((field.phi - each.min(axis=0))[inside]) / field.spacing
        checks.below(f"two boxes across each other, {name}: depth that lacks inside, in cells", missing,
                     1.0 + 1e-9)


# ---- signs ----


def soup(rng, parts):
    """Closed meshes that overlap, one of them hollow."""
    pieces = [meshes.joined(meshes.lumpy(rng, 2, 0.05),
                            meshes.turned(meshes.placed(meshes.icosphere(1), None, (0, 0, 0), 0.6)))]
    for part in range(parts - 1):
        kind = ("box", "ball", "torus")[part % 3]
        piece = (meshes.box(rng.uniform(0.4, 1.5, 3)) if kind == "box" else
                 meshes.lumpy(rng, 1, 0.2) if kind == "ball" else meshes.torus(0.8, 0.3, 16, 8))
        pieces.append(meshes.placed(piece, meshes.rotation(rng), rng.uniform(-1.2, 1.2, 3)))
    return meshes.joined(*pieces)


def points_around(rng, field, count):
    return field.origin + rng.uniform(0, 1, (count, 3)) * (field.n - 1) * field.spacing


def check_signs(checks, label, rng, field, mesh, count, holes=None):
    """At random points further than 1.5 cells from the surface, and 3 from holes."""
    h = field.spacing
    points = points_around(rng, field, count)
    away = np.isinf(meshes.distances(points, mesh, 1.5 * h))
    if holes is not None:
        away &= np.isinf(meshes.distances(points, holes, 3 * h))
    points = points[away]
    inside = meshes.winding(points, mesh) > 0.5
    wrong = np.sum((field.at(points) < 0) != inside)
    checks.true(f"{label}: signs", wrong == 0 and 0.01 < inside.mean() < 0.99,
                f"{wrong} of {len(points)} points wrong, {inside.sum()} inside")


def check_soups(options, checks, folder):
    rng = np.random.default_rng(11)
    count = 12000 if options.quick else 140000  # of which 10^5 are away from the surface
    for number in range(2 if options.quick else 8):
        mesh = soup(rng, int(rng.integers(3, 8)))
        cells = 48 if number % 2 else 80
        field, said = field_of(options, folder, mesh, cells)
        label = f"soup {number} of {meshes.count(said, 'components')} surfaces at {cells} cells"
        check_signs(checks, label, rng, field, mesh, count)
        # Outside, the nearest point of all triangles is one of the union.
        sample = some(rng, (field.phi > 0) & (field.phi < BAND * field.spacing), 3000)
        nodes = field.nodes()[sample]
        exact = meshes.distances(nodes, mesh)
        outside = (meshes.winding(nodes, mesh) < 0.5) & (exact < BAND * field.spacing * (1 - 1e-9))
        error = np.abs(field.phi[sample] - exact)[outside]
        checks.below(f"{label}: distance at {outside.sum()} nodes outside", error.max(), 1e-12)


def check_gaps(options, checks, folder):
    rng = np.random.default_rng(13)
    count = 3000 if options.quick else 20000
    cases = [("icosphere", meshes.icosphere(3 if options.quick else 5)),
             ("torus", meshes.torus(1, 0.4, 40, 24)),
             ("two lumpy balls", meshes.joined(meshes.lumpy(rng, 3, 0.02), meshes.placed(
                 meshes.lumpy(rng, 3, 0.05), None, (2.3, 0.4, 0.1))))]
    for name, mesh in cases if options.quick else 4 * cases:
        gone = rng.random(len(mesh[1])) < 0.01
        gone[rng.integers(len(gone))] = True
        field, said = field_of(options, folder, (mesh[0], mesh[1][~gone]), 64)
        label = f"{name} without {gone.sum()} of {len(gone)} triangles"
        checks.true(f"{label}: said", said["closed"] == "no" and "gaps" in str(said.get("field")) and
                    meshes.count(said, "open edges") > 0, str(said.get("field"))[:90])
        check_signs(checks, label, rng, field, mesh, count, (mesh[0], mesh[1][gone]))


def check_inside_out(options, checks, folder):
    rng = np.random.default_rng(17)
    hollow = meshes.joined(meshes.icosphere(3), meshes.turned(meshes.icosphere(2, 0.5)))
    for name, mesh in (("icosphere", meshes.icosphere(3)), ("torus", meshes.torus(1, 0.4, 40, 20)),
                       ("hollow ball", hollow)):
        path = os.path.join(folder, "turned.ply")
        meshes.write(path, meshes.turned(mesh))
        said = common.call(options.program, "mesh", path).stdout
        checks.true(f"{name} inside out: said", "inside out: yes" in said)
        meshes.write(path, mesh)
        said = common.call(options.program, "mesh", path).stdout
        checks.true(f"{name} as it should be: not said", "inside out" not in said)
        fixed = os.path.join(folder, "fixed.ply")
        field, said = field_of(options, folder, meshes.turned(mesh), 48, "--repair", "--to", fixed)
        text = common.call(options.program, "mesh", os.path.join(folder, "field.ply"),
                           "--repair").stdout
        checks.true(f"{name} repaired: said", "inside out" not in said and
                    f" {len(mesh[1])} turned" in text, text.splitlines()[0])
        checks.below(f"{name} repaired: volume", abs(meshes.volume(meshes.read_ply(fixed)) /
                                                     meshes.volume(mesh) - 1), 1e-12)
        check_signs(checks, f"{name} repaired", rng, field, mesh, 2000 if options.quick else 30000)


def main():
    options = common.arguments(__doc__)
    checks = common.Checks()
    with common.temporary() as folder:
        check_mass_box(options, checks, folder)
        check_random_masses(options, checks, folder)
        check_mass_order(options, checks, folder)
        check_sphere(options, checks, folder)
        check_boxes(options, checks, folder)
        check_torus(options, checks, folder)
        check_overlap(options, checks, folder)
        check_soups(options, checks, folder)
        check_gaps(options, checks, folder)
        check_inside_out(options, checks, folder)
    checks.finish()


if __name__ == "__main__":
    main()
