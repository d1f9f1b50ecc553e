#!/usr/bin/python3
"""Rigid bodies of a plane (dim 2): slopes and rolling against formulas, a blow, a stack, a pile that comes to rest."""
import math

import common
from common import np
from rigid_contact import Study, G, scene_text

FLAT = "position, velocity, angular_velocity, mass"

# A scene of two dimensions has a fluid; it lies far above, and bodies do not feel it.
PLANE = """\
dim: 2
fluid: {domain: {low: [0, 50, 0], high: [1, 51, 1]}, cells: 4}
coupling: {fluid: one_way}
rigid:"""


def planar(study, name, bodies, duration, probes, gravity=(0, -G, 0), contact="{}"):
    text = scene_text(bodies, duration, 1 / 240, gravity, contact, probes, quantities=FLAT)
    text = text.replace("rigid:", PLANE, 1)
    path = common.write_scene(study.folder, name.replace(" ", "_") + ".yaml", text)
    output = study.run(name, path)
    stays(study, name, output, probes)
    return output


def stays(study, name, output, probes):
    """Not a bit leaves the plane."""
    values = output.probes()
    worst = max(np.max(np.abs(values[f"{body}.{column}"])) for body in probes for column in
                ("position.z", "velocity.z", "angular_velocity.x", "angular_velocity.y"))
    study.checks.true(f"{name}: nothing leaves the plane", worst == 0, f"{worst:g}")


def slope(degrees):
    return ("name: slope, motion: static, shape: {half_space: {}}, friction: 0, orientation: "
            f"{{axis: [0, 0, 1], angle: {degrees}}}")


def above_slope(degrees, height):
    angle = math.radians(degrees)
    return f"[{-height * math.sin(angle)!r}, {height * math.cos(angle)!r}, 0]"


def check_slopes(study):
    """A block that slides, one that stays, a disc that rolls: mass and inertia are those of the cut."""
    checks = study.checks
    for degrees, mu in ((20, 0.1), (20, 0.5), (35, 0.4)):
        name = f"block {degrees} degrees mu={mu}"
        block = (f"name: block, shape: {{box: {{size: [0.5, 0.3, 0.2]}}}}, friction: {mu}, position: "
                 f"{above_slope(degrees, 0.15)}, orientation: {{axis: [0, 0, 1], angle: {degrees}}}")
        probes = planar(study, name, [slope(degrees), block], 1.0, ("block",)).probes()
        moved = np.linalg.norm(probes.vector("block.position")[-1] - probes.vector("block.position")[0])
        angle = math.radians(degrees)
        pull = max(0.0, math.sin(angle) - mu * math.cos(angle))
        checks.within(f"{name}: way in 1 s, m", moved, 0.5 * G * pull, 1e-6)
        checks.near(f"{name}: mass of a cut 1 m deep, kg", probes["block.mass"][-1], 150, 1e-6)
    degrees, radius = 25, 0.2
    disc = (f"name: disc, shape: {{cylinder: {{radius: {radius}, height: 0.1, segments: 24}}}}, friction: 0.8, "
            f"position: {above_slope(degrees, radius)}, orientation: {{axis: [1, 0, 0], angle: 90}}")
    probes = planar(study, "disc rolling", [slope(degrees), disc], 1.0, ("disc",)).probes()
    speed = 2 / 3 * G * math.sin(math.radians(degrees))
    checks.near("disc rolling: speed after 1 s, m/s", np.linalg.norm(probes.vector("disc.velocity")[-1]), speed, 1e-4)
    turning = abs(probes["disc.angular_velocity.z"][-1])
    checks.near("disc rolling: turns without slip, rad/s", turning, speed / radius, 1e-4)


def check_blow(study):
    """Two discs of unequal mass, head on, restitution e."""
    for e in (0, 0.5, 1):
        bodies = [f"name: {name}, shape: {{ball: {{radius: 0.25}}}}, position: [{x}, 0, 0], velocity: [{v}, 0, 0], "
                  f"mass: {m}, restitution: {e}, friction: 0"
                  for name, x, v, m in (("fast", -1, 2, 3), ("slow", 1, -1, 1))]
        probes = planar(study, f"blow e={e}", bodies, 1.0, ("fast", "slow"), (0, 0, 0)).probes()
        common_speed = (3 * 2 - 1) / 4
        for name, expected in (("fast", common_speed - e * 3 / 4), ("slow", common_speed + e * 9 / 4)):
            study.checks.within(f"blow e={e}: {name}, m/s", probes[f"{name}.velocity.x"][-1], expected, 1e-9)


def check_stack(study):
    bodies = ["name: floor, motion: static, shape: {half_space: {}}"]
    bodies += [f"name: box{i}, shape: {{box: {{size: [0.4, 0.4, 0.4]}}}}, position: [0, {0.2 + 0.4 * i!r}, 0]"
               for i in range(10)]
    probes = planar(study, "stack of 10", bodies, 3.0, ("box0", "box9"), contact="{sleep: false}").probes()
    places = probes.vector("box9.position")
    study.checks.below("stack of 10: the topmost moved, m", np.max(np.linalg.norm(places - places[0], axis=1)), 1e-3)


def outline(vertices):
    """Corners of a box as it is seen along z."""
    return np.unique(np.round(vertices[:, :2], 5), axis=0)


def depth_in_box(points, corners):
    """How deep the deepest of the points is inside the box with these corners, m."""
    middle = corners.mean(axis=0)
    order = np.argsort(np.arctan2(*(corners - middle).T[::-1]))
    deepest = np.full(len(points), np.inf)
    for a, b in zip(corners[order], np.roll(corners[order], -1, axis=0)):
        along = (b - a) / np.linalg.norm(b - a)
        deepest = np.minimum(deepest, along[0] * (points[:, 1] - a[1]) - along[1] * (points[:, 0] - a[0]))
    return max(0.0, np.max(deepest))


def check_pile(study):
    output = study.run("plane", "rigid/plane.yaml")
    stays(study, "pile", output, ("crate_0", "disc_0"))
    stats, checks = output.stats(), study.checks
    kinetic = stats["energy.kinetic"]
    checks.below("pile: kinetic energy at the end over the peak", kinetic[-1] / np.max(kinetic), 1e-9)
    bodies = common.Bodies(output)
    last = bodies.read(bodies.numbers[-1])
    parts = [last[part] for part in bodies.parts if np.ptp(last[part][:, 2]) < 0.5]
    boxes = [outline(part) for part in parts if len(outline(part)) == 4]
    discs = [part[:, :2].mean(axis=0) for part in parts if len(outline(part)) != 4]
    checks.true("pile: 21 boxes and 15 discs", (len(boxes), len(discs)) == (21, 15), f"{len(boxes)}, {len(discs)}")
    worst = max(depth_in_box(a, b) for a in boxes for b in boxes if a is not b)
    worst = max([worst] + [0.3 - np.linalg.norm(a - b) for i, a in enumerate(discs) for b in discs[:i]])
    checks.below("pile: deepest overlap at the end, m", worst, 2e-3)
    lowest = min(np.min(part[:, 1]) for part in parts)
    checks.above("pile: lowest point, m", lowest, -2e-3)


def main():
    options = common.arguments(__doc__)
    checks = common.Checks()
    with common.temporary() as folder:
        study = Study(options, checks, folder)
        for check in (check_slopes, check_blow, check_stack, check_pile):
            study.attempt(check)
    study.finish()


if __name__ == "__main__":
    main()
