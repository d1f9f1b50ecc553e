#!/usr/bin/python3
"""The pressure solve: velocities around obstacles made divergence-free, from the state files alone."""
import itertools
import math
import os

import common
from common import h5py, np

LOW, HIGH = np.array([0.0, 0.0, -0.4]), np.array([1.6, 0.9, 0.4])
DENSITY, TOLERANCE = 1000.0, 1e-6
WALLS = ("wall",) * 6


def box(local, half):
    """Signed distance from a box about the origin; exact outside, too."""
    away = [np.abs(x) - h for x, h in zip(local, half)]
    outside = np.sqrt(sum(np.maximum(a, 0)**2 for a in away))
    return outside + np.minimum(np.maximum.reduce(away), 0)


def segment_part(a, b):
    """The part of a segment on which a straight line between two values is positive."""
    with np.errstate(divide="ignore", invalid="ignore"):
        part = np.maximum(a, b) / np.abs(a - b)
    return np.where((a > 0) & (b > 0), 1.0, np.where((a <= 0) & (b <= 0), 0.0, part))


def triangle_part(a, b, c):
    """The same of a triangle, by the strips of a fan: one corner alone cuts off both its edges."""
    def alone(x, y, z): # x > 0 and the others not
        return segment_part(x, y) * segment_part(x, z)

    total = np.zeros(np.broadcast(a, b, c).shape)
    for x, y, z in ((a, b, c), (b, c, a), (c, a, b)):
        total = np.where((x > 0) & (y <= 0) & (z <= 0), alone(x, y, z), total)
        total = np.where((x <= 0) & (y > 0) & (z > 0), 1 - alone(-x, -y, -z), total)
    return np.where((a > 0) & (b > 0) & (c > 0), 1.0, total)


