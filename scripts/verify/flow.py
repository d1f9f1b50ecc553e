#!/usr/bin/python3
"""One-phase flow against closed forms: decaying vortices, channels, fluid at rest, what a piston moves."""
import math
import os
import shutil

import common
from common import h5py, np


# ---- reading ----


class Flow:
    """The fluid at one frame, arrays as [i][j][k]: face velocities and smoke of the state, exact, and
    pressure and solid of the frame. Needs a run with all states kept."""

    def __init__(self, output, number):
        with h5py.File(output.frame(number), "r") as file:
            group = file["fluid"]
            self.time = float(file.attrs["time"])
            self.dim, self.h = int(group.attrs["dim"]), float(group.attrs["spacing"])
            self.n = [int(group.attrs[f"n{c}"]) for c in "xyz"]
            self.origin = np.array([float(group.attrs[f"origin_{c}"]) for c in "xyz"])
            self.pressure = group["pressure"][()].transpose(2, 1, 0).astype(float)
            self.solid = group["solid"][()].transpose(2, 1, 0).astype(bool)
        with h5py.File(output.state(number), "r") as file:
            group = file["fluid"]
            self.u = [self.shaped(group["velocity_" + "xyz"[axis]][()], axis)
                      for axis in range(self.dim)]
            self.state_pressure = self.shaped(group["pressure"][()], None)
            self.smoke = group["smoke"][()] if "smoke" in group else np.zeros(0)

    def shaped(self, values, axis):
        size = list(self.n)
        if axis is not None:
            size[axis] += 1
        return values.reshape(size[::-1]).transpose(2, 1, 0)

    def places(self, axis=None):
        """x, y, z of the faces across an axis, or of the cells; they broadcast."""
        lines = []
        for a in range(3):
            count = self.n[a] + (a == axis)
            at = self.origin[a] + self.h * (np.arange(count) + (0.0 if a == axis else 0.5))
            if a >= self.dim:
                at = np.zeros(1)
            lines.append(at.reshape([-1 if b == a else 1 for b in range(3)]))
        return lines

    def fastest(self):
        return max(np.max(np.abs(u)) for u in self.u)

    def divergence(self):
        """1/s, of every cell as if nothing cut it."""
        return sum(np.diff(self.u[a], axis=a) for a in range(self.dim)) / self.h

    def clear(self, cells=2):
        """Cells with no solid that near."""
        near = self.solid.copy()
        for _ in range(cells):
            wide = near.copy()
            for axis in range(self.dim):
                for shift in (1, -1):
                    wide |= np.roll(near, shift, axis)
            near = wide
        return ~near


def run(options, folder, label, scene, values=None, *words):
    """A run with all states; `scene` is a name in scenes/ or a path."""
    path = scene if os.path.isabs(scene) else common.scene_path(scene)
    out = os.path.join(folder, "".join(c if c.isalnum() else "_" for c in label))
    shutil.rmtree(out, ignore_errors=True)
    result = common.call(options.program, "run", path, "--out", out, "--quiet",
                         *common.overrides(values), "--keep-states", "--state-every", 1,
                         *common.threads(2), *words, timeout=3600)
    if result.code != 0:
        raise RuntimeError(f"run {scene} {values}: exit code {result.code}\n{result.stderr}")
    return common.Output(out)


def orders(sizes, errors):
    """Between neighbours of a series of grids."""
    return [math.log(errors[i] / errors[i + 1]) / math.log(sizes[i + 1] / sizes[i])
            for i in range(len(sizes) - 1)]


def check_order(checks, label, sizes, errors, limit):
    checks.note(f"{label}: " + ", ".join(f"{n}: {e:.3g}" for n, e in zip(sizes, errors)))
    checks.above(f"{label} order, grids {sizes[0]} to {sizes[-1]}",
                 orders([sizes[0], sizes[-1]], [errors[0], errors[-1]])[0], limit)


def check_divergence(checks, label, flow, tolerance=1e-6):
    """Root mean square of what the pressure solve leaves, where no obstacle is near."""
    left = np.where(flow.clear(), flow.divergence(), 0.0)
    mean = math.sqrt(np.sum(left**2) / left.size)
    checks.below(f"{label} divergence, mean square, of speed a cell",
                 mean * flow.h / flow.fastest() if flow.fastest() > 0 else mean,
                 tolerance * (1 + 1e-6))


# ---- Taylor-Green ----


def vortices(a, b, t, nu, mean, shift):
    """Velocity along the two axes of the plane, at places along them: carried and decaying."""
    a, b = a - shift - mean[0] * t, b - shift - mean[1] * t
    decay = math.exp(-2 * nu * t)
    return mean[0] + np.sin(a) * np.cos(b) * decay, mean[1] - np.cos(a) * np.sin(b) * decay


