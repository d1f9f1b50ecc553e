#!/usr/bin/python3
"""Momentum of a body and the fluid around it in a periodic box (scenes/fsi/crossing.yaml)."""
import math

import common
import fsi
import fsi_cylinder
from common import np

SCENE = "fsi/crossing.yaml"
SIZE, DENSITY = (0.3, 0.14), 1000.0
DRIFT = 1e-6 # of conservative advection, over the momentum at the start


# ---- the momentum, from stats.csv and by our own sums ----


def momenta(output):
    """Rows of stats.csv: of bodies and fluid together."""
    return output.stats().vector("momentum", "xy")


def drift(momentum):
    """Of each row, over the momentum at the start."""
    return np.linalg.norm(momentum - momentum[0], axis=1) / np.linalg.norm(momentum[0])


def box_distance(points, centre, angle):
    """Signed, from a box and its images in the unit square."""
    nearest = np.full(points.shape[:-1], np.inf)
    c, s = math.cos(angle), math.sin(angle)
    for image in np.ndindex(3, 3):
        away = points - centre % 1 - (np.array(image) - 1)
        own = np.stack([c * away[..., 0] + s * away[..., 1], -s * away[..., 0] + c * away[..., 1]], -1)
        out = np.abs(own) - np.array(SIZE) / 2
        outside = np.linalg.norm(np.maximum(out, 0), axis=-1)
        nearest = np.minimum(nearest, outside + np.minimum(np.max(out, axis=-1), 0))
    return nearest


def open_parts(low, high, cell):
    """What of the line between two nodes is outside, by their distances; see docs/output.md."""
    low, high = low - 1e-7 * cell, high - 1e-7 * cell
    part = np.where(low > 0, 1.0, 0.0)
    cut = (low > 0) != (high > 0)
    part[cut] = (np.maximum(low, high)[cut] / np.abs(high - low)[cut])
    part[part < 1e-3], part[part > 1 - 1e-3] = 0, 1
    return part.astype(np.float32).astype(float)


def summed_momentum(output, number, n, density):
    """From a state file: masses of faces by their open parts, times their velocities, and the body's."""
    state = common.datasets(output.state(number))
    nodes = np.stack(np.meshgrid(np.arange(n + 1) / n, np.arange(n + 1) / n, indexing="ij"), -1)
    w, _, _, z = state["rigid/orientation"].reshape(-1, 4)[0]
    distance = box_distance(nodes, state["rigid/position"].reshape(-1, 3)[0, :2], 2 * math.atan2(z, w))
    total = density * DENSITY * SIZE[0] * SIZE[1] * state["rigid/velocity"].reshape(-1, 3)[0, :2]
    x = open_parts(distance[:, :-1], distance[:, 1:], 1 / n)[:-1]
    y = open_parts(distance[:-1, :], distance[1:, :], 1 / n)[:, :-1]
    u = state["fluid/velocity_x"].reshape(n, n + 1).T[:-1]
    v = state["fluid/velocity_y"].reshape(n + 1, n).T[:, :-1]
    return total + DENSITY / n**2 * np.array([np.sum(x * u), np.sum(y * v)])


def check_sums(checks, label, output, n, density):
    """The sums of state files against those of stats.csv, and their own drift."""
    numbers = output.numbered("state")
    ours = np.array([summed_momentum(output, number, n, density) for number in numbers])
    times = output.stats()["time"]
    at = [int(np.argmin(np.abs(times - t))) for t in np.linspace(0, times[-1], len(numbers))]
    size = np.linalg.norm(ours[0])
    checks.below(f"{label} sums over {len(numbers)} state files against stats.csv, over the momentum",
                 np.max(np.linalg.norm(ours - momenta(output)[at], axis=1)) / size, DRIFT)
    return drift(ours)


# ---- conservative advection ----


