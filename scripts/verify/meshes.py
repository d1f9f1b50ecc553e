"""Meshes for the geometry checks: making, writing, reading and measuring them.

A mesh is a pair (vertices, triangles) of arrays; outward is where the corners run counterclockwise.
Everything is measured here by formulas of its own; nothing calls the library.
"""
import re
import struct

import common
from common import np

# ---- making ----


def box(size=(1.0, 1.0, 1.0)):
    corners = np.array([[i & 1, i >> 1 & 1, i >> 2] for i in range(8)]) - 0.5
    squares = [(0, 4, 6, 2), (1, 3, 7, 5), (0, 1, 5, 4), (2, 6, 7, 3), (0, 2, 3, 1), (4, 5, 7, 6)]
    triangles = [t for a, b, c, d in squares for t in ((a, b, c), (a, c, d))]
    return corners * np.array(size, dtype=float), np.array(triangles)


def icosphere(subdivisions, radius=1.0):
    g = (1 + 5**0.5) / 2
    v = np.array([(-1, g, 0), (1, g, 0), (-1, -g, 0), (1, -g, 0), (0, -1, g), (0, 1, g),
                  (0, -1, -g), (0, 1, -g), (g, 0, -1), (g, 0, 1), (-g, 0, -1), (-g, 0, 1)])
    t = np.array([(0, 11, 5), (0, 5, 1), (0, 1, 7), (0, 7, 10), (0, 10, 11), (1, 5, 9), (5, 11, 4),
                  (11, 10, 2), (10, 7, 6), (7, 1, 8), (3, 9, 4), (3, 4, 2), (3, 2, 6), (3, 6, 8),
                  (3, 8, 9), (4, 9, 5), (2, 4, 11), (6, 2, 10), (8, 6, 7), (9, 8, 1)])
    v = v / np.linalg.norm(v, axis=1)[:, None]
    for _ in range(subdivisions):
        edges = np.sort(np.concatenate([t[:, [0, 1]], t[:, [1, 2]], t[:, [2, 0]]]), axis=1)
        unique, place = np.unique(edges, axis=0, return_inverse=True)
        middle = v[unique[:, 0]] + v[unique[:, 1]]
        ab, bc, ca = np.split(place.ravel() + len(v), 3)
        v = np.concatenate([v, middle / np.linalg.norm(middle, axis=1)[:, None]])
        a, b, c = t.T
        t = np.concatenate([np.stack(three, axis=1) for three in
                            ((a, ab, ca), (b, bc, ab), (c, ca, bc), (ab, bc, ca))])
    return v * radius, t


def torus(radius, tube, segments, sides):
    """The hole is along y."""
    a, b = np.meshgrid(2 * np.pi * np.arange(segments) / segments,
                       2 * np.pi * np.arange(sides) / sides, indexing="ij")
    out = radius + tube * np.cos(b)
    v = np.stack([out * np.cos(a), tube * np.sin(b), -out * np.sin(a)], axis=-1).reshape(-1, 3)
    i, j = np.meshgrid(np.arange(segments), np.arange(sides), indexing="ij")
    at = lambda i, j: ((i % segments) * sides + j % sides).ravel()
    p, q, r, s = at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)
    return v, np.concatenate([np.stack([p, q, r], axis=1), np.stack([p, r, s], axis=1)])


def cone(radius, height, segments):
    """Base at y = 0, apex up."""
    a = 2 * np.pi * np.arange(segments) / segments
    ring = np.stack([radius * np.cos(a), 0 * a, -radius * np.sin(a)], axis=1)
    v = np.concatenate([ring, [[0, height, 0], [0, 0, 0]]])
    here = np.arange(segments)
    there = (here + 1) % segments
    return v, np.concatenate([np.stack([here, there, 0 * here + segments], axis=1),
                              np.stack([there, here, 0 * here + segments + 1], axis=1)])


def star(subdivisions, spike):
    """An icosphere whose first twelve vertices, of five triangles each, are pulled out to spikes."""
    v, t = icosphere(subdivisions)
    v[:12] *= spike
    return v, t


def lumpy(rng, subdivisions, roughness):
    """A ball with random radii."""
    v, t = icosphere(subdivisions)
    return v * (1 + roughness * rng.uniform(-1, 1, len(v)))[:, None], t


def rotation(rng):
    return common.quat_matrix((lambda q: q / np.linalg.norm(q))(rng.normal(size=4)))