class TaylorGreen:
    """A run and how far it is from the closed form."""

    def __init__(self, output, frame, nu, mean, shift, axes=(0, 1)):
        flow = Flow(output, frame)
        self.flow, self.t = flow, flow.time
        error, size, product, square = 0.0, 0.0, 0.0, 0.0
        self.greatest = 0.0
        for which, axis in enumerate(axes):
            x = flow.places(axis)
            exact = vortices(x[axes[0]], x[axes[1]], flow.time, nu, mean, shift)[which]
            keep = [slice(0, flow.n[a]) for a in range(3)] # the doubled layer once
            ours = flow.u[axis][tuple(keep)] - mean[which]
            exact = (exact + np.zeros_like(flow.u[axis]))[tuple(keep)] - mean[which]
            error += np.sum((ours - exact)**2)
            size += np.sum(exact**2)
            product += np.sum(ours * exact)
            square += np.sum(ours**2)
            self.greatest = max(self.greatest, np.max(np.abs(ours - exact)))
        decay = math.exp(-2 * nu * flow.time)
        self.error = math.sqrt(error / size)           # relative, root mean square
        self.along = product / size * decay            # amplitude of the exact pattern in ours
        self.amplitude = math.sqrt(square / size) * decay
        self.expected = decay
        self.energy = square / size * decay**2


def taylor_green(options, folder, label, values):
    values = {"params/nu": 0.1, **values}
    output = run(options, folder, label, "fluid/taylor_green.yaml", values)
    mean = (values.get("params/ux", 0), values.get("params/uy", 0))
    n = values["params/n"]
    shift = values.get("params/shift", 0) * 2 * math.pi / n
    return output, [TaylorGreen(output, frame, values["params/nu"], mean, shift)
                    for frame in output.numbered("state")]


def check_decay(checks, label, output, found, mean):
    start, last = found[0], found[-1]
    checks.below(f"{label} start against the closed form", start.error, 1e-12)
    worst = max(found, key=lambda f: abs(f.amplitude / f.expected - 1))
    checks.near(f"{label} velocity, root mean square, worst at t={worst.t:.4g}",
                worst.amplitude, worst.expected, 1)
    worst = max(found, key=lambda f: abs(f.along / f.expected - 1))
    checks.near(f"{label} velocity along the exact pattern, worst at t={worst.t:.4g}", worst.along,
                worst.expected, 1)
    worst = max(found, key=lambda f: abs(f.energy / f.expected**2 - 1))
    checks.near(f"{label} energy, worst at t={worst.t:.4g}", worst.energy, worst.expected**2, 1)
    if mean == (0, 0):
        energy, time = output.stats()["energy.kinetic"], output.stats()["time"]
        i = len(energy) - 1
        checks.near(f"{label} energy.kinetic at t={time[i]:.4g} of that at the start",
                    energy[i] / energy[0], math.exp(-4 * 0.1 * time[i]), 1)
    checks.note(f"{label}: error of the field at t={last.t:.4g}: {100 * last.error:.3g}% mean square, "
                f"{last.greatest / last.expected:.3g} of the amplitude at most")
    check_divergence(checks, label, last.flow, 1e-6)


def check_taylor_green(options, checks, folder):
    for mean in ((0, 0), (1, 0.3)):
        label = f"taylor_green 64 mean flow {mean[0]},{mean[1]}"
        output, found = taylor_green(options, folder, label,
                                     {"params/n": 64, "params/ux": mean[0], "params/uy": mean[1]})
        check_decay(checks, label, output, found, mean)
    label = "taylor_green 48 shifted mean flow 1,0.3"
    output, found = taylor_green(options, folder, label,
                                 {"params/n": 48, "params/ux": 1, "params/uy": 0.3, "params/shift": 0.37})
    check_decay(checks, label, output, found, (1, 0.3))

    check_taylor_green_orders(options, checks, folder)


def at_places(flow, axis, other):
    """A component of a periodic plane flow at the faces of another grid, by its Fourier series."""
    values = flow.u[axis][:flow.n[0], :flow.n[1], 0]
    waves = [np.fft.fftfreq(flow.n[a], 1 / flow.n[a]) for a in range(2)]
    places, targets = flow.places(axis), other.places(axis)
    series = np.fft.fft2(values) / values.size
    sums = []
    for a in range(2):
        turn = np.exp(-1j * waves[a] * places[a].flat[0])
        series = series * turn.reshape((-1, 1) if a == 0 else (1, -1))
        sums.append(np.exp(1j * np.outer(targets[a].ravel()[:other.n[a]], waves[a])))
    return (sums[0] @ series @ sums[1].T).real


def distance(coarse, fine):
    """Root mean square of the difference of two grids' velocities, at the faces of the first."""
    total = sum(np.mean((coarse.u[axis][:coarse.n[0], :coarse.n[1], 0] - at_places(fine, axis, coarse))**2)
                for axis in range(2))
    return math.sqrt(total)


def check_taylor_green_orders(options, checks, folder):
    """In space at a fixed small step. MacCormack: from differences of neighbouring grids, for the
    error of the step is the same in all of them and not small beside that of the grid."""
    for scheme, limit in (("maccormack", 1.8), ("semi_lagrangian", 0.9)):
        for shift, base in ((0, 16), (0.37, 12)):
            sizes = [base, 2 * base, 4 * base] + ([] if options.quick else [8 * base])
            for mean in ((0, 0), (1, 0.3)):
                if options.quick and (shift != 0) != (mean != (0, 0)):
                    continue
                label = f"taylor_green {scheme} mean flow {mean[0]},{mean[1]} shift {shift}"
                found = []
                for n in sizes:
                    values = {"params/n": n, "params/ux": mean[0], "params/uy": mean[1],
                              "params/shift": shift * n / base, "params/dt": 0.0025, "duration": 0.5,
                              "fps": 2, "fluid/advection": scheme}
                    found.append(taylor_green(options, folder, label, values)[1][-1])
                steps = [distance(found[i].flow, found[i + 1].flow) for i in range(len(sizes) - 1)]
                if scheme == "semi_lagrangian": # its error is far above that of the step
                    check_order(checks, f"{label} error", sizes, [f.error for f in found], limit)
                    continue
                checks.note(f"{label}: error against the closed form " +
                            ", ".join(f"{n}: {f.error:.3g}" for n, f in zip(sizes, found)))
                check_order(checks, f"{label} difference from the next finer grid", sizes[:-1], steps,
                            limit)