def conservative_cases(options):
    sizes = [32] if options.quickest else [32, 64] if options.quick else [32, 64, 128]
    for n in sizes:
        for mu in (0, 0.5):
            for density in ([0.3, 2] if options.quick or n == 128 else [0.3, 0.7, 1, 2]):
                for turning in ([1.5] if options.quickest else [0, 1.5]):
                    yield n, {"params/mu": mu, "params/density": density, "params/turning": turning}
            yield n, {"params/mu": mu, "params/angle": 33, "params/dx_shift": 0.37, "params/dy_shift": 0.81,
                      "params/cfl": 0.4, "params/turning": -4}
    for mu in (0, 0.5): # much faster than a cell a step; whole faces
        yield 32, {"params/mu": mu, "params/cfl": 3.7}
        yield 32, {"params/mu": mu, "coupling/surface": "faces"}


def check_conservative(options, checks, folder):
    for n, values in conservative_cases(options):
        label = f"crossing conservative n={n}" + "".join(f" {k.split('/')[-1]}={v}" for k, v in values.items())
        output = fsi.run(options, folder, "crossing", SCENE, {"params/n": n, **values}, *fsi.STATES)
        found = drift(momenta(output))
        checks.below(f"{label} drift in {len(found) - 1} steps, greatest, over the momentum", np.max(found), DRIFT)
        if "coupling/surface" not in values:
            own = check_sums(checks, label, output, n, values.get("params/density", 2))
            checks.below(f"{label} drift by our own sums", np.max(own), DRIFT)


def check_carried(options, checks, folder):
    """A body that goes with a uniform flow: nothing should happen, but that the masses of faces change with its
    place on the grid, and a total that is kept then means velocities that are not."""
    n = 32
    output = fsi.run(options, folder, "carried", SCENE,
                     {"params/n": n, "params/density": 1, "params/turning": 0, "params/angle": 20,
                      "fluid/initial": "{velocity: [0.5, 0.2, 0]}"})
    velocity = output.probes().vector("box.velocity", "xy")
    checks.below("carried along by a uniform flow, n=32, drift", np.max(drift(momenta(output))), DRIFT)
    checks.below("carried along by a uniform flow, n=32, change of the body's velocity, relative",
                 np.max(np.linalg.norm(velocity - velocity[0], axis=1)) / np.linalg.norm(velocity[0]), 0.005)


SPACE = """\
plimsoll: 1
name: space
dim: 3
gravity: [0, 0, 0]
duration: 0.5
fps: 10
fluid:
  domain: {{low: [0, 0, 0], high: [1, 1, 1]}}
  cells: {n}
  sides: {{left: periodic, right: periodic, bottom: periodic, top: periodic, back: periodic, front: periodic}}
  viscosity: {mu}
  advection: conservative
  tolerance: 1e-10
rigid:
  bodies:
    - {{name: box, shape: {{box: {{size: [0.4, 0.3, 0.35]}}}}, position: [0.31, 0.42, 0.87],
       velocity: [0.5, 0.2, -0.3], angular_velocity: [1, -2, 1.5], density: 500}}
    - {{name: ball, shape: {{ball: {{radius: 0.2}}}}, position: [0.8, 0.9, 0.4], velocity: [-0.2, 0.1, 0.1],
       density: 1500}}
"""


def check_space(options, checks, folder):
    """Two bodies in space."""
    for mu in (0, 0.5):
        n = 16 if options.quick else 32
        scene = common.write_scene(folder, "space.yaml", SPACE.format(n=n, mu=mu))
        momentum = fsi.run(options, folder, "space", scene).stats().vector("momentum")
        checks.below(f"two bodies in space, {n}^3 cells, mu {mu}, drift", np.max(drift(momentum)), DRIFT)


# ---- the others ----