def placed(mesh, turn=None, shift=(0, 0, 0), scale=1.0):
    v = mesh[0] * scale
    return (v if turn is None else v @ turn.T) + np.asarray(shift, dtype=float), mesh[1]


def turned(mesh):
    """Inside out."""
    return mesh[0], mesh[1][:, ::-1]


def joined(*meshes):
    starts = np.cumsum([0] + [len(m[0]) for m in meshes])
    return (np.concatenate([m[0] for m in meshes]),
            np.concatenate([m[1] + start for m, start in zip(meshes, starts)]))


# ---- writing ----


def write(path, mesh, form=""):
    """By the ending of the path. form: ascii, little or big of PLY; ascii or binary of STL."""
    v, t = mesh
    with open(path, "wb") as file:
        if path.endswith(".obj"):
            file.write("".join(["v %.17g %.17g %.17g\n" % tuple(p) for p in v] +
                               ["f %d %d %d\n" % tuple(q) for q in t + 1]).encode())
        elif path.endswith(".ply"):
            file.write(ply(v, t, form or "little"))
        else:
            file.write(stl(v[t], form or "binary"))


def ply(v, t, form):
    name = {"ascii": "ascii", "little": "binary_little_endian", "big": "binary_big_endian"}[form]
    head = (f"ply\nformat {name} 1.0\nelement vertex {len(v)}\nproperty double x\n"
            f"property double y\nproperty double z\nelement face {len(t)}\n"
            "property list uchar int vertex_indices\nend_header\n").encode()
    if form == "ascii":
        return head + "".join(["%.17g %.17g %.17g\n" % tuple(p) for p in v] +
                              ["3 %d %d %d\n" % tuple(q) for q in t]).encode()
    order = "<" if form == "little" else ">"
    faces = np.zeros(len(t), dtype=[("count", "u1"), ("corners", order + "i4", 3)])
    faces["count"], faces["corners"] = 3, t
    return head + v.astype(order + "f8").tobytes() + faces.tobytes()


def stl(corners, form):
    if form == "ascii":
        lines = ["facet normal 0 0 0\nouter loop\n" +
                 "".join("vertex %.17g %.17g %.17g\n" % tuple(p) for p in three) +
                 "endloop\nendfacet\n" for three in corners]
        return ("solid s\n" + "".join(lines) + "endsolid s\n").encode()
    facets = np.zeros(len(corners), dtype=[("floats", "<f4", (4, 3)), ("rest", "<u2")])
    facets["floats"][:, 1:] = corners
    return bytes(80) + struct.pack("<I", len(corners)) + facets.tobytes()


# ---- reading ----


def read_obj(path):
    with open(path) as file:
        words = [line.split() for line in file]
    v = [list(map(float, w[1:4])) for w in words if w and w[0] == "v"]
    t = [[int(corner.split("/")[0]) - 1 for corner in w[1:]] for w in words if w and w[0] == "f"]
    return np.array(v), np.array(t)


def read_ply(path):
    """The binary form that the program writes."""
    with open(path, "rb") as file:
        head, rest = file.read().split(b"end_header\n", 1)
    if b"binary_little_endian" not in head or head.count(b"property double") != 3:
        raise ValueError(f"{path}: not the expected form\n{head.decode(errors='replace')}")
    vertices, faces = (int(re.search(what + rb" (\d+)", head)[1])
                       for what in (b"element vertex", b"element face"))
    v = np.frombuffer(rest, "<f8", 3 * vertices).reshape(-1, 3)
    f = np.frombuffer(rest, [("count", "u1"), ("corners", "<i4", 3)], faces, 24 * vertices)
    if len(rest) != 24 * vertices + 13 * faces or np.any(f["count"] != 3):
        raise ValueError(f"{path}: not triangles of the right number")
    return v.copy(), f["corners"].astype(np.int64)


