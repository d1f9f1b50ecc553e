#!/usr/bin/python3
"""Bodies and fluid that move one another, against closed forms: release, rest, a rotor in a shear flow."""
import math
import os
import random
import shutil

import common
from common import np

G = 9.81 # m/s^2, where a scene does not say otherwise


# ---- shared with fsi_*.py ----


def attempt(options, folder, label, scene, values=None, *words):
    """A run on one thread; `scene` is a name in scenes/ or a path. Its result and folder."""
    path = scene if os.path.isabs(scene) else common.scene_path(scene)
    out = os.path.join(folder, "".join(c if c.isalnum() else "_" for c in label))
    shutil.rmtree(out, ignore_errors=True)
    threads = () if "--threads" in words else ("--threads", 1)
    result = common.call(options.program, "run", path, "--out", out, "--quiet",
                         *common.overrides(values), *threads, *words, timeout=7200)
    return result, common.Output(out)


def run(options, folder, label, scene, values=None, *words):
    """A run that must succeed."""
    result, output = attempt(options, folder, label, scene, values, *words)
    if result.code != 0:
        raise RuntimeError(f"run {scene} {values}: exit code {result.code}\n{result.stderr}")
    return output


STATES = ("--keep-states", "--state-every", 1)


def fitted_order(sizes, errors):
    """Slope of the errors of a series of grids on logarithmic axes."""
    return -np.polyfit(np.log(sizes), np.log(errors), 1)[0]


def limit_of_three(values):
    """Richardson's limit of values at h, h/2, h/4, by their own order, and that order."""
    first, second = values[1] - values[0], values[2] - values[1]
    if first == second or first == 0 or second / first <= 0:
        return values[2], math.nan # no order to speak of
    return values[2] + second**2 / (first - second), math.log2(first / second)


def differences_fall(values):
    """Orders of a series of halved steps from the differences of neighbours."""
    steps = np.abs(np.diff(values))
    return np.log2(steps[:-1] / steps[1:])


# ---- release: added mass (C8) ----


def release(options, folder, scene, added, s, cfl, shift, n, more=None):
    """Acceleration over the first step, in units of (1 - s) g / (s + added), along gravity and across.
    `cfl`: cells that the body crosses in a step at the speed it has at the end of the first."""
    expected = (1 - s) * G / (s + added)
    dt = math.sqrt(cfl / n / abs(expected))
    output = run(options, folder, "release", scene,
                 {"params/density": s, "params/dt": dt, "params/dx_shift": shift[0],
                  "params/dy_shift": shift[1], "params/n": n, "duration": dt, **(more or {})})
    velocity = output.probes().vector("body.velocity")
    if len(velocity) != 2:
        raise RuntimeError(f"release {s} {cfl}: {len(velocity) - 1} steps, expected 1")
    return velocity[1] / dt / expected, dt


def shifts(options, count):
    """Places off the grid, cells; the first is on it."""
    numbers = random.Random(7)
    return [(0.0, 0.0)] + [(round(numbers.uniform(-1, 1), 3), round(numbers.uniform(-1, 1), 3))
                           for _ in range(count)]


def check_release(options, checks, folder):
    cases = [("disc", "fsi/release.yaml", 1.0, 5, [12] if options.quick else [8, 12, 16],
              [0.001, 0.1, 1000] if options.quick else [0.001, 0.01, 0.1, 0.5, 2, 10, 1000],
              [0.01, 1, 10] if options.quick else [0.01, 0.1, 1, 10], 2 if options.quick else 6),
             ("ball", "fsi/release_ball.yaml", 0.5, 6, [8] if options.quick else [8, 12],
              [0.001, 0.1, 1000], [0.01, 10] if options.quick else [0.01, 1, 10],
              1 if options.quick else 3)]
    for name, scene, added, limit, sizes, ratios, steps, count in cases:
        for n in sizes:
            for s in ratios:
                found = [(release(options, folder, scene, added, s, cfl, shift, n)[0], cfl, shift)
                         for cfl in steps for shift in shifts(options, count)]
                worst = max(found, key=lambda f: abs(f[0][1] - 1))
                across = max(abs(f[0][0]) for f in found)
                checks.near(f"release {name} {n} cells across, density ratio {s:g}, first acceleration over "
                            f"(1-s)g/(s+{added:g}), {len(found)} places and steps of {steps[0]:g} to "
                            f"{steps[-1]:g} cells, worst at {worst[1]:g} cells, moved {worst[2]}",
                            worst[0][1], 1, limit)
                checks.below(f"release {name} {n} cells across, density ratio {s:g}, sideways", across,
                             0.01 * limit)