def check_maccormack(options, checks, folder):
    """Limits of the drift over a crossing, at its end. At 128 cells at most 0.75 times that, both of the limit and of
    what was found."""
    limits = {0: 0.08, 0.5: 0.015}
    cases = [(mu, start) for start in (0.3, 0.5) for mu in limits]
    for mu, start in cases[:2] if options.quickest else cases:
        found = {}
        for n in (64,) if options.quickest else (64, 128):
            output = fsi.run(options, folder, "crossing", SCENE,
                             {"params/n": n, "params/mu": mu, "params/advection": "maccormack",
                              "params/dx_shift": (start - 0.3) * n})
            along = drift(momenta(output))
            found[n] = along[-1]
            label = f"crossing maccormack n={n} mu={mu} from x = {start} m"
            name = f"{label} drift at the end, over the momentum"
            limit = limits[mu] if n == 64 else 0.75 * min(limits[mu], found[64])
            checks.note(f"{label}: greatest on the way {np.max(along):.4f}")
            if n == 128 and start == 0.5 and mu == 0.5 and limit < along[-1] < 0.9 * found[64]:
                checks.below(name + ", against 0.75 of the limit at 64 cells", along[-1], 0.75 * limits[mu])
                checks.expected_failure(name, f"{along[-1]:.4f}, limit {limit:.4f}: 0.75 of what 64 cells have, which "
                                        "depends on where the box starts (docs/fsi.md)")
            else:
                checks.below(name, along[-1], limit)


def check_without_inertia(options, checks, folder):
    """Its equation has no inertia: no step makes that better. Reported, not judged."""
    if options.quickest:
        return
    for cfl in (1, 0.1):
        output = fsi.run(options, folder, "crossing", SCENE, {"params/advection": "none", "params/cfl": cfl})
        momentum = momenta(output)
        gain = np.linalg.norm(momentum[-1]) / np.linalg.norm(momentum[0]) - 1
        checks.note(f"crossing none n=64 mu=0 cfl={cfl}: momentum {100 * gain:+.0f}% at the end, drift "
                    f"{100 * drift(momentum)[-1]:.0f}%")


# ---- a falling cylinder ----


def check_cylinder(options, checks, folder):
    mu, duration, start = 1, 0.5, 0.3
    for n in [40] if options.quick else [40, 80]:
        output = fsi.run(options, folder, "fall", "fsi/falling_cylinder.yaml",
                         {"params/n": n, "params/mu": mu, "params/T": duration, "params/surface": "cut",
                          "fluid/advection": "conservative"})
        probes = output.probes()
        speed = fsi_cylinder.mean_over(probes["time"], -probes["cylinder.velocity.y"], start, duration)
        checks.near(f"falling_cylinder conservative cut mu 1 n = {n} speed against the formula", speed,
                    fsi_cylinder.terminal_speed(mu), 3)


# ---- bits ----


def check_bits(options, checks, folder):
    """Any number of threads, and resumed half way with another: the same state."""
    values = {"params/n": 32, "params/mu": 0.5, "params/T": 0.5}
    for mu in (0, 0.5):
        values["params/mu"] = mu
        one = fsi.run(options, folder, "one", SCENE, values, "--threads", 1)
        wanted = common.info_hash(options.program, one.state())
        for threads in (2, 4):
            other = fsi.run(options, folder, "other", SCENE, values, "--threads", threads)
            checks.true(f"crossing mu={mu}, {threads} threads: the bits of one",
                        common.info_hash(options.program, other.state()) == wanted)
        half = fsi.run(options, folder, "half", SCENE, values, "--threads", 2, "--frames", 6)
        result = common.call(options.program, "resume", half.folder, "--quiet", "--threads", 4)
        checks.true(f"crossing mu={mu}, resumed half way: the same bits", result.code == 0 and
                    common.info_hash(options.program, half.state()) == wanted)


def main():
    common.verify(__doc__, (check_conservative, check_carried, check_space, check_maccormack, check_without_inertia,
                            check_cylinder, check_bits))


if __name__ == "__main__":
    main()
