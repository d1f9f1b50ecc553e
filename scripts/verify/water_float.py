#!/usr/bin/python3
"""Bodies afloat against closed forms: rest by Archimedes, bobbing, sinking, a boat."""
import math

import common
import fsi
from common import np, verify
from water import G, check_counts

R = 0.5 # m, of the cylinder and the ball of the scenes


# ---- rest ----


def bisect(function, low, high):
    for _ in range(100):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if function(middle) < 0 else (low, middle)
    return low


def cylinder_depth(s):
    """Of immersion, in radii, where the circle's segment below water is the part s of the circle."""
    def segment(d):
        angle = math.acos(1 - d)
        return (angle - (1 - d) * math.sin(angle)) / math.pi
    return bisect(lambda d: segment(d) - s, 0, 2)


def ball_depth(s):
    """The same of a ball's cap, d^2 (3 - d) / 4 of the ball."""
    return bisect(lambda d: d * d * (3 - d) / 4 - s, 0, 2)


def late_mean(probes, column, seconds):
    """Over the last seconds, with a weight that goes to 0 at both ends: waves that do not go up in them
    leave less behind."""
    time = probes["time"]
    late = time >= time[-1] - seconds
    weight = np.sin(math.pi * (time[late] - time[-1]) / seconds)**2
    return np.trapz(weight * probes[column][late], time[late]) / np.trapz(weight, time[late])


def check_depth(options, checks, folder, scene, values, expected, name, settle, threads):
    """Mean over the last seconds of how deep it is, in radii, below the water far away."""
    output = fsi.run(options, folder, "afloat", scene, values, *common.threads(threads))
    probes = output.probes()
    late = probes["time"] >= probes["time"][-1] - settle
    depth = (late_mean(probes, "far.surface", settle) - late_mean(probes, "body.position.y", settle)) / R + 1
    volume = probes["tank.volume"]
    swing = np.ptp(probes["body.position.y"][late]) / R
    checks.true(f"{name}: depth of immersion in radii", abs(depth - expected) <= 0.03,
                f"{depth:.4f} expected {expected:.4f} limit +-0.03; it still moved by {swing:.3f}, "
                f"volume {100 * (volume[-1] / volume[0] - 1):+.2f}%")
    return output


def check_cylinder(options, checks, folder):
    shifts = ((0.3, 0.1),) if options.quick else ((0.3, 0.1), (0.0, 0.0), (0.5, 0.5), (0.13, 0.77))
    for s in (0.35, 0.9) if options.quick else (0.2, 0.35, 0.5, 0.7, 0.9):
        expected = cylinder_depth(s)
        for above in (0.3,) if options.quick else (0, 0.3):
            for dx, dy in shifts:
                check_depth(options, checks, folder, "float/cylinder.yaml",
                            {"params/density": s, "params/dx_shift": dx, "params/dy_shift": dy,
                             "params/n": 10 if options.quickest else 16,
                             "params/start": 1 - expected + above, "params/seconds": 8 if options.quick else 14},
                            expected, f"cylinder of density {s:g}, moved by {dx:g}, {dy:g} cells, from "
                            f"{above:g} radii above", 6 if options.quick else 10, 1)


def check_ball(options, checks, folder):
    if options.quick: # 16 cells across for long are for the full run
        cases = [(0.5, 0.3, 0, 1.5, 0.75)]
    else:
        cases = [(s, 0.3, above, 16 if above else 8, 6) for s in (0.2, 0.35, 0.5, 0.7, 0.9) for above in (0, 0.3)]
        cases += [(0.5, 0.0, 0, 8, 6), (0.35, 0.5, 0.3, 16, 6)]
    for s, shift, above, seconds, settle in cases:
        expected = ball_depth(s)
        output = check_depth(options, checks, folder, "float/ball.yaml",
                             {"params/density": s, "params/dx_shift": shift, "params/seconds": seconds,
                              "params/start": 1 - expected + above, "params/n": 10 if options.quickest else 16,
                              **({"params/width": 2, "params/depth": 1} if options.quick else {})},
                             expected, f"ball of density {s:g}, moved by {shift:g} cells, from {above:g} radii "
                             "above", settle, 2)
        check_counts(checks, "ball", output.stats())