PLANES = """\
plimsoll: 1
name: vortices
params: {{n: 64, nu: 0.1}}
dim: 3
fps: 5
duration: 1
gravity: [0, 0, 0]
time_step: {{max_dt: 0.02}}
fluid:
  domain: {{low: [0, 0, 0], high: [{high}]}}
  cells: "=n"
  density: 1.7
  viscosity: "=1.7*nu"
  sides: {{left: periodic, right: periodic, bottom: periodic, top: periodic, back: periodic, front: periodic}}
  initial: {{velocity: [{velocity}]}}
"""


def check_planes(options, checks, folder):
    """In three dimensions, in each plane of the axes; nothing may change along the third."""
    for axes in ((0, 2),) if options.quick else ((0, 1), (0, 2), (1, 2)):
        n, mean = 48 if options.quickest else 64, (1, 0.3)
        a, b = ("xyz"[axis] for axis in axes)
        third = 3 - sum(axes)
        velocity, high = ["0"] * 3, ["=tau"] * 3
        velocity[axes[0]] = f'"=1 + sin({a})*cos({b})"'
        velocity[axes[1]] = f'"=0.3 - cos({a})*sin({b})"'
        high[third] = "=5*tau/n"
        scene = common.write_scene(folder, f"plane{third}.yaml", PLANES.format(
            velocity=", ".join(velocity), high=", ".join(f'"{h}"' for h in high)))
        label = f"taylor_green 3D in {a}{b}"
        output = run(options, folder, label, scene, {"params/n": n, "duration": 1})
        found = [TaylorGreen(output, frame, 0.1, mean, 0, axes) for frame in output.numbered("state")]
        check_decay(checks, label, output, found, mean)
        flow = found[-1].flow
        checks.below(f"{label} velocity along {'xyz'[third]}", np.max(np.abs(flow.u[third])), 1e-6)
        spread = max(np.max(np.ptp(flow.u[axis], axis=third)) for axis in axes)
        checks.below(f"{label} change along {'xyz'[third]}", spread, 1e-6)


# ---- channels ----

COUETTE = """\
plimsoll: 1
name: couette
dim: {dim}
fps: 2
duration: 1
gravity: [0, 0, 0]
time_step: {{max_dt: 0.5}}
fluid:
  domain: {{low: [0, 0, 0], high: [{high}]}}
  cells: {cells}
  density: 3
  viscosity: 60
  tolerance: 1e-12
  cfl: 100
  sides: {{{sides}}}
"""
SIDES = (("left", "right"), ("bottom", "top"), ("back", "front"))


def check_couette_turned(options, checks, folder):
    """Two plates in our own scene: flow along one axis, sheared across another."""
    cases = [(2, 0, 1), (2, 1, 0), (3, 2, 1), (3, 0, 2), (3, 1, 0)]
    for dim, along, across in cases[:4] if options.quick else cases:
        low, high = -0.7, 1.9
        sides = []
        for axis in range(dim):
            for end in range(2):
                if axis == across:
                    velocity = ["0"] * 3
                    velocity[along] = str((low, high)[end])
                    sides.append(f"{SIDES[axis][end]}: "
                                 f"{{kind: wall, velocity: [{', '.join(velocity)}]}}")
                else:
                    sides.append(f"{SIDES[axis][end]}: periodic")
        size = ["0.25"] * 3
        size[across] = "1"
        label = f"couette {dim}D along {'xyz'[along]} sheared across {'xyz'[across]}"
        scene = common.write_scene(folder, "couette.yaml", COUETTE.format(
            dim=dim, high=", ".join(size), cells=16, sides=", ".join(sides)))
        output = run(options, folder, label, scene, {"duration": 6})
        flow = Flow(output, output.numbered("state")[-1])
        for axis in range(dim):
            line = low + (high - low) * flow.places(axis)[across] if axis == along else 0.0
            checks.below(f"{label} velocity {'xyz'[axis]} less the line",
                         np.max(np.abs(flow.u[axis] - line)), 1e-8)


def check_couette(options, checks, folder):
    cases = [{}, {"params/n": 23, "params/speed": -2.5, "params/mu": 3}, {"params/slip": 0.25},
             {"params/n": 40, "params/slip": 1.7, "fluid/storage": "node", "duration": 10}]
    for values in cases:
        label = "couette" + "".join(f" {k.split('/')[-1]}={v}" for k, v in values.items())
        speed, slip = values.get("params/speed", 1), values.get("params/slip", 0)
        output = run(options, folder, label, "fluid/couette.yaml", values)
        line = lambda y: speed * (y + slip) / (1 + slip)
        flow = Flow(output, output.numbered("state")[-1])
        error = np.max(np.abs(flow.u[0] - line(flow.places(0)[1])))
        checks.below(f"{label} velocity less the line", error, 1e-8)
        checks.below(f"{label} velocity across", np.max(np.abs(flow.u[1])), 1e-8)
        probes = output.probes()
        for name, y in (("low", 0.25), ("middle", 0.5), ("high", 0.8)):
            checks.below(f"{label} probe at y={y} {probes[name + '.velocity.x'][-1]:.10g} expected "
                         f"{line(y):.10g}", abs(probes[name + ".velocity.x"][-1] - line(y)), 1e-8)


