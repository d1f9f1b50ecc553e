#!/usr/bin/python3
"""What every coupled solve has to keep: momentum, energy, divergence, ties; and its bits."""
import math

import common
import flow
import fsi
from common import np

# ---- random states in a periodic box ----

RANDOM = """\
plimsoll: 1
name: random
params: {{mu: 0}}
dim: {dim}
gravity: [0, 0, 0]
duration: {duration}
fps: 20
seed: {seed}
fluid:
  domain: {{low: [0, 0, 0], high: [1, 1, 1]}}
  cells: {cells}
  sides: {{left: periodic, right: periodic, bottom: periodic, top: periodic, back: periodic, front: periodic}}
  density: 1000
  viscosity: "=mu"
  advection: none
  initial: {{random: {{amplitude: 1, length: 0.15}}}}
rigid:
  bodies:
    - name: light
      shape: {light}
      position: [{light_at}]
      density: 10
      velocity: [2.1, -3.3, {out_of_plane}]
      angular_velocity: [0, 0, 5]
    - name: heavy
      shape: {heavy}
      position: [{heavy_at}]
      orientation: {{axis: [0, 0, 1], angle: {angle}}}
      density: 1e5
      velocity: [-1.2, 2.4, 0]
      angular_velocity: [0, 0, {turn}]
coupling: {{positions: hold}}
probes:
  - {{name: light, quantities: [position, velocity, angular_velocity, mass]}}
  - {{name: heavy, quantities: [position, velocity, angular_velocity, mass]}}
"""


def random_scene(folder, dim, seed, aligned=False, cells=None):
    """`aligned`: boxes whose sides lie on faces of the grid."""
    cells = cells or (48 if dim == 2 else 16)
    z = 0 if dim == 2 else 0.5
    light, heavy = "{ball: {radius: 0.13}}", "{box: {size: [0.3, 0.22, 0.26]}}"
    light_at, heavy_at, angle = f"0.27, 0.36, {z}", f"0.68, 0.62, {z}", 21
    if aligned:
        light, heavy = "{box: {size: [0.25, 0.125, 1]}}", "{box: {size: [0.25, 0.25, 1]}}"
        light_at, heavy_at, angle = f"0.25, 0.3125, {z}", f"0.6875, 0.6875, {z}", 0
    return common.write_scene(folder, "random.yaml", RANDOM.format(
        dim=dim, seed=seed, cells=cells, light=light, heavy=heavy, light_at=light_at, heavy_at=heavy_at,
        angle=angle, turn=0 if aligned else -4, out_of_plane=0 if dim == 2 else 1.7,
        duration=0.2 if dim == 2 else 0.1))


def check_momentum_of(checks, label, momentum):
    """The first step starts from the random state; later ones from what a solve left."""
    size = np.linalg.norm(momentum[0])
    checks.below(f"{label} momentum of fluid and bodies, change in the first step, relative",
                 np.max(np.abs(momentum[1] - momentum[0])) / size, 1e-10)
    later = np.max(np.ptp(momentum[1:], axis=0)) / size
    checks.below(f"{label} momentum of fluid and bodies, change in {len(momentum) - 2} later steps, relative",
                 later, 1e-10)


def check_energy(checks, label, stats):
    before, after = stats["solve.coupled.energy_before"][1:], stats["solve.coupled.energy_after"][1:]
    checks.below(f"{label} greatest rise of energy in {len(after)} solves, relative",
                 np.max((after - before) / np.maximum(before, 1e-300)), 1e-12)


def check_divergence(checks, label, fluid, limit):
    """Recomputed, of the cells that no body cuts: three cells from cells in bodies, for corners."""
    clear = fluid.clear(3)
    left = np.where(clear, fluid.divergence(), 0.0)
    mean = math.sqrt(np.sum(left**2) / np.count_nonzero(clear))
    checks.below(f"{label} divergence of {np.count_nonzero(clear)} uncut cells, mean square, of speed a cell",
                 mean * fluid.h / fluid.fastest(), limit)


