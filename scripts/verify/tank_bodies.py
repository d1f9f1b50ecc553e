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


# ---- films: bodies that touch one another, walls and floors under a free surface ----

POOL = """\
plimsoll: 1
dim: %(dim)d
fps: 20
duration: %(duration)g
%(gravity)s
fluid: {cells: %(cells)d, sides: {top: open}, liquid: {level: "%(level)s"}, viscosity: %(viscosity)g}
rigid: {bodies: [%(bodies)s]}
probes: [%(probes)s]
"""
WATER = 1000.0


def box(name, x, y, density, size, z=0.0, more=""):
    return (f"{{name: {name}, shape: {{box: {{size: [{size[0]}, {size[1]}, {size[2]}]}}}}, position: [{x:.9g}, {y:.9g}, {z}], "
            f"density: {density}, friction: 0.5{more}}}")


def pool(options, folder, name, bodies, probed, *, level="=y-0.8", dim=2, cells=40, viscosity=0.0, gravity="", duration=0.4):
    """Probes of a run of boxes in a pool."""
    text = POOL % {"dim": dim, "duration": duration, "gravity": gravity, "cells": cells, "level": level, "viscosity": viscosity,
                   "bodies": ", ".join(bodies),
                   "probes": ", ".join(f"{{name: {b}, quantities: [contact_force, position, velocity]}}" for b in probed)}
    result, output = attempt(options, folder, name, text)
    if result.code:
        raise RuntimeError(f"{name}: {result.last_words()}")
    return output.probes()


def check_carried(checks, label, found, density, volume, displaced=None, part=0.01):
    """The contact force that is left of the weight; within a part of the weight of the liquid displaced."""
    displaced = volume if displaced is None else displaced
    wanted = (density * volume - WATER * displaced) * G
    checks.below(f"{label}: contact carries {found:.2f} N of {wanted:.2f} N: off, over the lift",
                 abs(found - wanted) / (WATER * displaced * G), part)


def last(probes, name, axis="y"):
    return np.mean(probes[f"{name}.contact_force.{axis}"][-3:])


def check_film_under_a_box(options, checks, folder):
    """Water comes under what lies flat: it weighs what it weighs less what it displaces, wherever it lies in the grid."""
    places = [(0.40, 0.2), (0.4075, 0.19)] if options.quickest else [(0.40, 0.2), (0.4075, 0.19), (0.4192, 0.213), (0.43, 0.27)]
    for x, width in places:
        found = pool(options, folder, f"floor{x}", [box("b", x, 0.1, 2500, (width, 0.2, 1))], ["b"])
        check_carried(checks, f"box of {width} m at {x} m flat on the floor", last(found, "b"), 2500, 0.2 * width)
    for height in (0.1,) if options.quickest else (0.1, 0.11, 0.1163):
        shelf = (f"{{name: s, motion: static, friction: 0.5, position: [0.45, {height / 2}, 0], "
                 f"shape: {{box: {{size: [0.5, {height}, 1]}}}}}}")
        found = pool(options, folder, f"shelf{height}", [shelf, box("b", 0.43, height + 0.1, 2500, (0.19, 0.2, 1))], ["b"])
        check_carried(checks, f"box flat on a slab of {height} m", last(found, "b"), 2500, 0.038)
    for level in (0.13,) if options.quickest else (0.05, 0.13, 0.25):
        found = pool(options, folder, f"level{level}", [box("b", 0.41, 0.1, 2500, (0.2, 0.2, 1))], ["b"], level=f"=y-{level}")
        check_carried(checks, f"box on the floor, {level} m of water", last(found, "b"), 2500, 0.04, 0.2 * min(level, 0.2))
    found = pool(options, folder, "viscous", [box("b", 0.41, 0.1, 2500, (0.2, 0.2, 1))], ["b"], viscosity=10)
    check_carried(checks, "box on the floor, 10 Pa s", last(found, "b"), 2500, 0.04)
    found = pool(options, folder, "space", [box("b", 0.41, 0.1, 2500, (0.2, 0.2, 0.2), 0.43)], ["b"], dim=3, cells=20)
    check_carried(checks, "box on the floor in space", last(found, "b"), 2500, 0.008)