PIPE = """\
plimsoll: 1
name: pipe
dim: {dim}
fps: 2
duration: 4
gravity: [0, 0, 0]
time_step: {{max_dt: 0.1}}
fluid:
  domain: {{low: [0, 0, 0], high: [{high}]}}
  cells: {cells}
  density: 2
  viscosity: 3
  tolerance: 1e-11
  cfl: 100
  force: [{force}]
  sides: {{{sides}}}
"""


def check_pipe(options, checks, folder):
    """Walls of the domain, force along another axis: 8 mu U / (rho H^2) for a middle of U."""
    cases = [(2, 0, 1), (2, 1, 0), (3, 2, 0), (3, 1, 2)]
    for dim, along, across in cases[:3] if options.quick else cases:
        label = f"poiseuille between walls {dim}D along {'xyz'[along]} across {'xyz'[across]}"
        sides = [f"{SIDES[axis][end]}: {'wall' if axis == across else 'periodic'}"
                 for axis in range(dim) for end in range(2)]
        size, force = ["0.25" if options.quickest else "0.5"] * 3, ["0"] * 3
        size[across], force[along] = "1", str(8 * 3 * 0.7 / 2)
        sizes, errors = [8, 16, 32], []
        for n in sizes:
            scene = common.write_scene(folder, "pipe.yaml", PIPE.format(
                dim=dim, high=", ".join(size), cells=n, sides=", ".join(sides), force=", ".join(force)))
            output = run(options, folder, label, scene)
            flow = Flow(output, output.numbered("state")[-1])
            y = flow.places(along)[across]
            errors.append(np.max(np.abs(flow.u[along] - 0.7 * 4 * y * (1 - y))) / 0.7)
        check_order(checks, label, sizes, errors, 1.9)
        checks.below(f"{label} error at 32 cells", errors[-1], 0.02)


def poiseuille(options, folder, angle, n):
    """Greatest and mean square distance from the parabola, of the speed in the middle, at faces in
    the channel, away from its ends."""
    output = run(options, folder, f"poiseuille {angle} {n}", "fluid/poiseuille.yaml",
                 {"params/angle": angle, "params/n": n})
    flow = Flow(output, output.numbered("state")[-1])
    c, s = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    worst, square, count = 0.0, 0.0, 0
    for axis in range(2):
        x, y = (values + np.zeros_like(flow.u[axis]) for values in flow.places(axis)[:2])
        along, across = c * x + s * y, c * y - s * x
        inside = (np.abs(across) < 0.5) & (np.abs(along) < 0.75)
        away = (flow.u[axis] - (c, s)[axis] * (1 - 4 * across**2))[inside]
        worst = max(worst, np.max(np.abs(away)))
        square += np.sum(away**2)
        count += away.size / 2
    return worst, math.sqrt(square / count), output, flow


def check_poiseuille(options, checks, folder):
    """Orders are those of the mean square error. With the flux given by the inflow, the greatest error,
    next to the walls, is a h^2 - b h^3 even for a scheme that is exact but for h^2: on these grids
    that looks like order 1.7. `check_pipe` has the order of the greatest error."""
    for angle, sizes, limit in ((0, [8, 16, 32], 1.9), (30, [8, 16, 32], 1), (45, [8, 16, 32], 1)):
        sizes = sizes[:2] if options.quick else sizes
        found = [poiseuille(options, folder, angle, n) for n in sizes]
        label = f"poiseuille {angle} degrees"
        check_order(checks, f"{label} mean square error", sizes, [f[1] for f in found], limit)
        checks.note(f"{label} greatest error: " + ", ".join(f"{n}: {f[0]:.3g}" for n, f in zip(sizes, found)))
        checks.below(f"{label} greatest error at {sizes[-1]} cells", found[-1][0], 0.02)
        output, flow = found[-1][2:]
        probes = output.probes()
        c, s = math.cos(math.radians(angle)), math.sin(math.radians(angle))
        for i in range(9):
            r = -0.4 + 0.1 * i
            along = c * probes[f"p{i}.velocity.x"][-1] + s * probes[f"p{i}.velocity.y"][-1]
            checks.below(f"{label} probe at {r:+.1f}: {along:.6f} expected {1 - 4 * r * r:.6f}",
                         abs(along - (1 - 4 * r * r)), 0.02)
        check_divergence(checks, label, flow, 1e-8)
        if angle == 0: # what comes in is the exact flow already: no pressure is needed to change it
            first = [np.max(np.abs(f[3].state_pressure[0])[~f[3].solid[0]]) for f in found]
            checks.note(f"{label} greatest pressure next to the inflow, of mu U/H, exactly 0: " +
                        ", ".join(f"{n}: {p:.3g}" for n, p in zip(sizes, first)))
            checks.below(f"{label} pressure next to the inflow, grid {sizes[-1]} over grid {sizes[0]}",
                         first[-1] / first[0], 1)


