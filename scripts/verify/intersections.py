#!/usr/bin/python3
"""Exact intersections of surfaces in state files: which edges meet which triangles, in the plane which segments meet.

intersections.py FILE...       counts for each state file; exit code 1 if there are any
intersections.py [--self-test] planted cases, random ones against trying all, the time for 10k triangles

Touching counts; pairs that share a corner do not: triangles that share one and meet beyond it are found by an edge that
does not end in it. Boxes on a grid and signs with error bounds (numpy) leave few pairs; Python's integers judge those.
Nothing here calls the library.
"""
import argparse
import itertools
import os
import sys
import time
from fractions import Fraction

import common
from common import np

EPSILON = np.finfo(float).eps

# ---- exact: whole numbers ----


def sub(a, b):
    return [u - v for u, v in zip(a, b)]


def dot(a, b):
    return sum(u * v for u, v in zip(a, b))


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def whole(points):
    """The points times a power of two that makes all coordinates whole."""
    ratios = [[float(c).as_integer_ratio() for c in p] for p in points]
    scale = max(bottom for p in ratios for _, bottom in p)
    return [[top * (scale // bottom) for top, bottom in p] for p in ratios]


def segments_meet(p, q, r, s):
    """In space; either may be a point."""
    d, e, w = sub(q, p), sub(s, r), sub(r, p)
    n = cross(d, e)
    if any(n):
        size = dot(n, n)
        return dot(w, n) == 0 and 0 <= dot(cross(w, e), n) <= size and 0 <= dot(cross(w, d), n) <= size
    line = d if any(d) else e
    if any(cross(w, line)):
        return False
    if not any(line):
        return p == r
    a, b, c, f = (dot(line, x) for x in (p, q, r, s))
    return max(a, b) >= min(c, f) and max(c, f) >= min(a, b)


def segment_meets_triangle(p, q, a, b, c):
    """Cuts the segment to the triangle's plane, then to the inner side of each of its sides."""
    n = cross(sub(b, a), sub(c, a))
    if not any(n):  # no more than its longest side
        first, last = max(itertools.combinations((a, b, c), 2), key=lambda ends: dot(sub(*ends), sub(*ends)))
        return segments_meet(p, q, first, last)
    above = [dot(n, sub(x, a)) for x in (p, q)]
    if above[0] * above[1] > 0:
        return False
    low, high = Fraction(0), Fraction(1)
    if above[0] != above[1]:
        low = high = Fraction(above[0], above[0] - above[1])
    for start, end in ((a, b), (b, c), (c, a)):
        inward = cross(n, sub(end, start))
        at_p, at_q = (dot(inward, sub(x, start)) for x in (p, q))
        if at_p < 0 and at_q < 0:
            return False
        if at_p < 0 or at_q < 0:
            limit = Fraction(at_p, at_p - at_q)
            low, high = (max(low, limit), high) if at_p < 0 else (low, min(high, limit))
    return low <= high


# ---- boxes ----


def ranges(low, high):
    """For boxes of cells (n, 3): the number of the box and the cell of each cell in each box."""
    size = high - low + 1
    count = size.prod(axis=1)
    owner = np.repeat(np.arange(len(low)), count)
    place = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
    size = size[owner]
    cell = np.stack([place % size[:, 0], place // size[:, 0] % size[:, 1], place // (size[:, 0] * size[:, 1])], axis=1)
    return owner, low[owner] + cell


def overlap(box_a, box_b, i, j):
    return np.all((box_a[0][i] <= box_b[1][j]) & (box_b[0][j] <= box_a[1][i]), axis=1)


def grid_pairs(box_a, box_b, i, j, cell, origin):
    """Pairs of boxes number i of a and j of b that overlap, through the cells of a grid. Each pair is taken from the
    one cell where both have begun."""
    low_a, high_a, low_b, high_b = (np.floor((ends - origin) / cell).astype(np.int64)
                                    for ends in (box_a[0][i], box_a[1][i], box_b[0][j], box_b[1][j]))
    counts = np.maximum(high_a.max(axis=0), high_b.max(axis=0)) + 1
    owner_a, cells_a = ranges(low_a, high_a)
    owner_b, cells_b = ranges(low_b, high_b)
    key_a, key_b = (cells[:, 0] + counts[0] * (cells[:, 1] + counts[1] * cells[:, 2]) for cells in (cells_a, cells_b))
    order = np.argsort(key_b, kind="stable")
    owner_b, key_b = owner_b[order], key_b[order]
    first = np.searchsorted(key_b, key_a, "left")
    count = np.searchsorted(key_b, key_a, "right") - first
    at = np.repeat(np.arange(len(key_a)), count)
    partner = np.repeat(first - (np.cumsum(count) - count), count) + np.arange(count.sum())
    one, other = owner_a[at], owner_b[partner]
    keep = np.all(np.maximum(low_a[one], low_b[other]) == cells_a[at], axis=1)
    one, other = i[one[keep]], j[other[keep]]
    keep = overlap(box_a, box_b, one, other)
    return one[keep], other[keep]


def near_pairs(x, a, b):
    """Pairs of elements whose boxes overlap. A few much larger than the rest are tried against all."""
    boxes = [(x[e].min(axis=1), x[e].max(axis=1)) for e in (a, b)]
    sizes = [(high - low).max(axis=1) for low, high in boxes]
    cell = max(np.quantile(np.concatenate(sizes), 0.9), 1e-300)
    large = [np.flatnonzero(size > 10 * cell) for size in sizes]
    small = [np.flatnonzero(size <= 10 * cell) for size in sizes]
    origin = np.minimum(boxes[0][0].min(axis=0), boxes[1][0].min(axis=0))
    extent = max(boxes[0][1].max(), boxes[1][1].max()) - origin.min()
    cell = max(cell, extent * 2.0**-20)  # keys fit into 64 bits
    found = [grid_pairs(*boxes, small[0], small[1], cell, origin)] if len(small[0]) and len(small[1]) else []
    for i in large[0]:
        j = np.arange(len(b))
        j = j[overlap(*boxes, np.full(len(j), i), j)]
        found.append((np.full(len(j), i), j))
    for j in large[1]:
        i = small[0][overlap(*boxes, small[0], np.full(len(small[0]), j))]
        found.append((i, np.full(len(i), j)))
    if not found:
        return np.zeros(0, int), np.zeros(0, int)
    return tuple(np.concatenate(part) for part in zip(*found))


# ---- signs with error bounds ----


def sign_in_space(a, b, c, d):
    """Of det(a - d, b - d, c - d); 0 where rounding might have changed it."""
    u, v, w = a - d, b - d, c - d
    value, size = np.zeros(len(a)), np.zeros(len(a))
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        left, right = v[:, j] * w[:, k], v[:, k] * w[:, j]
        value += u[:, i] * (left - right)
        size += np.abs(u[:, i]) * (np.abs(left) + np.abs(right))
    return np.sign(value) * (np.abs(value) > 8 * EPSILON * size)


def sign_in_plane(a, b, c, axis):
    """Of the area of a, b, c seen along an axis; 0 in doubt."""
    i, j = (axis + 1) % 3, (axis + 2) % 3
    left, right = (a[:, i] - c[:, i]) * (b[:, j] - c[:, j]), (a[:, j] - c[:, j]) * (b[:, i] - c[:, i])
    value = left - right
    return np.sign(value) * (np.abs(value) > 4 * EPSILON * (np.abs(left) + np.abs(right)))


def apart_seen_along(one, other, axis):
    """Surely apart as seen along the axis: all corners of the one strictly beyond a side of the other, or the other way
    round. Lists of arrays of corners."""
    apart = np.zeros(len(one[0]), bool)
    for here, there in ((one, other), (other, one)):
        for start, end in itertools.combinations(range(len(here)), 2):
            beyond = [sign_in_plane(here[start], here[end], point, axis) for point in there]
            own = [sign_in_plane(here[start], here[end], here[k], axis)
                   for k in range(len(here)) if k not in (start, end)]
            for side in (-1, 1):
                good = np.all([s == side for s in beyond], axis=0)
                for s in own:
                    good &= s == -side
                apart |= good
    return apart


def surely_in_space(corners):
    """For segments p, q and triangles a, b, c: surely apart, surely crossing."""
    p, q, a, b, c = corners
    side_p, side_q = sign_in_space(a, b, c, p), sign_in_space(a, b, c, q)
    apart = side_p * side_q > 0
    crossing = np.zeros(len(p), bool)
    rest = np.flatnonzero(~apart)
    p, q, a, b, c = (x[rest] for x in corners)
    signs = np.array([sign_in_space(p, q, u, v) for u, v in ((a, b), (b, c), (c, a))])
    apart[rest] = np.any(signs > 0, axis=0) & np.any(signs < 0, axis=0)
    certain = np.all(signs != 0, axis=0) & (side_p * side_q < 0)[rest]
    crossing[rest] = certain & ~apart[rest]
    rest = rest[~apart[rest] & ~crossing[rest]]
    for axis in range(3):
        p, q, a, b, c = (x[rest] for x in corners)
        gone = apart_seen_along([p, q], [a, b, c], axis)
        apart[rest[gone]] = True
        rest = rest[~gone]
    return apart, crossing


# ---- surfaces ----


def edges_of(triangles):
    """Each once, by its corners."""
    sides = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    return np.unique(np.sort(sides, axis=1), axis=0)


def crossings(x, elements):
    """What meets in a surface: list of ((corner, corner), number of the triangle) for triangles in space, of (number,
    number) for segments in the plane, sorted."""
    x, elements = np.asarray(x, float).reshape(-1, 3), np.asarray(elements, np.int64)
    if len(elements) == 0:
        return []
    flat = elements.shape[1] == 2
    if flat:
        x = x * [1.0, 1.0, 0.0]
    first = elements if flat else edges_of(elements)
    i, j = near_pairs(x, first, elements)
    keep = ~np.any(first[i][:, :, None] == elements[j][:, None, :], axis=(1, 2))
    if flat:
        keep &= i < j
    i, j = i[keep], j[keep]
    corners = [x[first[i, k]] for k in range(2)] + [x[elements[j, k]] for k in range(elements.shape[1])]
    if flat:
        apart = apart_seen_along(corners[:2], corners[2:], 2)
        crossing = np.zeros(len(i), bool)
    else:
        apart, crossing = surely_in_space(corners)
    meet = segments_meet if flat else segment_meets_triangle
    for pair in np.flatnonzero(~apart & ~crossing):
        crossing[pair] = meet(*whole([c[pair] for c in corners]))
    found = sorted(zip(i[crossing].tolist(), j[crossing].tolist()))
    return found if flat else [(tuple(first[a].tolist()), b) for a, b in found]


def surfaces_of_state(path):
    """{system: (positions, elements)} of the deformable systems of a state file."""
    found, data = {}, common.datasets(path)
    for name, faces in data.items():
        system, _, what = name.rpartition("/")
        if what != "face_corners":
            continue
        faces = np.asarray(faces, np.int64).reshape(-1, 3)
        flat = len(faces) and np.all(faces[:, 2] < 0)
        found[system] = data[f"{system}/position"].reshape(-1, 3), faces[:, :2] if flat else faces
    return found


def crossings_of_state(path):
    """crossings() of all deformable systems of a state file."""
    surfaces = surfaces_of_state(path)
    if not surfaces:
        raise RuntimeError(f"{path}: no surface in it (no array face_corners)")
    return [pair for x, elements in surfaces.values() for pair in crossings(x, elements)]


# ---- self test ----


def sheet(cells, height=None):
    """A square of triangles in the plane z = 0, or z = height(x, y)."""
    u, v = (g.ravel() for g in np.meshgrid(np.arange(cells + 1.0), np.arange(cells + 1.0), indexing="ij"))
    x = np.stack([u / cells, v / cells, height(u / cells, v / cells) if height else 0 * u], axis=1)
    i, j = (g.ravel() for g in np.meshgrid(np.arange(cells), np.arange(cells), indexing="ij"))
    at = lambda a, b: (i + a) * (cells + 1) + j + b
    halves = (at(0, 0), at(1, 0), at(1, 1)), (at(0, 0), at(1, 1), at(0, 1))
    return x, np.concatenate([np.stack(corners, axis=1) for corners in halves])


def joined(*meshes):
    starts = np.cumsum([0] + [len(x) for x, _ in meshes])
    return np.concatenate([x for x, _ in meshes]), np.concatenate([t + s for (_, t), s in zip(meshes, starts)])


def triangles_with(point):
    """The triangle (0,0,0) (1,0,0) (0,1,0), and another that ends in `point` from above."""
    x = [[0, 0, 0], [1, 0, 0], [0, 1, 0], point, [0.3, 0.2, 1], [0.2, 0.4, 1]]
    return x, [[0, 1, 2], [3, 4, 5]]


def check_planted(checks):
    ulp = float(np.spacing(1.0))
    expect = lambda name, mesh, count: checks.true(
        f"planted: {name}", len(found := crossings(*mesh)) == count, f"{len(found)} pairs, expected {count}")
    expect("a corner touches the inside", triangles_with([0.25, 0.25, 0]), 2)
    expect("a corner on a side", triangles_with([0.5, 0, 0]), 2 + 1)
    expect("a corner on a corner that is not shared", triangles_with([0, 0, 0]), 2 + 2)
    expect("apart", triangles_with([0.25, 0.25, 0.25]), 0)
    expect("through", triangles_with([0.25, 0.25, -0.25]), 2)
    # At z = 1 a step of the last digit is 2^-52, below it 2^-53.
    for name, z, count in (("one ulp above", 1 + ulp, 0), ("on it", 1.0, 2), ("one ulp through", 1 - ulp / 2, 2)):
        x, t = triangles_with([0.25, 0.25, 0])
        x = np.array(x) + [0, 0, 1]
        x[3, 2] = z
        expect(name, (x, t), count)
    # The plane x + y + z = 1: nothing is exact in sums of thirds, but the points are what they are.
    x = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [0.1, 0.2, 0.7], [0.9, 0.8, 0.9], [0.7, 0.9, 0.8]])
    exact = sum(map(Fraction, x[3].tolist())) <= 1
    expect("a tip rounded onto a slanted plane", (x, [[0, 1, 2], [3, 4, 5]]), 2 if exact else 0)
    for digits, count in ((1, 0), (-1, 2)):
        x[3] = [0.25, 0.25, np.nextafter(0.5, digits)]
        expect(f"one ulp {'above' if digits > 0 else 'through'} a slanted plane", (x, [[0, 1, 2], [3, 4, 5]]), count)
    flat = [[0, 0, 0], [1, 0, 0], [0, 1, 0]]
    two = lambda other: (flat + other, [[0, 1, 2], [3, 4, 5]])
    expect("coplanar, one inside the other", two([[.1, .1, 0], [.3, .1, 0], [.1, .3, 0]]), 3)
    expect("coplanar, overlapping", two([[.25, .25, 0], [2, .25, 0], [.25, 2, 0]]), 2 + 1)
    expect("coplanar, apart", two([[.75, .75, 0], [2, .75, 0], [.75, 2, 0]]), 0)
    expect("coplanar, sides touch along a piece", two([[.25, 0, 0], [.75, 0, 0], [.5, -1, 0]]), 3 + 1)
    expect("coplanar, one ulp beside", two([[.25, -5e-324, 0], [.75, -5e-324, 0], [.5, -1, 0]]), 0)
    expect("the same triangle twice", two(flat), 6)
    shared = lambda a, b: (flat + [a, b], [[0, 1, 2], [0, 3, 4]])
    expect("a shared corner alone", shared([-1, -1, 1], [-1, -1, -1]), 0)
    expect("a shared corner, touching beyond", shared([.25, .25, 0], [.3, .2, 1]), 1)
    expect("a shared corner, crossing beyond", shared([.25, .25, 1], [.25, .25, -1]), 1)
    expect("a shared side, folded flat", (flat + [[.2, .2, 0]], [[0, 1, 2], [1, 0, 3]]), 0)
    expect("a triangle without area that touches", two([[.2, .2, 0], [.2, .2, 1], [.2, .2, .5]]), 2)
    expect("a triangle that is a point", two([[.2, .2, 0]] * 3), 3)
    line = lambda *points: (np.array([[*p, 0] for p in points]), np.arange(len(points)).reshape(-1, 2))
    expect("segments that cross", line((0, 0), (1, 1), (0, 1), (1, 0)), 1)
    expect("segments, an end on the other", line((0, 0), (1, 1), (.5, .5), (1, 0)), 1)
    expect("segments, one ulp beside", line((0, 0), (1, 1), (np.nextafter(.5, 1), .5), (1, 0)), 0)
    expect("segments on one line, overlapping", line((0, 0), (2, 2), (1, 1), (3, 3)), 1)
    expect("segments on one line, apart", line((0, 0), (1, 1), (2, 2), (3, 3)), 0)
    expect("segments that share an end", (np.array([[0, 0, 0], [1, 1, 0], [2, 0, 0]]), np.array([[0, 1], [1, 2]])), 0)


def all_pairs(x, elements):
    """As crossings(), by trying everything in whole numbers."""
    flat = elements.shape[1] == 2
    points, first, found = whole(x), elements if flat else edges_of(elements), []
    for i, e in enumerate(first.tolist()):
        for j, t in enumerate(elements.tolist()):
            if set(e) & set(t) or (flat and j <= i):
                continue
            if (segments_meet if flat else segment_meets_triangle)(*(points[k] for k in e + t)):
                found.append((i, j) if flat else (tuple(e), j))
    return found


def check_random(checks, tries):
    rng = np.random.default_rng(8)
    wrong = total = 0
    for n in range(tries):
        corners = 2 + n % 2
        if n % 4 < 2:  # of a lattice: touching and coplanar ones are many
            x = rng.integers(0, 6, (40, 3)) / 8
        else:
            x = rng.uniform(-1, 1, (40, 3)) + (1000 if n % 3 == 0 else 0)
        if corners == 2:
            x[:, 2] = 0
        elements = np.array([rng.choice(40, corners, replace=False) for _ in range(30)])
        found = crossings(x, elements)
        wrong += found != all_pairs(x, elements)
        total += len(found)
    checks.true("random surfaces: the same as trying all in whole numbers", wrong == 0 and total > 0,
                f"{wrong} of {tries} differ, {total} pairs")


def check_time(checks, cells):
    """Seconds are a goal, not a check: the machine may be busy."""
    waves = lambda x, y: 0.02 * np.sin(40 * x) * np.cos(31 * y)
    pile = [sheet(cells // 2, lambda x, y, k=k: 0.05 * k + waves(x + 0.1 * k, y)) for k in range(4)]
    fold = sheet(cells, waves)
    fold[0][:, 0] = np.abs(fold[0][:, 0] - 0.503)
    fold[0][:, 2] += np.where(np.arange(len(fold[0])) // (cells + 1) > cells // 2, 0.002, 0.0)
    turn = np.linalg.qr(np.random.default_rng(1).normal(size=(3, 3)))[0]
    level = sheet(cells)
    turned = level[0] @ turn, level[1]
    for name, mesh, none in (("four sheets", joined(*pile), True), ("flat, turned in space", turned, True),
                             ("flat", level, True), ("folded through itself", fold, False)):
        start = time.process_time()
        found = crossings(*mesh)
        seconds = time.process_time() - start
        checks.true(f"{name}, {len(mesh[1])} triangles", (len(found) == 0) == none,
                    f"{len(found)} pairs in {seconds:.2f} s of processor time")


def check_state(options, checks, folder):
    """The surface of a state is read, in space and in the plane."""
    for name, scene, corners in (("space", "deform/jelly.yaml", 3), ("plane", "deform/cantilever.yaml", 2)):
        output = common.run(options.program, common.scene_path(scene), os.path.join(folder, name), None, "--frames", 0)
        surfaces = surfaces_of_state(output.state(0))
        x, elements = next(iter(surfaces.values()))
        good = elements.shape[1] == corners and elements.max() < len(x) and elements.min() >= 0
        checks.true(f"a state of {scene}", good,
                    f"{len(x)} nodes, {len(elements)} faces of {elements.shape[1]} corners")
        checks.true(f"a state of {scene} does not cross itself", not crossings_of_state(output.state(0)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    parser.add_argument("files", nargs="*", help="state files")
    parser.add_argument("--self-test", action="store_true", help="planted cases; without FILE that is what it does")
    parser.add_argument("--program", default=os.path.join(common.ROOT, "build", "plimsoll"))
    parser.add_argument("--quick", action="store_true", help="fewer random cases")
    parser.add_argument("--check", action="store_true", help="fewer random cases")
    options = parser.parse_args()
    if options.files and not options.self_test:
        total = 0
        for path in options.files:
            found = crossings_of_state(path)
            total += len(found)
            print(f"{path}: {len(found)} intersecting pairs" + "".join(f" {pair}" for pair in found[:5]), flush=True)
        sys.exit(1 if total else 0)
    checks = common.Checks()
    check_planted(checks)
    check_random(checks, 20 if options.quick else 100 if options.check else 400)
    check_time(checks, 30 if options.quick else 70)
    with common.temporary() as folder:
        check_state(options, checks, folder)
    checks.finish()


if __name__ == "__main__":
    main()