# ---- a flat bottom ----

RAFT = '''plimsoll: 1
name: raft
params: {shift: 0, n: 20, density: 0.5, dim: 2}
dim: "=dim"
duration: 2
fps: 24
fluid:
  domain: {low: [0, 0, 0], high: [2, 2, 2]}
  cells: "=2*n"
  sides: {top: open}
  liquid: {level: "=y-1-shift/n"}
rigid:
  bodies:
    - name: raft
      shape: {box: {size: [0.8, 0.4, 0.8]}}
      position: [1.013, "=1+shift/n+0.4*(0.5-density)", "=(dim>2)*1.007"]
      density: "=1000*density"
probes:
  - {name: raft, quantities: [position]}
'''


def check_raft(options, checks, folder):
    """A box put where it floats stays there, wherever between two layers of faces its bottom lies."""
    path = common.write_scene(folder, "raft.yaml", RAFT)
    cases = [(2, 20, 0.5, shift, 0.1) for shift in (0.0, 0.3, 0.7)]
    if not options.quick:
        cases += [(2, 20, 0.5, shift, 0.1) for shift in (0.1, 0.2, 0.4, 0.5, 0.6, 0.8, 0.9, 0.99)]
        cases += [(2, 20, 0.25, 0.37, 0.1), (2, 33, 0.8, 0.37, 0.1), (3, 12, 0.5, 0.2, 0.25), (3, 12, 0.5, 0.7, 0.25)]
    for dim, n, density, shift, limit in cases:
        y = fsi.run(options, folder, "raft", path, {"params/dim": dim, "params/n": n, "params/density": density,
                                                  "params/shift": shift}, *common.threads(dim - 1)).probes()[
                                                      "raft.position.y"]
        checks.below(f"raft, {dim}D, {n} cells a metre, density {density:g}, moved by {shift:g} cells: leaves its place "
                     "by, cells", np.max(np.abs(y - y[0])) * n, limit)


# ---- bobbing ----


def panel_integrals(points, a, b):
    """Of log(distance) and of its derivative along the panel's normal (left of a to b) over straight panels."""
    along = b - a
    size = np.linalg.norm(along, axis=1)
    t = along / size[:, None]
    away = points[:, None, :] - a[None, :, :]
    x = np.einsum("ijk,jk->ij", away, t)
    y = t[None, :, 0] * away[:, :, 1] - t[None, :, 1] * away[:, :, 0]
    y = np.where(np.abs(y) < 1e-12, 0, y) # on the panel or its line: the limit from there is 0
    far = x - size[None, :]
    logs = lambda u: np.where(u * u + y * y > 0, 0.5 * u * np.log(np.maximum(u * u + y * y, 1e-300)), 0)
    over = np.where(y == 0, 1, y)
    angle = np.where(y == 0, 0, np.arctan(x / over) - np.arctan(far / over))
    single = logs(x) - logs(far) - size[None, :] + y * angle
    return single, -angle # d/dn' log|x - x'| with n' the panel's left normal