def check_film_on_a_slope(options, checks, folder):
    turn = math.radians(10)
    gravity = f"gravity: [{G * math.sin(turn)}, {-G * math.cos(turn)}, 0]"
    found = pool(options, folder, "tilted", [box("b", 0.43, 0.1, 2500, (0.2, 0.2, 1))], ["b"], gravity=gravity,
                 level="=(y-0.7)*cos(rad(10))-(x-0.5)*sin(rad(10))")
    for axis, part in (("y", math.cos(turn)), ("x", -math.sin(turn))):
        wanted = 1500 * G * 0.04 * part
        checks.below(f"box on a floor of 10 degrees: force along {axis}, off", abs(last(found, "b", axis) - wanted) / (1000 * G * 0.04),
                     0.01)


def check_film_stack(options, checks, folder):
    bodies = [("a", 0.43, 0.1, 2500), ("b", 0.44, 0.3, 1500), ("c", 0.42, 0.5, 1200)]
    found = pool(options, folder, "stack", [box(*b, (0.2, 0.2, 1)) for b in bodies], [b[0] for b in bodies], duration=1)
    for name, x, _, density in bodies:
        check_carried(checks, f"stack, box {name}", last(found, name), density, 0.04)
        checks.below(f"stack, box {name} moved, m", np.ptp(found[f"{name}.position.x"]) + np.ptp(found[f"{name}.position.y"]), 1e-6)


def check_film_between_boxes(options, checks, folder):
    """Two boxes as heavy as water and less than a cell apart stay where they are."""
    for gap in (0.1, 0.5) if options.quickest else (0, 0.1, 0.3, 0.5, 0.8, 0.95):
        for shift in (0, 0.37):
            x, size = 0.4 + 0.025 * shift, (0.2, 0.2, 1)
            found = pool(options, folder, f"gap{gap}-{shift}",
                         [box("a", x, 0.4, 1000, size), box("b", x + 0.2 + 0.025 * gap, 0.4, 1000, size)], ["a", "b"])
            label = f"neutral boxes {gap} cells apart, moved by {shift} cells"
            checks.below(f"{label}: contact force, N", np.max(np.abs(found["b.contact_force.x"])), 10)
            checks.below(f"{label}: speed at which they come together, m/s",
                         np.max(np.abs(found["b.velocity.x"] - found["a.velocity.x"])), 0.02)


def check_hair_gaps(options, checks, folder):
    """Films are there whatever rounding makes of a gap: a hair above the floor, flush on a slab to one rounding or not, at a wall."""
    for gap in (1e-7,) if options.quickest else (0, 1e-9, 1e-8, 1e-7, 5e-7, 1e-6):
        found = pool(options, folder, f"hair{gap:g}", [box("b", 0.5, 0.05 + gap, 2500, (0.2, 0.1, 1))], ["b"])
        check_carried(checks, f"box {gap:g} m above the floor", last(found, "b"), 2500, 0.02)
    for place in (0.15, np.nextafter(0.15, 1)):
        base = "{name: s, motion: static, position: [0.5, 0.05, 0], shape: {box: {size: [0.4, 0.1, 1]}}}"
        text = f"{{name: b, shape: {{box: {{size: [0.2, 0.1, 1]}}}}, position: [0.5, {place!r}, 0], density: 2500}}"
        found = pool(options, folder, "flush", [base, text], ["b"])
        check_carried(checks, f"box flush on a slab along the grid, middle at {place!r}", last(found, "b"), 2500, 0.02)
    found = pool(options, folder, "wall", [box("b", 0.15, 0.25, 1000, (0.3, 0.3, 1))], ["b"], cells=24, level="=y-0.6")
    checks.below("neutral box flush at a wall: contact force, N", np.max(np.abs(found["b.contact_force.x"])), 10)


