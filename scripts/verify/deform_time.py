#!/usr/bin/python3
"""Deformable solids in time: an oscillator step by step, forces, energy and momenta of a blob, shapes found again."""
import math

import common
import deform
from common import np
from deform import column, vector

# ---- gate 5: the oscillator ----


def recurrence(h, elastic, x, v, count):
    """x and v/omega of a mass on a spring by the Newmark scheme: 002 5.3's first list, or 5.4's with the last force."""
    found = [(x, v)]
    for _ in range(count):
        half = v - h / 2 * x
        new = x + h * half
        v = v - h * (new if elastic == "last" else (x + new) / 2)
        x = new
        found.append((x, v))
    return np.array(found)


def check_oscillator(options, checks, folder):
    """Every step against the recurrence, and the amplitude: of z = (x, v/omega) and z' = M z, the area z x z' is
    multiplied by det M in every step, the amplitude by its root."""
    omega, amplitude = 10.0, 0.02
    steps = 200 if options.quickest else 2000
    cases = [("mean", h) for h in (0.1, 0.5, 1.0, 1.4, 1.9, 1.99)] + [("middle", 1.0)]
    cases += [("last", h) for h in (0.1, 0.5, 1.0, 1.3)]
    for elastic, h in cases:
        count = steps if elastic != "last" else min(steps, int(-12 * math.log(10) / math.log(1 - h * h / 2)))
        probes = deform.run(options, folder, f"oscillator {elastic} {h}", "oscillator",
                            {"params/h": h, "params/elastic": elastic, "params/steps": count,
                             "params/omega": omega}).probes()
        t = column(probes, "time")
        taken = float(np.mean(np.diff(t))) * omega
        label = f"oscillator {elastic}, h = {taken:.6g}"
        checks.true(f"{label}: the step asked for, all alike", abs(taken / h - 1) < 1e-9
                    and np.max(np.abs(np.diff(t) * omega / h - 1)) < 1e-9, f"{len(t) - 1} steps, asked h = {h:g}")
        x, v = column(probes, "mass.position.x"), column(probes, "mass.velocity.x") / omega
        expected = recurrence(taken, elastic, amplitude, 0.0, len(t) - 1)
        scale = np.max(np.abs(expected))
        checks.below(f"{label}: off the recurrence, over the greatest",
                     max(np.max(np.abs(x - expected[:, 0])), np.max(np.abs(v - expected[:, 1]))) / scale, 1e-9)
        area = x[:-1] * v[1:] - v[:-1] * x[1:]
        rows = np.flatnonzero(np.abs(area) > 1e-12 * np.abs(area[0]))
        rows = rows[:-1] if len(rows) > 1 else rows
        count = np.arange(len(area))[rows[-1]]
        factor = math.exp(math.log(area[count] / area[0]) / (2 * count)) if area[count] / area[0] > 0 else math.nan
        wanted = 1.0 if elastic != "last" else math.sqrt(1 - taken ** 2 / 2)
        checks.below(f"{label}: amplitude times {factor:.12f} a step, expected {wanted:.12f}, off by",
                     abs(factor - wanted), 1e-9)


# ---- springs, pressure, wind: forces against their formulas ----

CELL = """\
plimsoll: 1
name: cell
dim: 2
gravity: [0, 0, 0]
duration: 1.0e-6
fps: 1.0e+6
deformable:
  integrator: newmark
  bodies:
    - name: cell
      shape: {box: {size: [1, 0.6, 1]}}
      cells: [1, 1, 1]
      density: 12
      start: ["=x + if(hypot(x, y) < 0.1, 0.13, 0)", "=y + if(hypot(x, y) < 0.1, 0.08, 0)", "=z"]
      springs: {edges: 7, altitudes: 5, which: all}
      pins: [{name: frame, in: {difference: {of: [{box: {size: [3, 3, 3]}}, {box: {size: [0.5, 0.3, 4]}}]}}}]
      points: [{name: middle, near: [0, 0, 0]}]
probes:
  - {name: middle, quantities: [position, velocity]}
  - {name: cell, quantities: [energy]}
"""


def spring_energy(middle, edges, altitudes, which):
    """Of a cell of 1 m x 0.6 m cut crosswise, its middle moved: along edges and altitudes E (l - L)^2/(2 L)."""
    corners = np.array([(-0.5, -0.3), (0.5, -0.3), (0.5, 0.3), (-0.5, 0.3)])

    def heights(m):
        found = []
        for i in range(4):
            p = [corners[i], corners[(i + 1) % 4], m]
            area = abs((p[1] - p[0])[0] * (p[2] - p[0])[1] - (p[1] - p[0])[1] * (p[2] - p[0])[0])
            found.append([area / np.linalg.norm(p[(k + 2) % 3] - p[(k + 1) % 3]) for k in range(3)])
        return np.array(found)

    total = sum(edges / (2 * L) * (l - L) ** 2 for l, L in
                ((np.linalg.norm(c - middle), np.linalg.norm(c)) for c in corners))
    now, rest = heights(np.asarray(middle, dtype=float)), heights(np.zeros(2))
    each = altitudes / (2 * rest) * (now - rest) ** 2
    return total + (np.sum(each) if which == "all" else sum(each[i, np.argmin(now[i])] for i in range(4)))