# ---- the oscillating channel ----


def check_oscillating_channel(options, checks, folder):
    """Amplitude and phase over the last period, against the closed form evaluated here."""
    root = 4 * complex(0, 1)**0.5 # h sqrt(i w / nu)
    exact = {"center": (1 - 1 / np.cosh(root)) / 1j,
             "half": (1 - np.cosh(root / 2) / np.cosh(root)) / 1j,
             "whole": (1 - np.tanh(root) / root) / 1j}
    table = {"center": (1.1128, -88.14), "half": (0.99532, -76.83), "whole": (0.84361, -77.92)}
    columns = {"center": "center.velocity.x", "half": "half.velocity.x", "whole": "whole.flux"}
    cases = [{}, {"params/n": 64}, {"params/nu": 0.3}, {"params/n": 31}]
    if options.quick:
        cases = [{"params/steps": 120, "duration": "=6*2*pi/w"}]
    for values in cases:
        label = "oscillating_channel" + "".join(f" {k.split('/')[-1]}={v}" for k, v in values.items())
        output = run(options, folder, label, "fluid/oscillating_channel.yaml", values)
        probes, w = output.probes(), 16 * values.get("params/nu", 1)
        last = probes["time"] > probes["time"][-1] - 2 * math.pi / w * (1 + 1e-9)
        t = probes["time"][last]
        for name, column in columns.items():
            wave = probes[column][last] / (2 if name == "whole" else 1) # 2 m wide
            fit = np.linalg.lstsq(np.stack([np.cos(w * t), np.sin(w * t), 1 + 0 * t], axis=1), wave,
                                  rcond=None)[0]
            amplitude, phase = math.hypot(fit[0], fit[1]), math.degrees(math.atan2(-fit[1], fit[0]))
            expected = abs(exact[name]), math.degrees(np.angle(exact[name]))
            if values is cases[0]:
                checks.below(f"{label} {name} closed form against the table",
                             max(abs(expected[0] / table[name][0] - 1), abs(expected[1] - table[name][1])),
                             0.006)
            checks.near(f"{label} {name} amplitude", amplitude, expected[0], 2)
            checks.within(f"{label} {name} phase, degrees", phase, round(expected[1], 3), 2)


# ---- between two cylinders ----

ANNULUS = """\
plimsoll: 1
name: annulus
params: {n: 64, rate: 3, dx: 0}
dim: 2
fps: 20
duration: 0.2
gravity: [0, 0, 0]
time_step: {max_dt: 0.005}
fluid:
  domain: {low: [-0.5, -0.5, 0], high: [0.5, 0.5, 1]}
  cells: "=n"
  density: 1
  viscosity: 1.3
  obstacles:
    - difference:
        of:
          - box: {size: [1.1, 1.1, 0.3]}
          - place: {shape: {cylinder: {radius: 0.42, height: 4, segments: 512}}, position: ["=dx", 0, 0], orientation: {axis: [1, 0, 0], angle: 90}}
        cells: 256
rigid:
  bodies:
    - name: shaft
      motion: kinematic
      shape: {place: {shape: {cylinder: {radius: 0.2, height: 2, segments: 512}}, orientation: {axis: [1, 0, 0], angle: 90}}}
      position: ["=dx", 0, 0]
      orientation: {axis: [0, 0, 1], angle: "=deg(rate*t)"}
probes:
  - {name: shaft, quantities: [fluid_torque, fluid_force]}
"""


def check_annulus(options, checks, folder):
    """A turning shaft in a fixed sleeve: A r + B/r around, and the torque 4 pi mu w / (1/a^2 - 1/b^2)."""
    scene = common.write_scene(folder, "annulus.yaml", ANNULUS)
    inner, outer, mu = 0.2, 0.42, 1.3
    sizes = [32, 64] if options.quick else [32, 64, 128]
    for rate, dx in ((3.0, 0.0),) if options.quick else ((3.0, 0.0), (-1.5, 0.0041)):
        label = f"shaft in a sleeve, {rate} rad/s, moved {dx} m"
        torque = -4 * math.pi * mu * rate / (1 / inner**2 - 1 / outer**2)
        errors = []
        for n in sizes:
            output = run(options, folder, label, scene, {"params/n": n, "params/rate": rate, "params/dx": dx})
            flow = Flow(output, output.numbered("state")[-1])
            square, count = 0.0, 0
            for axis in range(2):
                x, y = (values + np.zeros_like(flow.u[axis]) for values in flow.places(axis)[:2])
                r = np.hypot(x - dx, y)
                turning = rate * inner**2 / (outer**2 - inner**2) * (outer**2 / r**2 - 1)
                exact = turning * (-y if axis == 0 else x - dx)
                inside = (r > inner) & (r < outer)
                square += np.sum((flow.u[axis] - exact)[inside]**2)
                count += np.count_nonzero(inside) / 2
            errors.append(math.sqrt(square / count) / (abs(rate) * inner))
            found = output.probes()["shaft.fluid_torque.z"][-1]
            checks.note(f"{label} {n} cells: torque {found:.5f} expected {torque:.5f} "
                        f"({100 * (found / torque - 1):+.2f}%)")
        check_order(checks, f"{label} mean square error of the velocity", sizes, errors, 1)
        checks.near(f"{label} torque at {sizes[-1]} cells", found, torque, 5)