class Tank:
    """The grid, the obstacles of scenes/fluid/project.yaml, and what is open, by our own reckoning."""

    def __init__(self, dim, cells, shift, sides):
        self.dim, self.sides = dim, [(sides[2 * axis], sides[2 * axis + 1]) for axis in range(dim)]
        self.h = (HIGH[0] - LOW[0]) / cells
        self.n = [int(round(x / self.h)) for x in (HIGH - LOW)[:dim]] + [1] * (3 - dim)
        self.volume = self.h**dim # in two dimensions 1 m deep
        distance = self.node_distance(shift)
        self.open = [self.open_part(distance, axis) for axis in range(dim)]
        for axis in range(dim):
            if self.sides[axis][0] == "periodic": # both layers are one face
                inner = np.take(self.open[axis], range(self.n[axis]), axis)
                self.open[axis] = np.concatenate([inner, np.take(inner, [0], axis)], axis)
        self.inside = distance
        for axis in range(dim): # the mean of a cell's corners
            self.inside = 0.5 * (np.take(self.inside, range(1, self.n[axis] + 1), axis) +
                                 np.take(self.inside, range(self.n[axis]), axis))
        around = sum(np.take(o, range(1, self.n[a] + 1), a) + np.take(o, range(self.n[a]), a)
                     for a, o in enumerate(self.open))
        self.fluid = around > 0
        self.share = [self.face_share(axis) for axis in range(dim)]

    def node_distance(self, shift):
        at = [LOW[a] + np.arange(self.n[a] + 1) * self.h for a in range(self.dim)]
        periods = [(0, -1, 1) if a < self.dim and self.sides[a][0] == "periodic" else (0,) for a in range(3)]
        places = np.meshgrid(*at, *[np.zeros(1)] * (3 - self.dim), indexing="ij")
        return np.minimum.reduce([ # obstacles have images beyond periodic sides
            self.distance([x - i * n * self.h for x, i, n in zip(places, image, self.n)], shift)
            for image in itertools.product(*periods)])

    @staticmethod
    def distance(places, shift):
        x, y, z = places
        angle = math.radians(25)
        ball = np.sqrt((x - 0.52 - shift)**2 + (y - 0.5)**2 + z**2) - 0.17
        post = box((x - 1.05 - shift, y - 0.275, z), (0.05, 0.275, 0.5))
        along = math.cos(angle) * (x - 1.2 - shift) + math.sin(angle) * (y - 0.72)
        across = math.cos(angle) * (y - 0.72) - math.sin(angle) * (x - 1.2 - shift)
        board = box((along, across, z), (0.15, 0.04, 0.5))
        return np.minimum(np.minimum(ball, post), board)

    def open_part(self, distance, axis):
        """Of each face across an axis: the part outside of obstacles, by distances at its corners."""
        corners = distance - 1e-7 * self.h # a surface along faces lies on the solid's side
        others = [a for a in range(self.dim) if a != axis]

        def shifted(values, a, by):
            return np.take(values, range(by, by + self.n[a]), a)

        if self.dim == 2:
            part = segment_part(shifted(corners, others[0], 0), shifted(corners, others[0], 1))
        else:
            a, b, c, d = (shifted(shifted(corners, others[0], i), others[1], j)
                          for i, j in ((0, 0), (1, 0), (1, 1), (0, 1)))
            middle = 0.25 * (a + b + c + d)
            part = 0.25 * (triangle_part(a, b, middle) + triangle_part(b, c, middle) +
                           triangle_part(c, d, middle) + triangle_part(d, a, middle))
        kept = part.astype(np.float32).astype(float)
        return np.where(part < 1e-3, 0.0, np.where(part > 1 - 1e-3, 1.0, kept))

    def pad(self, values, axis, outside):
        """One layer more on both ends: the other end where periodic, else `outside` (low, high)."""
        wide = np.concatenate([np.take(values, [-1], axis), values, np.take(values, [0], axis)], axis)
        for end, kind in enumerate(self.sides[axis]):
            if kind != "periodic":
                index = [slice(None)] * 3
                index[axis] = -end
                wide[tuple(index)] = outside[end]
        return wide

    def pairs(self, values, axis, outside=(0, 0)):
        """The values below and above every face across an axis."""
        wide = self.pad(values, axis, outside)
        count = wide.shape[axis]
        return np.take(wide, range(count - 1), axis), np.take(wide, range(1, count), axis)

    def face_share(self, axis):
        """Of a cell's volume that moves with a face: 1 between fluid, 1/2 on an open side, 0 closed."""
        opened = [side == "open" for side in self.sides[axis]]
        below, above = self.pairs(self.fluid.astype(float), axis)
        share = below * above * (self.open[axis] > 0)
        for end, is_open in enumerate(opened):
            index = [slice(None)] * 3
            index[axis] = -end
            if is_open:
                share[tuple(index)] = (0.5 * np.maximum(below, above) *
                                       (self.open[axis] > 0))[tuple(index)]
        return share

    def gradient(self, p, axis):
        """Across open faces, with pressure 0 on open sides; 0 elsewhere. The program keeps area / spacing
        times the open part in single precision (docs/pressure.md); so do we."""
        below, above = self.pairs(np.where(self.fluid, p, 0.0), axis)
        share = self.share[axis]
        exact = self.h**(self.dim - 2) * self.open[axis] / np.where(share > 0, share, 1)
        kept = np.where(share > 0, exact.astype(np.float32) / np.where(share > 0, exact, 1), 0.0)
        return kept * (above - below) / self.h / np.where(share > 0, share, 1)

    def outflow(self, u):
        """Divergence of fluid cells, through the open parts of their faces, 1/s."""
        total = sum(np.diff(self.open[a] * u[a], axis=a) for a in range(self.dim)) / self.h
        return np.where(self.fluid, total, 0.0)

    def energy(self, u):
        """As the program counts it: half of a face's motion belongs to each fluid cell beside it."""
        total = 0.0
        for axis in range(self.dim):
            square = u[axis]**2
            both = (np.take(square, range(self.n[axis]), axis) +
                    np.take(square, range(1, self.n[axis] + 1), axis))
            total += np.sum(np.where(self.fluid, both, 0))
        return 0.25 * DENSITY * self.volume * total

    def dot(self, u, v):
        """Twice the kinetic energy of u and v in the open parts; the two layers of a periodic side are
        one. In it the projection is at right angles."""
        total = 0.0
        for axis in range(self.dim):
            term = self.open[axis] * self.share[axis] * u[axis] * v[axis]
            if self.sides[axis][0] == "periodic":
                term = np.take(term, range(self.n[axis]), axis)
            total += np.sum(term)
        return DENSITY * self.volume * total

    def project(self, u):
        """Our own projection: the dense least-squares solution of the pressure equation."""
        cells = np.flatnonzero(self.fluid)
        matrix = np.zeros((cells.size, cells.size))
        for column, cell in enumerate(cells):
            p = np.zeros(self.fluid.size)
            p[cell] = 1.0
            p = p.reshape(self.fluid.shape)
            matrix[:, column] = self.outflow([self.gradient(p, a) for a in range(self.dim)]).flat[cells]
        p = np.zeros(self.fluid.size)
        p[cells] = np.linalg.lstsq(matrix, self.outflow(u).flat[cells], rcond=1e-12)[0]
        p = p.reshape(self.fluid.shape)
        return [u[axis] - self.gradient(p, axis) for axis in range(self.dim)]