class Heave:
    """Added mass and damping of a half-immersed cylinder that heaves in water of a depth, by panels on
    the hull and the free surface: Green's identity for the potential, images below the bottom and
    beyond the plane of symmetry, dphi/dn = (w - i nu)^2 phi / g on the surface, with nu growing far
    out so that no wave comes back. An own solution takes the place of Ursell's table: the depth is
    that of the tank. Its limit at high frequencies is the half of a whole cylinder's: rho pi R^2 / 2."""

    def __init__(self, depth, length=14.0, hull=24, surface=260):
        angle = np.linspace(-math.pi / 2, 0, hull + 1)
        ring = np.stack([R * np.cos(angle), R * np.sin(angle)], axis=1)
        s = np.linspace(0, 1, surface + 1)
        line = np.stack([R + (length - R) * (0.35 * s + 0.65 * s**2), 0 * s], axis=1)
        a, b = np.concatenate([ring[:-1], line[:-1]]), np.concatenate([ring[1:], line[1:]])
        self.hull, middle = hull, 0.5 * (a + b)
        self.x = middle[:, 0]
        self.size = np.linalg.norm(b - a, axis=1)
        normal = np.stack([-(b - a)[:, 1], (b - a)[:, 0]], axis=1) / self.size[:, None] # out of the water: left
        self.up = normal[:, 1].copy()
        single = double = 0
        for mirror_x in (1, -1):
            for mirror_y in (1, -1):
                turn = np.array([mirror_x, mirror_y])
                shift = np.array([0, 0 if mirror_y > 0 else -2 * depth])
                p, q = a * turn + shift, b * turn + shift
                flips = mirror_x * mirror_y < 0 # the order of ends, so that left stays outside
                one, two = panel_integrals(middle, q if flips else p, p if flips else q)
                single, double = single + one, double + two
        self.single, self.double = single, double
        self.start, self.length = 0.4 * length, length

    def solve(self, w):
        """Added mass over rho pi R^2 / 2, and damping over the same times w."""
        n = len(self.x)
        # c phi + sum of phi d(log)/dn - sum of dphi/dn log = 0, outward normals, c = -pi on the boundary
        left = (self.double - math.pi * np.eye(n)).astype(complex)
        ramp = np.clip((self.x - self.start) / (self.length - self.start), 0, 1)
        rate = (w - 1j * 1.2 * w * ramp**2)**2 / G
        free = np.arange(self.hull, n)
        left[:, free] -= self.single[:, free] * rate[free]
        hull = np.arange(self.hull)
        right = self.single[:, hull] @ self.up[hull] # dphi/dn = n_y for a unit velocity, outward
        phi = np.linalg.solve(left, right.astype(complex))
        # Force -i w rho phi n over the whole hull, both sides of the symmetry: a - i b / w.
        total = 2 * np.sum(phi[hull] * self.up[hull] * self.size[hull]) / (math.pi * R * R / 2)
        return total


def bob_theory(depth, times, s=0.5):
    """Height over its start, released at rest: v(t) = 2/pi times the integral of Re V cos(w t), V =
    -c / (c - w^2 (m + a) + i w b), everything over rho pi R^2 / 2."""
    heave = Heave(depth)
    w = np.linspace(0.8, 9, 60)
    found = np.array([heave.solve(x) for x in w])
    fine = np.concatenate([np.linspace(0.01, 9, 900), np.linspace(9, 60, 1500)[1:]])
    inside = np.clip(fine, w[0], w[-1])
    a = np.interp(inside, w, found.real)
    b = -np.interp(inside, w, found.imag) * fine
    last = fine > w[-1] # added mass goes to its limit 1, damping to nothing
    a[last] = 1 + (a[last] - 1) * (w[-1] / fine[last])**2
    b[last] *= (w[-1] / fine[last])**6
    m, c = 2 * s, G * 2 * R / (math.pi * R * R / 2)
    answer = -c / (c - fine**2 * (m + a) + 1j * fine * b)
    speed = np.array([2 / math.pi * np.trapz(answer.real * np.cos(fine * t), fine) for t in times])
    height = 1 + np.concatenate([[0], np.cumsum(0.5 * (speed[1:] + speed[:-1]) * np.diff(times))])
    return height, w, found


def crossings(time, height):
    at = np.nonzero(height[1:] * height[:-1] < 0)[0]
    return time[at] - height[at] * np.diff(time)[at] / (height[at + 1] - height[at])