def check_random(options, checks, folder):
    cases = [(2, "cut", mu) for mu in (0, 1, 100)] + [(2, "faces", mu) for mu in (0, 100)] + \
        [(3, "cut", mu) for mu in (0, 100)]
    for dim, surface, mu in cases:
        for seed in (5,) if options.quick else (5, 6, 7):
            label = f"random state {dim}D {surface} mu={mu:g} seed {seed}"
            scene = random_scene(folder, dim, seed)
            values = {"params/mu": mu, "coupling/surface": surface, "fluid/tolerance": 1e-12}
            output = fsi.run(options, folder, "random", scene, values, *fsi.STATES)
            stats = output.stats()
            momentum = stats.vector("momentum", "xyz"[:dim])
            check_momentum_of(checks, label, momentum)
            check_energy(checks, label, stats)
            energy = stats["energy.kinetic"]
            checks.below(f"{label} energy.kinetic, greatest rise in a step after the first, relative",
                         np.max(np.diff(energy[1:])) / energy[1], 1e-12)
            last = flow.Flow(output, output.numbered("state")[-1])
            check_divergence(checks, label, last, 1e-9)
            if mu > 0:
                check_ties(checks, label, output, last)
            loose = fsi.run(options, folder, "random", scene, {**values, "fluid/tolerance": 1e-6}).stats()
            change = np.max(np.abs(np.diff(loose.vector("momentum", "xyz"[:dim])[1:], axis=0)))
            checks.note(f"{label} at the default tolerance, momentum, change in a step: "
                        f"{change / np.linalg.norm(momentum[0]):.2g}")


def check_ties(checks, label, output, fluid):
    """Faces well inside the ball have its velocity."""
    probes = output.probes()
    row = int(np.argmin(np.abs(probes["time"] - fluid.time)))
    center, velocity, turn = (probes.vector("light." + what)[row]
                              for what in ("position", "velocity", "angular_velocity"))
    worst, count = 0.0, 0
    for axis in range(fluid.dim):
        arm = [x + np.zeros_like(fluid.u[axis]) - center[a] for a, x in enumerate(fluid.places(axis))]
        inside = sum(a * a for a in arm[:fluid.dim]) < (0.13 - 0.5 * fluid.h)**2
        b, c = (axis + 1) % 3, (axis + 2) % 3
        body = velocity[axis] + turn[b] * arm[c] - turn[c] * arm[b]
        worst = max(worst, np.max(np.abs(fluid.u[axis] - body)[inside]))
        count += np.count_nonzero(inside)
    checks.below(f"{label} velocity of {count} faces in a body, less the body's", worst, 1e-9)


BOXES = (((0.125, 0.25), (0.375, 0.375)), ((0.5625, 0.5625), (0.8125, 0.8125)))


def momentum_by_volumes(fluid, probes):
    """Of the fluid outside two boxes and of the boxes: a face has the fluid within half a cell."""
    row = int(np.argmin(np.abs(probes["time"] - fluid.time)))
    total = []
    for axis in range(2):
        places = fluid.places(axis)
        outside = np.ones(fluid.u[axis].shape)
        for low, high in BOXES:
            covered = 1.0
            for a in range(2):
                overlap = np.minimum(places[a] + fluid.h / 2, high[a]) - np.maximum(places[a] - fluid.h / 2, low[a])
                covered = covered * np.clip(overlap, 0, fluid.h) / fluid.h
            outside = outside - covered
        once = (slice(0, fluid.n[0]), slice(0, fluid.n[1])) # the doubled layer of periodic sides
        total.append(1000 * fluid.h**2 * np.sum((outside * fluid.u[axis])[once]) +
                     sum(probes[f"{name}.mass"][row] * probes[f"{name}.velocity.{'xy'[axis]}"][row]
                         for name in ("light", "heavy")))
    return np.array(total)


def check_own_momentum(options, checks, folder):
    """Momentum from state files and our own masses; bodies with sides on faces, so that those are known."""
    scene = random_scene(folder, 2, 5, aligned=True)
    for mu in (1, 100):
        output = fsi.run(options, folder, "own", scene,
                         {"params/mu": mu, "coupling/surface": "faces", "fluid/tolerance": 1e-12}, *fsi.STATES)
        found = np.array([momentum_by_volumes(flow.Flow(output, frame), output.probes())
                          for frame in output.numbered("state")])
        check_momentum_of(checks, f"boxes on the grid mu={mu}, by our own masses,", found)
        output = fsi.run(options, folder, "own", scene, {"params/mu": mu, "fluid/tolerance": 1e-12})
        check_momentum_of(checks, f"boxes on the grid, cut, mu={mu}", output.stats().vector("momentum", "xy"))


THROWN = """\
plimsoll: 1
name: thrown
dim: 2
gravity: [0, 0, 0]
duration: 0.01
fps: 100
time_step: {{max_dt: 0.001}}
fluid:
  domain: {{low: [-1, -1, 0], high: [1, 1, 1]}}
  cells: 48
  sides: {{left: periodic, right: periodic, bottom: periodic, top: periodic}}
  density: 1000
  viscosity: {mu}
  advection: {scheme}
  tolerance: 1e-12
rigid:
  bodies:
    - {{name: ball, shape: {{ball: {{radius: 0.2}}}}, position: [0.01, 0.02, 0], density: 10, velocity: [1, 0, 0]}}
coupling: {{positions: hold}}
probes:
  - {{name: ball, quantities: [velocity, mass]}}
"""