def read_state(path, tank):
    """Velocities of the faces across each axis and pressures, as arrays [i][j][k]."""
    def array(file, name, axis):
        size = list(tank.n)
        if axis is not None:
            size[axis] += 1
        return file[f"fluid/{name}"][()].reshape(size[::-1]).transpose(2, 1, 0)

    with h5py.File(path, "r") as file:
        return ([array(file, "velocity_" + "xyz"[axis], axis) for axis in range(tank.dim)],
                array(file, "pressure", None))


def run(options, folder, name, dim, cells, shift, sides, more=None, words=()):
    values = {"dim": dim, "params/cells": cells, "params/shift": shift, **(more or {})}
    if sides != WALLS:
        names = ("left", "right", "bottom", "top", "back", "front")
        values["fluid/sides"] = "{%s}" % ", ".join(f"{n}: {s}" for n, s in zip(names, sides))
    return common.run(options.program, common.scene_path("fluid/project.yaml"),
                      os.path.join(folder, name), values, "--keep-states", "--state-every", 1, *words)


def check_case(options, checks, folder, number, case):
    dim, cells, shift, sides = case
    label = f"{dim}D cells={cells} shift={shift} sides={','.join(s[0] for s in sides[:2 * dim])}"
    tank = Tank(dim, cells, shift, sides)
    output = run(options, folder, f"case{number}", dim, cells, shift, sides, {"duration": 3 / 24})
    stats = output.stats()
    with h5py.File(output.frame(1), "r") as file:
        solid = file["fluid/solid"][()].transpose(2, 1, 0).astype(bool)
    sure = np.abs(tank.inside) > 1e-9 # on the surface to the last bits either is right
    checks.true(f"{label} obstacles", np.array_equal(solid[sure], tank.inside[sure] < 0),
                f"{np.count_nonzero(solid)} of {solid.size} cells")

    states = [read_state(output.state(frame), tank) for frame in range(4)]
    start = states[0][0]
    fastest = max(np.max(np.abs(u)) for u in start)
    rough = np.max(np.abs(tank.outflow(start)))
    checks.above(f"{label} divergence at the start, of speed a cell", rough * tank.h / fastest, 0.1)
    energy = [0.5 * tank.dot(u, u) for u, _ in states]
    for frame, (u, _) in enumerate(states):
        closed = max(np.max(np.abs(np.where(tank.share[a] == 0, u[a], 0))) for a in range(dim))
        checks.below(f"{label} frame {frame} velocity of closed faces", closed, 0.0)
        checks.near(f"{label} frame {frame} energy.kinetic", stats["energy.kinetic"][frame],
                    tank.energy(u), 1e-9)
        left = tank.outflow(u)
        checks.below(f"{label} frame {frame} divergence.max column",
                     abs(stats["divergence.max"][frame] - np.max(np.abs(left))),
                     1e-12 * fastest / tank.h)
        if frame > 0:
            mean = math.sqrt(np.sum(left**2) / np.count_nonzero(tank.fluid))
            checks.below(f"{label} frame {frame} divergence, mean square, of speed a cell",
                         mean * tank.h / fastest, TOLERANCE * (1 + 1e-6))
            checks.below(f"{label} frame {frame} greatest divergence against the start",
                         np.max(np.abs(left)) / rough, 1e-3)
            checks.below(f"{label} frame {frame} energy over that before",
                         energy[frame] / energy[frame - 1] - 1, 1e-12)
    check_gradient(checks, label, tank, states, fastest)
    for axis in range(dim):
        if sides[2 * axis] == "periodic":
            first, last = np.take(states[1][0][axis], [0, -1], axis).swapaxes(0, axis)
            checks.true(f"{label} both layers of the periodic side", np.array_equal(first, last))
    checks.note(f"{label}: iterations {stats['solve.pressure.iterations'][1]:.0f}, kinetic energy "
                f"{energy[0]:.6g} -> {energy[1]:.6g} J")