def check_bob(options, checks, folder):
    """A half-immersed cylinder of half the water's density, released a little above its rest in a tank
    so wide that no wave has come back: frequency from the time between its first ways through rest."""
    depth, width, seconds = (2.5, 11, 2) if options.quickest else (2.5, 14 if options.quick else 18, 2.6)
    times = np.linspace(0, seconds, 400)
    height, w, found = bob_theory(depth, times)
    # Ursell (1949): at high frequencies 1 - 4 / (3 pi K R), K = w^2 / g.
    checks.within("heave, own panels: added mass at 9 rad/s over rho pi R^2/2", found[-1].real,
                  1 - 4 * G / (3 * math.pi * w[-1]**2 * R), 0.02)
    expected = math.pi / np.diff(crossings(times, height))[0]
    at = np.interp(expected, w, found.real)
    checks.note(f"heave, own panels: added mass {at:.3f} rho pi R^2/2 at {expected:.3f} rad/s; with the limit "
                f"alone it would be {math.sqrt(G * 2 * R / (math.pi * R * R / 2) / 2):.3f} rad/s")
    for start in (0.2,) if options.quick else (0.1, 0.2, -0.2):
        for n in (10,) if options.quickest else (16,) if options.quick else (16, 24):
            probes = fsi.run(options, folder, "bob", "float/cylinder.yaml",
                             {"params/width": width, "params/start": start, "params/n": n,
                              "params/seconds": seconds, "fps": 60}).probes()
            y = probes["body.position.y"] - depth - 0.1 / n
            first = crossings(probes["time"], y)
            checks.true("bobbing goes through rest twice", len(first) >= 2, f"{len(first)} times")
            if len(first) >= 2:
                checks.near(f"bobbing from {start:g} radii, {n} cells across: frequency, rad/s",
                            math.pi / (first[1] - first[0]), expected, 8)
            late = np.interp(times, probes["time"], y / (start * R))
            checks.note(f"its way from theory's, greatest, over the start: {np.max(np.abs(late - height)):.3f}; "
                        f"first through rest at {first[0]:.3f} s, theory {crossings(times, height)[0]:.3f} s")


# ---- sinking, the boat ----


def check_sinking(options, checks, folder):
    cases = ((2, 10 if options.quickest else 16),) if options.quick else ((2, 16), (1.5, 16), (5, 16), (2, 24))
    for s, n in cases:
        values = {"params/density": s, "params/n": n, "params/depth": 1.5, "params/width": 3,
                  "params/seconds": 4}
        probes = fsi.run(options, folder, "sinks", "float/cylinder.yaml", values).probes()
        cells = (probes["body.position.y"][-1] - R) * n
        late = probes["time"] > probes["time"][-1] - 0.5
        speed = np.max(np.linalg.norm(probes.vector("body.velocity")[late], axis=1))
        checks.within(f"cylinder of density {s:g}, {n} cells across, on the floor: height of its lowest "
                      "point, cells", cells, 0, 0.25)
        checks.below(f"cylinder of density {s:g}, {n} cells across, on the floor: speed in the last half "
                     "second over sqrt(g R)", speed / math.sqrt(G * R), 0.05)


def hull(dim, wall=0.08, density=2.0):
    """Draught, m, and the middle of mass above the keel."""
    depth = lambda length: length if dim == 3 else 1.0
    outer, inner = 0.6 * depth(1.0), (1 - 2 * wall) * (0.6 - wall) * depth(1 - 2 * wall)
    middle = (0.3 * outer - (0.3 + 0.5 * wall) * inner) / (outer - inner)
    return density * (outer - inner), middle


def hull_mesh(options):
    """Coarser: contact looks at all of its vertices."""
    return {"rigid/bodies/boat/shape/difference/cells": 25} if options.quickest else {}