def check_springs(options, checks, folder):
    """The first acceleration of a node between four held ones, against differences of the energy."""
    scene = common.write_scene(folder, "cell.yaml", CELL)
    place = np.array([0.13, 0.08])
    for edges, altitudes, which in ((7, 0, "all"), (0, 5, "all"), (0, 5, "shortest"), (7, 5, "all")):
        label = f"springs: edges {edges} N, altitudes {altitudes} N, {which}"
        springs = f"{{edges: {edges}, altitudes: {altitudes}, which: {which}}}"
        probes = deform.run(options, folder, label, scene, {"deformable/bodies/cell/springs": springs}).probes()
        mass, h = 12 * 0.6 / 3, 1e-6
        force = np.array([-(spring_energy(place + h * e, edges, altitudes, which) -
                            spring_energy(place - h * e, edges, altitudes, which)) / (2 * h) for e in np.eye(2)])
        found = vector(probes, "middle.velocity")[-1][:2] / column(probes, "time")[-1] * mass
        checks.below(f"{label}: force {found[0]:.6f} {found[1]:.6f} N, off by over it",
                     np.linalg.norm(found - force) / np.linalg.norm(force), 1e-5)
        energy = spring_energy(place, edges, altitudes, which)
        checks.near(f"{label}: energy, J", column(probes, "cell.energy")[0], energy, 1e-6)


BLOCK = """\
plimsoll: 1
name: block
gravity: [0, -9.81, 0]
duration: 1
fps: 1
deformable:
  integrator: static
  tolerance: 1.0e-11
  bodies:
    - name: block
      shape: {box: {size: [0.5, 0.4, 0.3]}}
      cells: [4, 4, 4]
      density: 500
      young: 1.0e+9
      poisson: 0.3
      wind: {velocity: [20, 0, 0], density: 1.3, drag: 0.8}
      pins: [{name: base, in: {place: {shape: {box: {size: [2, 1.0e-6, 2]}}, position: [0, -0.2, 0]}}}]
      loads:
        - {name: top, pressure: 2000, in: {place: {shape: {box: {size: [2, 1.0e-6, 2]}}, position: [0, 0.2, 0]}}}
        - {name: side, force: [0, 0, 7], near: [0, 0.2, 0.15]}
probes:
  - {name: base, quantities: [force, torque]}
  - {name: top, quantities: [force, torque]}
  - {name: side, quantities: [force, torque]}
"""


def check_loads(options, checks, folder):
    """What holds a stiff block is the sum of weight, pressure, load and wind; the wind counts on both faces that it meets
    at right angles, and along faces not at all."""
    probes = deform.run(options, folder, "block", common.write_scene(folder, "block.yaml", BLOCK)).probes()
    weight, pressure = 500 * 0.06 * 9.81, 2000 * 0.15
    wind = 2 * 0.5 * 1.3 * 0.8 * 20 ** 2 * 0.12
    found, expected = vector(probes, "base.force")[-1], np.array([-wind, weight + pressure, -7])
    checks.below(f"block: held with {found[0]:.4f} {found[1]:.4f} {found[2]:.4f} N, off by over it",
                 np.linalg.norm(found - expected) / np.linalg.norm(expected), 1e-5)
    checks.near("block: force of a pressure, N", vector(probes, "top.force")[-1][1], -pressure, 1e-3)
    turn = vector(probes, "side.torque")[-1]
    checks.below(f"block: torque of a load {turn[0]:.5f} {turn[1]:.5f} {turn[2]:.5f} N m, off by over it",
                 np.linalg.norm(turn - [0.2 * 7, 0, 0]) / 1.4, 1e-5)


# ---- gate 5: the blob ----


def energies(stats):
    return column(stats, "energy.kinetic") + column(stats, "energy.elastic")


def drift(table, name):
    """Greatest change of a vector over its length at the start."""
    found = vector(table, name)
    return float(np.max(np.linalg.norm(found - found[0], axis=1)) / np.linalg.norm(found[0]))