def check_release_step(options, checks, folder):
    """A body that keeps its place has the same first acceleration for any step: nothing but the
    solve is in it."""
    for scene, added in (("fsi/release.yaml", 1.0), ("fsi/release_ball.yaml", 0.5)):
        found = [release(options, folder, scene, added, 0.1, cfl, (0.3, 0.2), 8,
                         {"coupling/positions": "hold"})[0][1] for cfl in (0.01, 1, 10)]
        checks.below(f"{scene} held in place, spread of the acceleration over steps of 0.01 to 10 cells",
                     np.ptp(found) / np.mean(found), 1e-6)


TURNED = """\
plimsoll: 1
name: turned
params: {{dt: 0.01}}
dim: {dim}
gravity: [{gravity}]
duration: 0.1
fps: 10
time_step: {{max_dt: "=dt"}}
fluid:
  domain: {{low: [0, 0, 0], high: [1, 1, 1]}}
  cells: {cells}
  density: 1000
  viscosity: 5
  tolerance: 1e-11
rigid:
  bodies:
    - name: body
      shape: {{ball: {{radius: 0.15}}}}
      position: [{position}]
      density: 300
probes:
  - {{name: body, quantities: [velocity, position]}}
"""


def check_turned(options, checks, folder):
    """Gravity along another axis, the body's place turned with it: the same motion."""
    for dim in (2, 3):
        found = []
        for axis in range(dim):
            gravity, position = [0.0] * 3, [0.0] * 3
            gravity[axis] = -G
            for a in range(dim):
                position[(axis + a) % dim] = (0.43, 0.52, 0.47)[a]
            scene = common.write_scene(folder, "turned.yaml", TURNED.format(
                dim=dim, gravity=", ".join(map(str, gravity)), position=", ".join(map(str, position)),
                cells=40 if dim == 2 else 16))
            probes = run(options, folder, "turned", scene).probes()
            turn = [(axis + a) % dim for a in range(dim)]
            found.append(np.hstack([probes.vector("body.velocity")[:, turn],
                                    probes.vector("body.position")[:, turn]]))
        speed = np.max(np.abs(found[0][:, :dim]))
        for axis in range(1, dim):
            checks.below(f"release {dim}D turned to {'xyz'[axis]}, difference over speed and place",
                         np.max(np.abs(found[axis] - found[0])) / speed, 1e-7)


# ---- neutral bodies (C6) ----

NEUTRAL = """\
plimsoll: 1
name: neutral
dim: {dim}
duration: 0.5
fps: 24
fluid:
  domain: {{low: [0, 0, 0], high: [1, 1, 1]}}
  cells: {cells}
  density: 870
  viscosity: {mu}
  sides: {{{sides}}}
rigid:
  bodies:
    - name: body
      shape: {shape}
      position: [0.4431, 0.5173, {z}]
      orientation: {{axis: [{axis}], angle: {angle}}}
      density: 870
probes:
  - {{name: body, quantities: [position, velocity, angular_velocity]}}
"""
SHAPES = [("box", "{box: {size: [0.31, 0.17, 0.6]}}"),
          ("ball", "{ball: {radius: 0.171}}"),
          ("cylinder", "{cylinder: {radius: 0.11, height: 0.37}}"),
          ("capsule", "{capsule: {radius: 0.09, height: 0.33}}"),
          ("cone", "{cone: {radius: 0.17, height: 0.35}}"),
          ("torus", "{torus: {radius: 0.2, tube: 0.08}}"),
          ("cross", "{union: {of: [{box: {size: [0.4, 0.13, 0.3]}}, {box: {size: [0.13, 0.4, 0.3]}}]}}")]