def check_gradient(checks, label, tank, states, fastest):
    """What the step took away is dt/density grad p, at right angles to what is left."""
    taken = [a - b for a, b in zip(states[0][0], states[1][0])]
    pressure = states[1][1] / DENSITY / 24
    away = max(np.max(np.abs(taken[axis] - tank.gradient(pressure, axis)))
               for axis in range(tank.dim))
    # The solver keeps its coefficients in single precision.
    checks.below(f"{label} velocity taken away less dt/density grad p", away / fastest, 1e-6)
    whole = tank.dot(states[0][0], states[0][0])
    checks.below(f"{label} it is at right angles to what is left",
                 abs(tank.dot(taken, states[1][0])) / whole, 1e-5)


def check_direct(options, checks, folder, number, case):
    """Small tanks against a dense solve of our own."""
    dim, cells, shift, sides = case
    label = f"direct {dim}D cells={cells} shift={shift} sides={','.join(s[0] for s in sides[:2 * dim])}"
    tank = Tank(dim, cells, shift, sides)
    output = run(options, folder, f"direct{number}", dim, cells, shift, sides,
                 {"fluid/tolerance": 1e-12})
    before, after = (read_state(output.state(frame), tank)[0] for frame in (0, 1))
    expected = tank.project(before)
    fastest = max(np.max(np.abs(u)) for u in before)
    away = max(np.max(np.abs(a - b)) for a, b in zip(after, expected))
    checks.below(f"{label} velocities", away / fastest, 1e-9)


def main():
    options = common.arguments(__doc__)
    checks = common.Checks()
    through = ("periodic", "periodic") + ("wall",) * 4
    windy = ("wall", "open", "wall", "open", "wall", "wall")
    cases = [(2, 64, 0, WALLS), (2, 97, 0.137, WALLS), (3, 44, 0, WALLS), (2, 80, -0.2, windy),
             (3, 34, -0.11, through), (3, 28, 0.05, windy), (2, 51, 0.3, ("periodic",) * 6),
             (2, 400, 0.02, WALLS), (2, 777, 0, WALLS), (3, 96, 0, WALLS), (3, 74, 0.07, windy)]
    direct = [(2, 32, 0, WALLS), (3, 14, 0, WALLS), (2, 37, 0.1, windy), (3, 12, 0.04, through),
              (2, 30, -0.1, ("periodic",) * 6), (3, 16, 0.3, windy)]
    with common.temporary() as folder:
        for number, case in enumerate(cases[:7] if options.quick else cases):
            check_case(options, checks, folder, number, case)
        for number, case in enumerate(direct[:5] if options.quick else direct):
            check_direct(options, checks, folder, number, case)
        hashes = [common.info_hash(options.program,
                                   run(options, folder, f"threads{n}", 3, 48, 0, WALLS, None,
                                       ("--threads", n)).state()) for n in (1, 2, 4)]
        checks.true("same bits for 1, 2, 4 threads", len(set(hashes)) == 1, " ".join(hashes))
    checks.finish()


if __name__ == "__main__":
    main()