def check_blob(options, checks, folder):
    """Undamped, Newmark at half the stable step, 10^4 steps. The step is constant: one that follows the bound on the stable
    step is right as well, but lets the energy drift."""
    cases = [("neo_hookean", 0.25 if options.quickest else 0.2)]
    if not options.quick:
        cases += [("st_venant_kirchhoff", 0.2), ("corotated", 0.2), ("neo_hookean", 0.12)]
    for law, spacing in cases:
        label = f"blob {law}, spacing {spacing:g}"
        values = {"params/spacing": spacing, "deformable/bodies/blob/model": law}
        first = deform.run(options, folder, label + " first", "blob", {**values, "params/time": 0.25})
        dt = float(np.min(np.diff(column(first.probes(), "time")))) # half the least stable one on the way
        output = deform.run(options, folder, label, "blob",
                            {**values, "params/dt": dt, "deformable/step_fraction": 0.7, "params/time": 1.01e4 * dt,
                             "fps": 0.01 / dt})
        stats, probes = output.stats(), output.probes()
        stats.values, probes.values = stats.values[:10001], probes.values[:10001]
        steps = column(stats, "dt")[1:]
        checks.true(f"{label}: 10^4 steps, all alike", len(stats) == 10001 and np.ptp(steps) < 1e-9 * dt,
                    f"{len(stats) - 1} of {np.min(steps) * 1000:.5g} to {np.max(steps) * 1000:.5g} ms")
        energy, t = energies(stats), column(stats, "time")
        checks.below(f"{label}: energy, greatest change over that of the start", np.max(np.abs(energy / energy[0] - 1)),
                     1e-3)
        checks.below(f"{label}: energy along the line fitted to it, change over that of the start",
                     abs(np.polyfit(t, energy, 1)[0]) * (t[-1] - t[0]) / energy[0], 1e-4)
        checks.note(f"{label}: mean energy of four quarters over that of the start less 1: " + " ".join(
            f"{np.mean(part) / energy[0] - 1:.2e}" for part in np.array_split(energy, 4)))
        for what in ("momentum", "angular_momentum"):
            checks.below(f"{label}: {what}, change over it (probes)", drift(probes, f"blob.{what}"), 1e-9)
            checks.below(f"{label}: {what}, change over it (stats)", drift(stats, what), 1e-9)
        far = vector(probes, "blob.center")
        away = far - far[0] - np.outer(t - t[0], [0.3, -0.2, 0.1])
        checks.below(f"{label}: centre off its straight path, m", np.max(np.abs(away)), 1e-9)
        if options.quickest:
            return


def check_midpoint(options, checks, folder):
    """With damping, 10^3 steps solved to 1e-12."""
    for law in ("neo_hookean",) if options.quick else deform.LAWS[1:]:
        label = f"blob {law}, midpoint, damped"
        stats = deform.run(options, folder, label, "blob",
                           {"params/spacing": 0.25 if options.quick else 0.2, "deformable/integrator": "midpoint",
                            "deformable/bodies/blob/model": law, "deformable/tolerance": 1e-12,
                            "params/damping": 0.01, "params/dt": 0.005, "params/time": 5, "fps": 2}).stats()
        checks.true(f"{label}: 10^3 steps", len(stats) == 1001, f"{len(stats) - 1}")
        for what in ("momentum", "angular_momentum"):
            checks.below(f"{label}: {what}, change over it", drift(stats, what), 1e-8)
        energy = energies(stats)
        checks.note(f"{label}: energy at the end over that of the start {energy[-1] / energy[0]:.6f}, greatest rise in a "
                    f"step over it {np.max(np.diff(energy)) / energy[0]:.1e}, Newton's iterations a step "
                    f"{np.mean(column(stats, 'solve.deform.newton')[1:]):.2f}")


# ---- gate 6: recover ----


def check_recover(options, checks, folder):
    """From a plane, from a point, from random places, by all laws: the rest shape within 1% of the size after the best
    rigid fit, and no element inverted."""
    spacings = (0.25,) if options.quickest else (0.2,) if options.quick else (0.25, 0.2, 0.12)
    for spacing in spacings:
        rest = deform.nodes(deform.run(options, folder, f"rest {spacing}", "recover",
                                       {"params/mode": "=rest", "params/spacing": spacing}, "--frames", 1))
        size = np.max(np.ptp(rest, axis=0))
        for law in deform.LAWS:
            for mode in ("flat", "point", "random"):
                label = f"recover {mode} {law}, spacing {spacing:g}"
                output = deform.run(options, folder, label, "recover",
                                    {"params/mode": f"={mode}", "params/model": law, "params/spacing": spacing})
                stats = output.stats()
                inverted = column(stats, "elements.inverted")
                checks.below(f"{label}: worst node off the rest shape, over the size, at {column(stats, 'time')[-1]:g} s",
                             np.max(deform.rigid_fit(rest, deform.nodes(output))) / size, 0.01)
                checks.true(f"{label}: none inverted", inverted[-1] == 0,
                            f"{inverted[-1]:.0f} at the end, at the start {inverted[0]:.0f}, none from "
                            f"{column(stats, 'time')[np.flatnonzero(inverted)[-1] + 1 if np.any(inverted) and not inverted[-1] else 0]:g} s on")


if __name__ == "__main__":
    common.verify(__doc__, (check_oscillator, check_springs, check_loads, check_blob, check_midpoint, check_recover))
