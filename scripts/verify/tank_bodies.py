#!/usr/bin/python3
"""Bodies that meet walls and one another in the domain of a liquid, and bodies at the seams between domains."""
import math
import os

import common
from common import np

G = 9.81
SLOPE = """\
plimsoll: 1
name: slope
dim: 2
duration: 0.5
time_step: {max_dt: 0.005}
gravity: ["=9.81*sin(rad(%g))", "=-9.81*cos(rad(%g))", 0]
fluid:
  domain: {high: [2, 1, 1]}
  cells: 32
  liquid: {}
  sources: [{name: tap, shape: {ball: {radius: 0.1}}, position: [1.8, 0.8, 0], liquid: fill, runs: 0}]
coupling: {fluid: %s}
rigid:
  bodies:
    - {name: box, shape: {box: {size: [0.3, 0.2, 1]}}, position: [0.4, 0.1, 0]}
probes: [{name: box, quantities: [position]}]
"""
LIDDED = """\
plimsoll: 1
name: lidded
dim: 2
duration: 1
time_step: {max_dt: 0.005}
gravity: ["=9.81*sin(rad(20))", "=-9.81*cos(rad(20))", 0]
fluid: {domain: {high: [2, 1, 1]}, cells: 32, liquid: {level: "=1.7-x"}}
rigid:
  bodies:
    - {name: box, shape: {box: {size: [0.3, 0.2, 1]}}, position: [0.4, 0.1, 0]}
"""
BOUNCE = """\
plimsoll: 1
name: bounce
dim: 2
duration: 0.6
time_step: {max_dt: 0.002}
fluid: {domain: {high: [1, 1, 1]}, cells: 24, sides: {top: open}, liquid: {level: "=y-0.1"}}
rigid:
  bodies:
    - {name: block, shape: {box: {size: [0.5, 0.3, 1]}}, position: [0.7, 0.15, 0], motion: static, restitution: 0.8}
    - {name: ball, shape: {ball: {radius: 0.15}}, position: [0.7, %g, 0], restitution: 0.8}
probes: [{name: ball, quantities: [position]}]
"""
SPIN = """\
plimsoll: 1
name: spin
dim: %d
duration: 0.1
gravity: [0, 0, 0]
fluid: {domain: {high: [1, 1, 1]}, cells: 16, liquid: {level: "=y-0.5"}}
rigid:
  bodies:
    - {name: body, shape: {%s}, position: [0.5, 0.5, %g], density: 700, angular_velocity: [0, 0, 1]}
probes: [{name: body, quantities: [position, angular_velocity]}]
"""
SHARED = """\
plimsoll: 1
name: shared_wall
dim: 2
duration: 0.5
time_step: {max_dt: 0.01}
fluid:
  - {name: west, domain: {high: [1, 1, 1]}, cells: 24, sides: {top: open}, liquid: {level: "=y-0.7"}}
  - {name: east, domain: {low: [1, 0, 0], high: [2, 1, 1]}, cells: 24, sides: {top: open}, liquid: {level: "=y-0.7"}}
rigid:
  bodies:
    - {name: one, shape: {box: {size: [0.3, 0.3, 1]}}, position: [0.85, 0.15, 0], density: 2500}
    - {name: other, shape: {box: {size: [0.3, 0.3, 1]}}, position: [1.15, 0.15, 0], density: 2500}
probes:
  - {name: one, domain: west, quantities: [position, fluid_force]} # its place is in no domain
  - {name: other, quantities: [position]}
"""


def attempt(options, folder, name, text):
    """A run that may fail."""
    path = common.write_scene(folder, f"{name}.yaml", text)
    output = os.path.join(folder, name)
    result = common.call(options.program, "run", path, "--out", output, "--quiet", "--threads", 1)
    return result, common.Output(output)


def check_friction(options, checks, folder):
    """tan 20 < 0.5 < tan 30: a dry box on a tank's floor rests at 20 degrees and slides at 30."""
    for way in ("one_way", "two_way"):
        for degrees in (20, 30):
            result, output = attempt(options, folder, f"slope_{way}_{degrees}", SLOPE % (degrees, degrees, way))
            turn = math.radians(degrees)
            pull = max(0.0, math.sin(turn) - 0.5 * math.cos(turn)) * G
            moved = output.probes()["box.position.x"][-1] - 0.4 if result.code == 0 else float("nan")
            expected = 0.5 * pull * 0.5 ** 2
            checks.within(f"{way}: a dry box at {degrees} degrees moves, m", moved, expected, 0.001)


def check_bounce(options, checks, folder):
    for height in (0.6, 0.64, 0.7, 0.8):
        result, output = attempt(options, folder, f"bounce_{height}", BOUNCE % height)
        y = output.probes()["ball.position.y"] if result.code == 0 else np.array([float("nan")])
        fall = height - 0.45
        rising = np.nonzero(np.diff(y) > 0)[0]  # after the first bounce
        rise = y[rising[0]:].max() - 0.45 if len(rising) else 0.0
        checks.within(f"a ball from {fall:.2f} m in the air of a tank: rises, m", rise, 0.64 * fall, 0.005)


def check_lid(options, checks, folder):
    result, output = attempt(options, folder, "lidded", LIDDED)
    checks.true("a dam in a lidded tank with a box on its floor: runs", result.code == 0,
                result.last_words() if result.code else "")
    if result.code == 0:
        volume = output.stats()["volume.fluid"]
        checks.below("its water lost at most, of all", 1 - volume.min() / volume[0], 0.03)


def check_spin(options, checks, folder):
    """No gravity, still liquid, a body that only turns."""
    for dim, shape in ((2, "ball: {radius: 0.2}"), (2, "box: {size: [0.3, 0.2, 1]}"), (3, "ball: {radius: 0.2}")):
        result, output = attempt(options, folder, f"spin_{dim}_{shape[:3]}", SPIN % (dim, shape, 0.5 * (dim == 3)))
        checks.true(f"{dim}D {shape.split(':')[0]} that only turns: runs", result.code == 0,
                    result.last_words() if result.code else "")
        if result.code:
            continue
        spin = output.probes()["body.angular_velocity.z"]
        checks.true("it is not sped up", np.all(np.abs(spin) <= 1 + 1e-9), f"{spin[-1]:.6f} rad/s of 1")


def check_shared_wall(options, checks, folder):
    """Two bodies flush with the wall between their domains, one on each side, lie still."""
    result, output = attempt(options, folder, "shared", SHARED)
    checks.true("flush with a wall that two domains share: runs", result.code == 0,
                result.last_words() if result.code else "")
    if result.code:
        return
    for name, x in (("one", 0.85), ("other", 1.15)):
        place = output.probes().vector(f"{name}.position")
        checks.below(f"{name} box moved, m", np.abs(place - [x, 0.15, 0]).max(), 1e-6)


if __name__ == "__main__":
    common.verify(__doc__, [check_friction, check_bounce, check_lid, check_spin, check_shared_wall])