# ---- fluid at rest ----

ARRANGEMENTS = {
    "the scene's own": None,
    "none": "[]",
    "one ball off the grid":
        "[{place: {shape: {ball: {radius: 0.231, subdivisions: 5}}, position: [0.613, 0.447, DEPTH]}}]",
    "two rooms":
        "[{place: {shape: {box: {size: [0.11, 3, 3]}}, position: [0.713, 0.5, 0]}}, "
        "{place: {shape: {ball: {radius: 0.1}}, position: [1.2, 0.3, DEPTH]}}]",
    "slots between slanted boards":
        "[{place: {shape: {box: {size: [1.2, 0.05, 3]}}, position: [0.7, 0.35, 0], orientation: "
        "{axis: [0, 0, 1], angle: 17}}}, {place: {shape: {box: {size: [1.2, 0.05, 3]}}, position: "
        "[0.7, 0.45, 0], orientation: {axis: [0, 0, 1], angle: 17}}}]",
    "ring, closed inside":
        "[{place: {shape: {torus: {radius: 0.3, tube: 0.06}}, position: [0.6, 0.5, 0], orientation: "
        "{axis: [1, 0, 0], angle: 90}}}]",
}


def check_box_at_rest(options, checks, folder):
    cases = [(dim, name, tilt, mu) for name in ARRANGEMENTS
             for dim, tilt, mu in ((2, 0, 0), (2, 33, 0.7), (3, -70, 1e-3))]
    for dim, name, tilt, mu in cases[::2] if options.quick else cases:
        label = f"box_at_rest {dim}D {name}, gravity turned {tilt}, viscosity {mu}"
        values = {"dim": dim, "params/tilt": tilt, "params/mu": mu, "duration": 0.2}
        if dim == 3:
            values["params/n"] = 36
        if ARRANGEMENTS[name]:
            values["fluid/obstacles"] = ARRANGEMENTS[name].replace("DEPTH", "0")
        if name == "none":
            values["probes"] = "[{name: deep, point: [0.1, 0.1, 0.1], quantities: [pressure]}]"
        output = run(options, folder, "rest", "fluid/box_at_rest.yaml", values)
        flow = Flow(output, output.numbered("state")[-1])
        dt = np.min(output.stats()["dt"][1:])
        checks.below(f"{label} velocity over g dt", flow.fastest() / (9.81 * dt), 1e-10)
        g = 9.81 * np.array([math.sin(math.radians(tilt)), -math.cos(math.radians(tilt)), 0])
        x = flow.places()
        depth = 1000 * sum(g[a] * x[a] for a in range(3)) + np.zeros_like(flow.pressure)
        p, open_cells = flow.pressure, ~flow.solid
        away = (p - depth)[open_cells]
        # frames are in single precision
        checks.below(f"{label} pressure less weight of what is above, over the greatest",
                     np.ptp(away) / np.max(np.abs(p)), 1e-6)
        if name == "one ball off the grid":
            volume = math.pi * 0.231**2 if dim == 2 else 4 / 3 * math.pi * 0.231**3
            force = output.probes().vector("obstacles.fluid_force")[-1]
            miss = np.max(np.abs(force + 1000 * volume * g)) / (1000 * volume * 9.81)
            checks.below(f"{label} force {np.round(force, 2)} less weight of the water in its place",
                         miss, 0.02)


REST = """\
plimsoll: 1
name: still
dim: {dim}
fps: 24
duration: 0.5
gravity: [{gravity_x}, -9.81, 0.1]
fluid:
  domain: {{low: [-1, 0, -0.5], high: [1, 1, 0.5]}}
  cells: {cells}
  storage: {storage}
  advection: {advection}
  viscosity: {viscosity}
  sides: {{{sides}}}
  smoke: {{}}
  obstacles:
    - place: {{shape: {{ball: {{radius: 0.2}}}}, position: [-0.31, 0.43, 0]}}
  initial: {{smoke: "=max(0, sin(7*x + 3*y))", temperature: "=0.3*x"}}
rigid:
  bodies:
    - {{name: board, motion: kinematic, shape: {{box: {{size: [0.5, 0.07, 3]}}}}, position: [0.4, 0.6, 0], orientation: {{axis: [0, 0, 1], angle: 20}}}}
"""