def check_thrown(options, checks, folder):
    """A light ball thrown into fluid at rest: what it has is all the momentum there is, and the fluid
    takes nearly all of that. Added mass 1; in a periodic box a bit less, for the fluid flows back.
    Advection does not keep momentum exactly."""
    for scheme in ("none", "semi_lagrangian", "maccormack"):
        for mu in (0, 0.01):
            label = f"light ball thrown, {scheme} mu={mu}"
            scene = common.write_scene(folder, "thrown.yaml", THROWN.format(mu=mu, scheme=scheme))
            output = fsi.run(options, folder, "thrown", scene)
            momentum, probes = output.stats()["momentum.x"], output.probes()
            given = probes["ball.mass"][0] * 1.0
            checks.near(f"{label} momentum after the first step, of that at the start", momentum[1], momentum[0],
                        1e-8 if scheme == "none" else 1)
            check_energy(checks, label, output.stats())
            speed = probes["ball.velocity.x"][1]
            checks.near(f"{label} momentum at the start, of what the ball was given", momentum[0], given, 1e-8)
            checks.true(f"{label} speed after the first step of 1 m/s", 0.008 < speed < 0.0115,
                        f"{speed:.5g} expected 0.008 to 0.0115, s/(s+1) = 0.0099 without copies")


# ---- the same bits ----

PAIR = """\
plimsoll: 1
name: pair
dim: {dim}
duration: 0.4
fps: 20
fluid:
  domain: {{low: [0, 0, 0], high: [1, 1, 1]}}
  cells: {cells}
  density: 1000
  viscosity: {mu}
rigid:
  bodies:
    - {{name: light, shape: {{ball: {{radius: 0.13}}}}, position: [0.31, 0.41, {z}], density: 200, velocity: [0.3, 0, 0]}}
    - name: heavy
      shape: {{box: {{size: [0.3, 0.21, 0.25]}}}}
      position: [0.68, 0.62, {z}]
      orientation: {{axis: [0, 0, 1], angle: 21}}
      density: 4000
probes:
  - {{name: light, quantities: [position, velocity, angular_velocity, fluid_force]}}
  - {{name: heavy, quantities: [position, velocity, angular_velocity, fluid_force]}}
"""


def check_bits(options, checks, folder):
    for dim, mu in ((2, 0), (2, 3), (3, 0), (3, 3)):
        label = f"two bodies {dim}D mu={mu}"
        cells = (48 if options.quick else 96) if dim == 2 else (16 if options.quick else 32)
        scene = common.write_scene(folder, "pair.yaml", PAIR.format(dim=dim, mu=mu, cells=cells,
                                                                     z=0 if dim == 2 else 0.47))
        frames = 4 if options.quick else 8
        reference = fsi.run(options, folder, "bits1", scene, None, "--frames", frames)
        expected = common.info_hash(options.program, reference.state())
        for threads in (2, 4):
            other = fsi.run(options, folder, f"bits{threads}", scene, None, "--frames", frames, "--threads", threads)
            found = common.info_hash(options.program, other.state())
            same = other.probes().values.tobytes() == reference.probes().values.tobytes()
            checks.true(f"{label}, {threads} threads", found == expected and same,
                        f"{found} expected {expected}")
        half = fsi.run(options, folder, "half", scene, None, "--frames", frames // 2)
        result = common.call(options.program, "resume", half.folder, "--frames", frames, "--quiet", "--threads", 2)
        found = common.info_hash(options.program, half.state()) if result.code == 0 else result.last_words()
        checks.true(f"{label}, resumed half way", found == expected, f"{found} expected {expected}")
        same = half.probes().values.tobytes() == reference.probes().values.tobytes()
        checks.true(f"{label}, probes of the resumed run", same)
        dropped = fsi.run(options, folder, "dropped", scene, None, "--frames", frames, "--drop-caches", 3)
        found = common.info_hash(options.program, dropped.state())
        checks.true(f"{label}, without caches", found == expected, f"{found} expected {expected}")


def main():
    options = common.arguments(__doc__)
    checks = common.Checks()
    with common.temporary() as folder:
        for check in (check_random, check_own_momentum, check_thrown, check_bits):
            check(options, checks, folder)
    checks.finish()


if __name__ == "__main__":
    main()