def read_gmsh(path):
    """Vertices and tetrahedra of a .msh file, version 2.2, ascii."""
    with open(path) as file:
        text = file.read()
    if not text.startswith("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"):
        raise ValueError(f"{path}: not Gmsh 2.2 ascii")
    nodes = re.search(r"\$Nodes\n(\d+)\n(.*?)\$EndNodes\n", text, re.S)
    rows = np.fromstring(nodes[2], sep=" ").reshape(-1, 4)
    elements = re.search(r"\$Elements\n(\d+)\n(.*?)\$EndElements\n", text, re.S)
    lines = np.fromstring(elements[2], dtype=np.int64, sep=" ").reshape(int(elements[1]), -1)
    if len(rows) != int(nodes[1]) or np.any(lines[:, 1] != 4):  # the type of a tetrahedron
        raise ValueError(f"{path}: counts do not match, or not all are tetrahedra")
    order = np.argsort(rows[:, 0])
    place = np.searchsorted(rows[order, 0], lines[:, -4:])
    if np.any(rows[order[np.minimum(place, len(rows) - 1)], 0] != lines[:, -4:]):
        raise ValueError(f"{path}: a corner is no node")
    return rows[:, 1:], order[place]


class Field:
    """What `mesh --field` writes: values at nodes."""

    def __init__(self, path):
        data = common.datasets(path)
        with common.h5py.File(path, "r") as file:
            self.spacing = float(np.asarray(file.attrs["spacing"]).ravel()[0])
        self.origin = data["origin"].ravel()
        self.n = data["n"].ravel().astype(int)
        self.phi = data["phi"].ravel()

    def nodes(self):
        z, y, x = np.meshgrid(*(np.arange(n) for n in self.n[::-1]), indexing="ij")
        return np.stack([x.ravel(), y.ravel(), z.ravel()], axis=1) * self.spacing + self.origin

    def at(self, points):
        """Trilinear."""
        place = (points - self.origin) / self.spacing
        cell = np.clip(np.floor(place).astype(int), 0, self.n - 2)
        part, values = place - cell, 0.0
        grid = self.phi.reshape(self.n[::-1])
        for corner in range(8):
            bit = np.array([corner & 1, corner >> 1 & 1, corner >> 2])
            weight = np.prod(np.where(bit, part, 1 - part), axis=1)
            i, j, k = (cell + bit).T
            values = values + weight * grid[k, j, i]
        return values


# ---- mass ----

# A rule of degree 3 on the triangle: its middle, and three points; exact for what is integrated below.
RULE = [((1, 1, 1), 3, (-27, 48)), ((3, 1, 1), 5, (25, 48)), ((1, 3, 1), 5, (25, 48)),
        ((1, 1, 3), 5, (25, 48))]


def mass_properties(mesh):
    """Volume, centre, inertia about the centre at unit density, in extended precision.

    By Gauss' theorem a volume integral of f is the flux of F(x) along x alone, dF/dx = f, and the flux
    of a cubic through a triangle is a quadrature.
    """
    wide = np.longdouble
    v = mesh[0].astype(wide)
    base = v.mean(axis=0)
    p = (v - base)[mesh[1]]
    normal = np.cross(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0]) / 2
    sums = {}
    for parts, whole, (top, bottom) in RULE:
        at = sum(wide(part) * p[:, i] for i, part in enumerate(parts)) / wide(whole)
        weight = wide(top) / wide(bottom)
        x, n = at.T, normal.T
        for name, value in (("1", x[0] * n[0]), ("x", x[0]**2 / 2 * n[0]), ("y", x[1]**2 / 2 * n[1]),
                            ("z", x[2]**2 / 2 * n[2]), ("xx", x[0]**3 / 3 * n[0]),
                            ("yy", x[1]**3 / 3 * n[1]), ("zz", x[2]**3 / 3 * n[2]),
                            ("xy", x[0]**2 / 2 * x[1] * n[0]), ("yz", x[1]**2 / 2 * x[2] * n[1]),
                            ("zx", x[2]**2 / 2 * x[0] * n[2])):
            sums[name] = sums.get(name, wide(0)) + weight * value.sum()
    volume = sums["1"]
    centre = np.array([sums["x"], sums["y"], sums["z"]]) / volume
    second = np.array([[sums["xx"], sums["xy"], sums["zx"]], [sums["xy"], sums["yy"], sums["yz"]],
                       [sums["zx"], sums["yz"], sums["zz"]]]) - volume * np.outer(centre, centre)
    inertia = np.trace(second) * np.eye(3, dtype=wide) - second
    return float(volume), (centre + base).astype(float), inertia.astype(float)


def volume(mesh):
    return mass_properties(mesh)[0]


# ---- distance and winding number, by brute force ----