def check_zero_velocity(options, checks, folder):
    """Nothing moves: no bit of velocity, pressure, smoke or temperature changes. Compared from the
    first frame on: what a scene puts into solids is gone by then. Along a periodic axis nothing carries
    weight: gravity has no part along it here, and check_free_fall sees to it."""
    for dim, storage, advection, viscosity, sides in (
            (2, "face", "maccormack", "0", ""), (2, "node", "maccormack", "0.3", ""),
            (3, "face", "semi_lagrangian", "0", "top: open"),
            (3, "node", "maccormack", "\"=1 + x^2\"", "left: periodic, right: periodic")):
        label = f"at rest {dim}D on {storage}s {advection} viscosity {viscosity} {sides.replace(':', '')}"
        scene = common.write_scene(folder, "still.yaml", REST.format(
            dim=dim, cells=40 if dim == 2 else 20, storage=storage, advection=advection,
            viscosity=viscosity, sides=sides, gravity_x=0 if "left" in sides else 0.3))
        output = run(options, folder, "still", scene)
        frames = output.numbered("state")
        first, last = (common.datasets(output.state(frame)) for frame in (frames[1], frames[-1]))
        for what, names in (("velocity and pressure", ("velocity_x", "velocity_y", "velocity_z", "pressure")),
                            ("smoke and temperature", ("smoke", "temperature"))):
            away = [(f"fluid/{n}", np.abs(first[f"fluid/{n}"] - last[f"fluid/{n}"])) for n in names]
            bad = [f"{np.count_nonzero(d)} of {n} by up to {np.max(d):.1e}" for n, d in away if np.any(d > 0)]
            checks.true(f"{label}, {what} after frames 1 and {frames[-1]}", not bad,
                        f"differ: {', '.join(bad)}" if bad else "same bits")
        checks.below(f"{label}, velocity", Flow(output, frames[-1]).fastest(), 0.0)


FALL = """\
plimsoll: 1
name: fall
dim: 2
fps: 10
duration: 0.3
gravity: [0.7, -9.81, 0]
fluid:
  domain: {{low: [0, 0, 0], high: [1, 1, 1]}}
  cells: 16
  storage: {storage}
  viscosity: {mu}
  sides: {{bottom: periodic, top: periodic, left: {x}, right: {x}}}
"""


def check_free_fall(options, checks, folder):
    """Along periodic axes fluid falls freely; across walls it does not."""
    for storage, mu, x in (("face", 0, "periodic"), ("node", 0, "periodic"), ("face", 2, "periodic"), ("face", 0, "wall")):
        label = f"free fall on {storage}s, viscosity {mu}, x {x}"
        output = run(options, folder, "fall", common.write_scene(folder, "fall.yaml", FALL.format(storage=storage, mu=mu, x=x)))
        state = common.datasets(output.state(output.numbered("state")[-1]))
        wanted = 0.3 * np.array([0.7 if x == "periodic" else 0, -9.81])
        away = max(np.max(np.abs(state[f"fluid/velocity_{'xy'[a]}"] - wanted[a])) for a in range(2))
        checks.below(f"{label} velocity less g t, over g t", away / 3, 1e-9)


# ---- the plunger ----


def check_plunger(options, checks, folder):
    cases = [{}, {"params/n": 50, "params/mu": 20}, {"params/stroke": 0.9, "params/n": 41},
             {"fluid/storage": "node", "params/mu": 1}, {"dim": 3, "params/n": 24}]
    for values in cases[:3] if options.quick else cases:
        label = "plunger" + "".join(f" {k.split('/')[-1]}={v}" for k, v in values.items())
        output = run(options, folder, label, "fluid/plunger.yaml", {"duration": 1, **values})
        probes = output.probes()
        t, x, flux = probes["time"], probes["piston.position.x"], probes["outlet.flux"]
        dt = np.diff(t)
        flow = Flow(output, 0)
        height = flow.n[1] * flow.h * (flow.n[2] * flow.h if flow.dim == 3 else 1)
        swept, out = np.diff(x) * height, flux[1:] * dt
        checks.above(f"{label} steps", len(dt), 20)
        checks.below(f"{label} volume out less volume swept, greatest of the steps, over that swept",
                     np.max(np.abs(out - swept)) / np.max(np.abs(swept)), 1e-10)
        checks.below(f"{label} all volume out {np.sum(out):.12g} swept {np.sum(swept):.12g}, difference",
                     abs(np.sum(out) / np.sum(swept) - 1), 1e-10)


# ---- smoke ----

STIR = """\
plimsoll: 1
name: stir
dim: {dim}
fps: 12
duration: 2
gravity: [0, -9.81, 0]
fluid:
  domain: {{low: [-1, 0, -0.5], high: [1, 1, 0.5]}}
  cells: {cells}
  density: 1.2
  storage: {storage}
  advection: {advection}
  viscosity: {viscosity}
  smoke: {{weight: 0.5, buoyancy: 2, cooling: 0.1}}
  initial:
    smoke: "=0.8*smoothstep(0.35, 0.25, hypot(x - 0.3, y - 0.5))"
    temperature: "=smoothstep(0.3, 0.2, hypot(x + 0.4, y - 0.3))"
{more}
rigid:
  bodies:
    - name: paddle
      motion: kinematic
      shape: {{box: {{size: [0.5, 0.1, {depth}]}}}}
      position: ["=-0.2 + 0.2*sin(2*t)", 0.5, 0]
      orientation: {{axis: [0, 0, 1], angle: "=100*t"}}
probes:
  - {{name: fluid, quantities: [smoke, kinetic_energy]}}
  - {{name: paddle, quantities: [fluid_force, fluid_torque]}}
"""
SOURCE = """\
  sources:
    - {name: lamp, shape: {ball: {radius: 0.1}}, position: [0.6, 0.2, 0], smoke: 0.9, temperature: 1.5}
"""


def stir(folder, dim, storage, advection="maccormack", viscosity="0.002", more="", cells=(96, 40)):
    return common.write_scene(folder, f"stir_{dim}_{storage}_{advection}.yaml", STIR.format(
        dim=dim, cells=cells[dim - 2], storage=storage, advection=advection,
        viscosity=viscosity, more=more, depth=2 if dim == 2 else 0.6))