def check_boat(options, checks, folder):
    for dim, n in ((2, 18),) if options.quickest else ((2, 25),) if options.quick else ((2, 25), (2, 40), (3, 25)):
        draught, middle = hull(dim)
        for start in (0, 0.05):
            if options.quick and start:
                continue
            seconds = 4 if options.quick or dim == 3 else 8
            values = {"params/dim": dim, "params/draught": draught, "params/n": n, "params/start": start,
                      "params/width": 2, "params/seconds": seconds, **hull_mesh(options)}
            probes = fsi.run(options, folder, "boat", "float/boat.yaml", values, *common.threads(dim - 1)).probes()
            checks.near(f"boat, {dim}D: mass", probes["boat.mass"][-1], 1000 * draught, 0.5)
            found = (late_mean(probes, "far.surface", seconds / 2)
                     - late_mean(probes, "boat.position.y", seconds / 2) + middle)
            q = probes.vector("boat.orientation", "wxyz")[-1]
            tilt = math.degrees(math.acos(min(1, common.quat_matrix(q)[1, 1])))
            checks.true(f"boat, {dim}D, {n} cells a metre, from {start:g} m above: draught, m",
                        abs(found - draught) <= 0.5 / n,
                        f"{found:.4f} expected {draught:.4f} limit half a cell, {0.5 / n:.3f}; tilt {tilt:.1f} "
                        f"degrees, volume {100 * (probes['tank.volume'][-1] / probes['tank.volume'][0] - 1):+.2f}%")


def check_boat_sinks(options, checks, folder):
    cases = [(2, "a spout fills it", {"params/pour": 0.5}), (2, "too heavy for its height",
                                                           {"params/density": 4, "params/start": -0.2})]
    cases += [] if options.quick else [(3, "a spout fills it", {"params/pour": 0.5}),
                                       (3, "too heavy for its height",
                                        {"params/density": 4, "params/start": -0.1})]
    n = 15 if options.quickest else 25
    for dim, name, more in cases:
        draught, middle = hull(dim)
        values = {"params/dim": dim, "params/n": n, "params/draught": draught,
                  "params/seconds": 6 if dim == 2 else 9, **hull_mesh(options), **more}
        output = fsi.run(options, folder, "filled", "float/boat.yaml", values, *common.threads(dim - 1))
        probes = output.probes()
        bodies = common.Bodies(output)
        keel = bodies.read(bodies.numbers[-1])[bodies.parts[0], 1].min()
        y = probes["boat.position.y"]
        checks.true(f"boat, {dim}D, {name}: it sinks", y[-1] < 0.55,
                    f"middle of mass at {y[-1]:.3f} m at the end, {y[0]:.3f} m at the start; volume of water "
                    f"{probes['tank.volume'][0]:.3f} m^3 at the start, {probes['tank.volume'][-1]:.3f} at the end")
        checks.within(f"boat, {dim}D, {name}: keel above the floor, cells", keel * n, 0, 1)
        checks.true(f"boat, {dim}D, {name}: all finite", np.all(np.isfinite(probes.values)))


def check_spout(options, checks, folder):
    """Water falls from a spout into a boat: no faster than it can fall, wherever the spout's edges lie in their cells."""
    cells, values, wall, draught = 15, {}, 0.08, hull(3)[0]
    if options.quickest: # walls as many cells thick, of something lighter
        cells, wall = 10, 0.12
        draught = hull(3, wall, 1.2)[0]
        values = {"params/wall": wall, "params/density": 1.2, "params/draught": draught, "params/width": 1.6}
    drop = 1.72 - (1 - draught + wall) # from the spout's lower end to the bottom of the hull
    free_fall = np.sqrt(1.5 ** 2 + 2 * 9.81 * drop)
    for shift in (0,) if options.quick else (0, 0.2, 0.5, 0.75):
        beside = f"=0.5*width+{shift / cells}"
        output = fsi.run(options, folder, "spout", "float/boat.yaml",
                         {"params/pour": 0, "params/seconds": 0.8 if options.quickest else 1, "params/n": cells,
                          **hull_mesh(options), **values,
                          "fluid/sources/0/position": f"[{beside}, =depth+0.8, {beside}]"}, *common.threads(2))
        stats = output.stats()
        fastest = stats["speed.max"][stats["time"] > 0.6].max() # it arrives at 0.4 s
        checks.within(f"boat, 3D, spout {shift} cells off: greatest speed over that of free fall", fastest / free_fall,
                      1, 0.2)


def main():
    verify(__doc__, (check_cylinder, check_ball, check_raft, check_bob, check_sinking, check_boat, check_boat_sinks,
                     check_spout))


if __name__ == "__main__":
    main()