def check_rests(checks, label, output, gravity=G):
    """Gain of speed in each step, of the centre and, by turning, at 0.2 m from it."""
    probes = output.probes()
    dt = np.diff(probes["time"])[:, None]
    gain = np.diff(np.hstack([probes.vector("body.velocity"),
                              0.2 * probes.vector("body.angular_velocity")]), axis=0)
    speed = np.max(np.abs(np.hstack([probes.vector("body.velocity"),
                                     0.2 * probes.vector("body.angular_velocity")])))
    checks.below(f"{label} greatest gain of speed in a step, over g dt", np.max(np.abs(gain / dt)) / gravity,
                 1e-6)
    checks.below(f"{label} greatest speed in {len(dt)} steps, over g dt of all", speed / gravity /
                 probes["time"][-1], 1e-6)


def check_neutral(options, checks, folder):
    for values in ({}, {"params/mu": 1}, {"params/angle": 70, "params/cx": 0.3, "params/cy": 0.61},
                   {"params/mu": 100, "params/angle": 45, "params/n": 31},
                   {"params/width": 0.11, "params/height": 0.8, "params/angle": -12, "params/mu": 0.001}):
        label = "neutral" + "".join(f" {k.split('/')[-1]}={v}" for k, v in values.items())
        check_rests(checks, label, run(options, folder, label, "fsi/neutral.yaml", values))
    for dim in (2, 3):
        for i, (name, shape) in enumerate(SHAPES):
            if options.quick and (dim == 3 and i % 3 != 1):
                continue
            for mu in (0, 2):
                axis = "0, 0, 1" if dim == 2 and name != "cylinder" else "1, 0.4, 0.3"
                scene = common.write_scene(folder, "neutral.yaml", NEUTRAL.format(
                    dim=dim, cells=41 if dim == 2 else 16 if options.quick else 24, mu=mu, shape=shape,
                    axis=axis, angle=17 + 29 * i, z=0 if dim == 2 else 0.4709, sides="top: open" if i % 2 else ""))
                label = f"neutral {dim}D {name} mu={mu}"
                result, output = attempt(options, folder, label, scene)
                if checks.true(f"{label} runs", result.code == 0, result.stderr.strip()[:200]):
                    check_rests(checks, label, output)


# ---- the rotor ----


def check_rotor(options, checks, folder):
    cases = [{}, {"params/n": 64}, {"params/n": 144}, {"params/mu": 10},
             {"params/shear": -3, "params/mu": 5}, {"params/shear": 0.1, "params/n": 71}]
    if options.quick:
        cases = [{"params/n": 64}, {"params/n": 49, "params/shear": -3, "params/mu": 5}]
    for values in cases:
        label = "rotor" + "".join(f" {k.split('/')[-1]}={v}" for k, v in values.items())
        shear = values.get("params/shear", 1)
        probes = run(options, folder, label, "fsi/rotor.yaml", values).probes()
        found = probes["rotor.angular_velocity.z"]
        checks.near(f"{label} rate of turning", found[-1], -0.5 * shear, 5)
        late = probes["time"] > 0.8 * probes["time"][-1]
        checks.below(f"{label} change of it in the last fifth, relative",
                     np.ptp(found[late]) / abs(found[-1]), 0.01)


def main():
    options = common.arguments(__doc__)
    checks = common.Checks()
    with common.temporary() as folder:
        for check in (check_release, check_release_step, check_turned, check_neutral, check_rotor):
            check(options, checks, folder)
    checks.finish()


if __name__ == "__main__":
    main()