def check_smoke(options, checks, folder):
    """A closed box that is stirred: between 0 and the greatest at the start, and none gets lost."""
    cases = [(2, "face", "maccormack"), (2, "node", "maccormack"), (2, "face", "semi_lagrangian"),
             (3, "face", "maccormack")]
    for dim, storage, advection in cases[:2] if options.quick else cases:
        label = f"stirred smoke {dim}D on {storage}s {advection}"
        output = run(options, folder, label, stir(folder, dim, storage, advection),
                     {"duration": 1} if options.quick else None)
        frames = output.numbered("state")
        smoke = [Flow(output, frame).smoke for frame in frames]
        top = np.max(smoke[0])
        checks.below(f"{label} least, below 0 by", -min(np.min(s) for s in smoke), 0.0)
        checks.below(f"{label} greatest over that of the start",
                     max(np.max(s) for s in smoke) - top, 1e-12)
        probe, total = output.probes()["fluid.smoke"], []
        for frame in frames: # frames have none inside of solids
            with h5py.File(output.frame(frame), "r") as file:
                total.append(float(np.sum(file["fluid/smoke"][()], dtype=float)))
        total = np.array(total)
        for what, values in (("outside of solids", total), ("by the probe", probe)):
            checks.note(f"{label} total {what}, of that at the start: {values[-1] / values[0]:.4f} at the "
                        f"end, from {np.min(values) / values[0]:.4f} to {np.max(values) / values[0]:.4f}")
        checks.below(f"{label} change of the total, relative",
                     np.max(np.abs(total / total[0] - 1)), 0.05)


def check_plume(options, checks, folder):
    for scene, storage in (("fluid/plume.yaml", "face"), ("fluid/plume_past_ball.yaml", "node")):
        label = f"{scene} on {storage}s"
        output = run(options, folder, label, scene,
                     {"params/n": 24 if options.quick else 40, "duration": 4.5, "fluid/storage": storage})
        frames = output.numbered("frame")
        heights, extremes, totals = [], [], []
        for frame in range(6, 37): # 0.25 to 1.5 s: none has left through the top
            with h5py.File(output.frame(frame), "r") as file:
                smoke = file["fluid/smoke"][()].astype(float)
                y = (np.arange(smoke.shape[1]) + 0.5) * float(file["fluid"].attrs["spacing"])
            heights.append(np.sum(smoke * y[None, :, None]) / np.sum(smoke))
            totals.append(np.sum(smoke))
        for frame in frames:
            state = Flow(output, frame)
            extremes += [np.min(state.smoke), np.max(state.smoke)]
        checks.below(f"{label} smoke least, below 0 by", -min(extremes), 0.0)
        checks.below(f"{label} smoke greatest, above its source's by", max(extremes) - 1, 1e-12)
        checks.true(f"{label} middle of the smoke rises", heights[-1] > heights[0] + 0.1 and
                    np.min(np.diff(heights)) > -0.01, f"{heights[0]:.3f} m -> {heights[-1]:.3f} m")
        checks.true(f"{label} smoke grows", totals[-1] > totals[0])
        check_divergence(checks, label, Flow(output, frames[-1]))


# ---- the same bits ----


def check_bits(options, checks, folder):
    cases = [(2, "face"), (2, "node"), (3, "face"), (3, "node")]
    for dim, storage in cases:
        scene = stir(folder, dim, storage, more=SOURCE, cells=(64, 24) if options.quick else (96, 40))
        frames = 8
        label = f"moving body and smoke {dim}D on {storage}s"

        def go(name, *words):
            return common.run(options.program, scene, os.path.join(folder, f"bits_{name}"), None,
                              "--frames", frames, *words)

        reference = go(f"1_{dim}{storage}", "--threads", 1)
        expected = common.info_hash(options.program, reference.state())
        for threads in (2, 4):
            output = go(f"{threads}_{dim}{storage}", "--threads", threads)
            found = common.info_hash(options.program, output.state())
            checks.true(f"{label}, {threads} threads", found == expected, f"{found} expected {expected}")
        half = common.run(options.program, scene, os.path.join(folder, f"half_{dim}{storage}"), None,
                          "--frames", frames // 2, "--threads", 2)
        result = common.call(options.program, "resume", half.folder, "--frames", frames, "--quiet")
        found = common.info_hash(options.program, half.state()) if result.code == 0 else result.last_words()
        checks.true(f"{label}, resumed half way", found == expected, f"{found} expected {expected}")
        first, second = reference.probes(), half.probes()
        checks.true(f"{label}, probes of the resumed run", first.values.tobytes() == second.values.tobytes())
        found = common.info_hash(options.program, go(f"drop_{dim}{storage}", "--drop-caches", 3).state())
        checks.true(f"{label}, without caches", found == expected, f"{found} expected {expected}")


def main():
    options = common.arguments(__doc__)
    checks = common.Checks()
    with common.temporary() as folder:
        for check in (check_taylor_green, check_planes, check_couette, check_couette_turned, check_pipe,
                      check_poiseuille, check_oscillating_channel, check_annulus, check_box_at_rest,
                      check_zero_velocity, check_free_fall, check_plunger, check_smoke, check_plume, check_bits):
            check(options, checks, folder)
    checks.finish()


if __name__ == "__main__":
    main()