def chunks(count, width, pairs=200000):
    step = max(1, pairs // max(1, width))
    return (slice(i, min(i + step, count)) for i in range(0, count, step))


def dot(a, b):
    return np.einsum("...i,...i->...", a, b)


def pair_distance2(p, corners):
    """Squared distances of points to triangles, one to one: the plane's foot if it is inside, else the
    nearest of the three sides."""
    best = np.full(len(p), np.inf)
    for i in range(3):
        a, b = corners[:, i], corners[:, (i + 1) % 3]
        side = b - a
        with np.errstate(invalid="ignore", divide="ignore"):
            s = np.clip(np.nan_to_num(dot(p - a, side) / dot(side, side)), 0, 1)
        gap = p - a - s[:, None] * side
        best = np.minimum(best, dot(gap, gap))
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    inside = dot(normal, normal) > 0
    for i in range(3):
        a, b = corners[:, i], corners[:, (i + 1) % 3]
        inside &= dot(np.cross(b - a, p - a), normal) >= 0
    height = dot(p[inside] - corners[inside, 0], normal[inside])
    best[inside] = height**2 / dot(normal[inside], normal[inside])
    return best


def distances(points, mesh, most=np.inf):
    """Distance of each point to the triangles; infinity where it is above `most`."""
    corners = mesh[0][mesh[1]]
    low, high = corners.min(axis=1), corners.max(axis=1)
    found = np.full(len(points), np.inf)
    for part in chunks(len(points), len(corners)):
        p = points[part]
        least = np.zeros((len(p), len(corners)))
        upper = np.zeros((len(p), len(corners)))
        for a in range(3):
            gap = np.maximum(0, np.maximum(low[:, a] - p[:, a, None], p[:, a, None] - high[:, a]))
            least += gap**2
            upper += (p[:, a, None] - corners[:, 0, a])**2
        reach = np.minimum(upper.min(axis=1), most**2) * (1 + 1e-12)
        at, triangle = np.nonzero(least <= reach[:, None])
        best = np.full(len(p), np.inf)
        np.minimum.at(best, at, pair_distance2(p[at], corners[triangle]))
        found[part] = np.sqrt(best)
    return np.where(found <= most, found, np.inf)


def winding(points, mesh):
    """Sum of the solid angles of the triangles over 4 pi (van Oosterom and Strackee)."""
    corners = mesh[0][mesh[1]]
    found = np.zeros(len(points))
    for part in chunks(len(points), len(corners), 60000):
        a, b, c = ([corners[:, i, k] - points[part, k, None] for k in range(3)] for i in range(3))
        la, lb, lc = (np.sqrt(x[0]**2 + x[1]**2 + x[2]**2) for x in (a, b, c))
        inner = lambda x, y: x[0] * y[0] + x[1] * y[1] + x[2] * y[2]
        top = (a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
               a[2] * (b[0] * c[1] - b[1] * c[0]))
        bottom = la * lb * lc + inner(a, b) * lc + inner(b, c) * la + inner(c, a) * lb
        found[part] = np.arctan2(top, bottom).sum(axis=1) / (2 * np.pi)
    return found


def box_distance(points, size):
    """Signed distance to a box around the origin along the axes."""
    q = np.abs(points) - np.asarray(size) / 2
    return np.linalg.norm(np.maximum(q, 0), axis=1) + np.minimum(q.max(axis=1), 0)


def torus_distance(points, radius, tube):
    return np.hypot(np.hypot(points[:, 0], points[:, 2]) - radius, points[:, 1]) - tube


# ---- topology ----


def sides(triangles):
    """Directed edges as (from, to): corner i to corner i + 1 of triangle t at 3 t + i."""
    return np.stack([triangles, np.roll(triangles, -1, axis=1)], axis=-1).reshape(-1, 2)


def is_closed(mesh):
    """Every edge exactly twice, in opposite directions."""
    edge = sides(mesh[1])
    key = edge[:, 0] * len(mesh[0]) + edge[:, 1]
    back = edge[:, 1] * len(mesh[0]) + edge[:, 0]
    key.sort()
    return (len(key) > 0 and not np.any(edge[:, 0] == edge[:, 1]) and
            not np.any(key[1:] == key[:-1]) and np.array_equal(key, np.sort(back)))


def fans(mesh):
    """The number of fans of triangles around the vertices of a closed mesh: one each if manifold."""
    t = mesh[1]
    edge = sides(t)
    key = edge[:, 0] * len(mesh[0]) + edge[:, 1]
    order = np.argsort(key)
    # From the side v -> a of (v, a, b) to the side v -> b: the twin of b -> v.
    before = np.roll(t, 1, axis=1).reshape(-1)
    step = order[np.searchsorted(key[order], edge[:, 0] * len(mesh[0]) + before)]
    label = np.arange(len(key))
    while not np.array_equal(label[step], label):
        label, step = np.minimum(label, label[step]), step[step]
    return len(np.unique(label))


def euler(mesh):
    return len(np.unique(mesh[1])) - 3 * len(mesh[1]) // 2 + len(mesh[1])


def crossings(mesh):
    """Pairs of triangles that share no vertex and of which a side of one passes through the other."""
    v, t = mesh
    corners = v[t]
    low, high = corners.min(axis=1), corners.max(axis=1)
    meet = np.all((low[:, None] <= high[None]) & (low[None] <= high[:, None]), axis=2)
    share = np.any(t[:, None, :, None] == t[None, :, None, :], axis=(2, 3))
    first, second = np.nonzero(np.triu(meet & ~share, 1))
    found = np.zeros(len(first), dtype=bool)
    det = lambda a, b, c, d: dot(np.cross(b - a, c - a), d - a)
    for a, b in ((corners[first], corners[second]), (corners[second], corners[first])):
        for i in range(3):
            p, q = a[:, i], a[:, (i + 1) % 3]
            ends = det(b[:, 0], b[:, 1], b[:, 2], p) * det(b[:, 0], b[:, 1], b[:, 2], q) < 0
            turns = np.stack([det(p, q, b[:, k], b[:, (k + 1) % 3]) for k in range(3)])
            found |= ends & (np.all(turns > 0, axis=0) | np.all(turns < 0, axis=0))
    return int(found.sum())


# ---- tetrahedra ----


def tet_volumes(v, tets):
    a, b, c, d = (v[tets[:, i]] for i in range(4))
    return dot(np.cross(b - a, c - a), d - a) / 6


def tet_angles(v, tets):
    """The six dihedral angles of each, degrees: between what is left of the other two corners across
    each edge."""
    found = []
    for i, j, k, l in ((0, 1, 2, 3), (0, 2, 1, 3), (0, 3, 1, 2), (1, 2, 0, 3), (1, 3, 0, 2),
                       (2, 3, 0, 1)):
        p, q = v[tets[:, i]], v[tets[:, j]]
        along = (q - p) / np.linalg.norm(q - p, axis=1)[:, None]
        across = [r - dot(r, along)[:, None] * along for r in (v[tets[:, k]] - p, v[tets[:, l]] - p)]
        found.append(np.arctan2(np.linalg.norm(np.cross(*across), axis=1), dot(*across)))
    return np.degrees(np.stack(found, axis=1))


def tet_boundary(tets):
    """Faces that one tetrahedron has, pointing out; and the most that any face is used."""
    faces = np.concatenate([tets[:, three] for three in ((1, 2, 3), (0, 3, 2), (0, 1, 3), (0, 2, 1))])
    a, b, c = np.sort(faces, axis=1).T
    size = int(tets.max()) + 1  # below 2^21: three of them make a key
    key = (a * size + b) * size + c
    order = np.argsort(key)
    first = np.flatnonzero(np.diff(key[order], prepend=-1))
    uses = np.diff(first, append=len(key))
    return faces[order[first[uses == 1]]], int(uses.max())


# ---- the mesh command ----


def figures(text):
    """{name: numbers} of what `plimsoll mesh` prints; names that stand on several lines are stacked.
    Of a text value, the text."""
    found = {}
    number = r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?|[-+]?(inf|nan)"
    for line in text.splitlines():
        name, _, rest = line.partition(": ")
        words = rest.split(", at ")[0].split()
        good = [re.fullmatch(number, word) is not None for word in words] + [False]
        value = [float(word) for word in words[:good.index(False)]]
        found.setdefault(name, []).append(value or rest)
    return {name: values[0] if len(values) == 1 else values for name, values in found.items()}


def run(program, path, *words):
    """`plimsoll mesh`, which must succeed; what it prints."""
    result = common.call(program, "mesh", path, *words)
    if result.code != 0:
        raise RuntimeError(f"mesh {path} {words}: exit code {result.code}\n{result.stderr}")
    return figures(result.stdout)


def count(said, name):
    return int(said[name][0])