def check_closed_in(options, checks, folder):
    """Liquid that touching bodies close in keeps the pressure of that around."""
    ball = "{name: %s, shape: {ball: {radius: 0.2}}, position: [%g, 0.2, 0], density: 2000}"
    pipes = pool(options, folder, "pipes", [ball % ("a", 0.3), ball % ("b", 0.7)], ["a", "b"], level="=y-0.75")
    for name in ("a", "b"):
        check_carried(checks, f"two pipes side by side on the floor, {name}", last(pipes, name), 2000, math.pi * 0.04)
        checks.below(f"two pipes side by side, {name}: push to the side, N", abs(last(pipes, name, "x")), 10)
    stones = [("a", 0.325, 0.15, 2500, (0.15, 0.3, 1)), ("b", 0.675, 0.15, 2500, (0.15, 0.3, 1)),
              ("c", 0.5, 0.35, 2500, (0.5, 0.1, 1))]
    for cells in (40,) if options.quickest else (40, 47, 60):
        found = pool(options, folder, f"dolmen{cells}", [box(*stone) for stone in stones], ["a", "b", "c"], cells=cells, duration=1)
        for name, _, _, density, size in stones:
            check_carried(checks, f"slab on two stones, {cells} cells, {name}", last(found, name), density, size[0] * size[1])
            moved = np.ptp(found[f"{name}.position.x"]) + np.ptp(found[f"{name}.position.y"])
            checks.below(f"slab on two stones, {cells} cells, {name} moved, m", moved, 1e-5)
    lid = "{name: c, shape: {prism: {points: [[-0.2, 0], [-0.14, 0], [-0.14, 0.24], [0.14, 0.24], [0.14, 0], [0.2, 0], [0.2, 0.3], " \
          "[-0.2, 0.3]], depth: 1}}, position: [0.5, 0, 0], density: 800}"
    found = pool(options, folder, "cup", [lid], ["c"], duration=1, level="=y-0.6")
    checks.below("cup of 800 kg/m^3 upside down on the floor: held down at the end by, N", last(found, "c"), 1)


def check_resume(options, checks, folder):
    """A plank that slides under water, its corners uncovering cells: stopped and resumed, the same bits."""
    plank = ("{name: p, shape: {box: {size: [0.6, 0.06, 1]}}, position: [0.2158, 0.2491, 0], density: 2000, friction: 0.2, "
             "orientation: {axis: [0, 0, 1], angle: -50}}")
    whole = pool(options, folder, "whole", [plank], ["p"], duration=0.8)
    path = os.path.join(folder, "whole.yaml")
    part = os.path.join(folder, "part")
    common.run(options.program, path, part, None, "--frames", 6, "--threads", 1)
    common.call(options.program, "resume", part, "--quiet", "--threads", 1)
    again = common.Output(part).probes()
    same = len(again["time"]) == len(whole["time"]) and all(
        np.array_equal(whole[f"p.{q}.{a}"], again[f"p.{q}.{a}"]) for q in ("position", "velocity", "contact_force") for a in "xy")
    checks.true("plank under water, stopped after 6 frames and resumed: the same bits", same)


def check_foam_on_the_floor(options, checks, folder):
    """What is lighter than water comes off the floor."""
    found = pool(options, folder, "foam", [box("b", 0.41, 0.1, 100, (0.2, 0.2, 1))], ["b"])
    checks.true("foam put flat on the floor rises in 0.4 s by more than its height", found["b.position.y"][-1] > 0.3,
                f"{found['b.position.y'][-1] - 0.1:.3f} m")


if __name__ == "__main__":
    common.verify(__doc__, [check_friction, check_bounce, check_lid, check_spin, check_shared_wall, check_film_under_a_box,
                            check_film_on_a_slope, check_film_stack, check_film_between_boxes, check_hair_gaps,
                            check_closed_in, check_resume, check_foam_on_the_floor])
