#!/usr/bin/python3
"""Free rigid bodies that deformable ones push back: momentum, weights at rest, balance, energy, mass ratios, same bits."""
import os

import common
import deform
from common import np

MEETING = """\
plimsoll: 1
name: meeting
duration: 0.3
fps: 20
gravity: [0, 0, 0]
rigid:
  bodies:
    - {{name: hard, shape: {{ball: {{radius: 0.1}}}}, mass: {mass}, position: [0.21, {aside}, 0], friction: 0.4}}
deformable:
  integrator: {integrator}
  tolerance: {tolerance}
  bodies:
    - {{name: soft, shape: {{ball: {{radius: 0.1}}}}, spacing: 0.05, velocity: [2, 0, 0], density: 1000, young: 5.0e+4,
       friction: 0.4}}
probes:
  - {{name: soft, quantities: [center, momentum, energy]}}
  - {{name: hard, quantities: [position, velocity]}}
"""

JELLY = """\
plimsoll: 1
name: rest
duration: {time}
fps: 20
time_step: {{max_dt: "=1/240"}}
rigid:
  bodies:
    - {{name: floor, motion: static, shape: {{half_space: {{}}}}, friction: 0.8}}
    - {{name: ball, shape: {{{shape}}}, mass: {mass}, position: [0, {height}, 0], friction: 0.5}}
deformable:
  integrator: {integrator}
  tolerance: 1.0e-4
  bodies:
{blocks}
probes:
  - {{name: ball, quantities: [position, velocity]}}
"""


def block(name, x, size, cells):
    return (f"    - {{name: {name}, shape: {{box: {{size: {size}}}}}, cells: {cells}, position: [{x}, {size[1] / 2}, 0], "
            "density: 1000, young: 2.0e+4, poisson: 0.4, damping: 0.01, friction: 0.8}\n")


def check_momentum(options, checks, folder):
    """A soft ball hits a free hard one, centre to centre and off it, lighter and heavier by a hundred times."""
    cases = [("midpoint", 4, 0.0), ("backward_euler", 0.04, 0.05)]
    if not options.quickest:
        cases = [(rule, mass, aside) for rule in ("midpoint", "backward_euler") for mass in (0.04, 4, 400)
                 for aside in (0.0, 0.05)]
    for rule, mass, aside in cases:
        label = f"ball of {mass} kg met {100 * aside:g} cm off, {rule}"
        text = MEETING.format(mass=mass, aside=aside, integrator=rule, tolerance=1e-6)
        path = common.write_scene(folder, "meeting.yaml", text)
        output = deform.run(options, folder, label.replace(" ", "_"), path)
        probes, stats = output.probes(), output.stats()
        p = deform.vector(probes, "soft.momentum") + mass * deform.vector(probes, "hard.velocity")
        checks.below(f"{label}: momentum off, over that of the soft one",
                     np.max(np.linalg.norm(p - p[0], axis=1)) / np.linalg.norm(p[0]), 1e-12)
        checks.above(f"{label}: the hard one moves, m/s", deform.vector(probes, "hard.velocity")[-1, 0], 1e-3)
        total = stats["energy.total"]
        checks.below(f"{label}: energy gained since any moment, over the first",
                     np.max(total - np.minimum.accumulate(total)) / total[0], 0.01)


def check_trampoline(options, checks, folder):
    """A crate at rest in a sheet pinned at its rim: the pins carry both, the crate stays."""
    masses = (0.02, 1) if options.quickest else (0.01, 0.1, 1, 10)
    for mass in masses:
        label = f"crate of {mass} kg"
        output = deform.run(options, folder, label.replace(" ", "_"), common.scene_path("cloth/trampoline.yaml"),
                            {"params/mass": mass, "params/n": 8 if options.quickest else 16, "params/height": 0.11,
                             "deformable/bodies/sheet/damping": 0.1, "params/time": 3})
        probes, stats = output.probes(), output.stats()
        last = probes["time"] > probes["time"][-1] - 0.5
        weight = 9.81 * (mass + 0.5 * 1.2**2)
        force = deform.vector(probes, "rim.force")[last, 1].mean()
        checks.near(f"{label}: force of the pins at rest, N", force, weight, 1)
        rises = deform.vector(probes, "crate.velocity")[last, 1]
        checks.near(f"{label}: force of the sheet on it, N, from its motion",
                    mass * (9.81 + (rises[-1] - rises[0]) / (probes["time"][last][-1] - probes["time"][last][0])),
                    mass * 9.81, 1)
        total = stats["energy.total"]
        checks.below(f"{label}: energy gained since any moment, J over the fall's",
                     np.max(total - np.minimum.accumulate(total)) / (9.81 * mass * 0.11), 0.02)


def check_rest(options, checks, folder):
    """A ball rests on jelly, a plank on two soft blocks: heights from strain, and they stay."""
    wide = block("jelly", 0, [0.4, 0.2, 0.4], [4, 2, 4])
    two = block("left", -0.2, [0.15, 0.15, 0.15], [2, 2, 2]) + block("right", 0.2, [0.15, 0.15, 0.15], [2, 2, 2])
    cases = [("a ball on jelly", wide, "ball: {radius: 0.08}", 1, 0.2 + 0.081, "midpoint"),
             ("a plank on two blocks", two, "box: {size: [0.6, 0.03, 0.15]}", 2, 0.15 + 0.016, "backward_euler")]
    for label, blocks, shape, mass, height, rule in cases:
        text = JELLY.format(time=1.5, shape=shape, mass=mass, height=height, blocks=blocks, integrator=rule)
        output = deform.run(options, folder, label.replace(" ", "_"), common.write_scene(folder, "rest.yaml", text))
        y = deform.vector(output.probes(), "ball.position")
        speed = np.linalg.norm(deform.vector(output.probes(), "ball.velocity"), axis=1)[-1]
        checks.true(f"{label}: is carried", 0.6 * height < y[-1, 1] < height, f"{y[-1, 1]:.4f} m, from {height} m")
        checks.below(f"{label}: speed at the end, m/s", speed, 0.05)
        checks.below(f"{label}: aside, m", float(np.hypot(y[-1, 0], y[-1, 2])), 0.01)


def check_bits(options, checks, folder):
    scene = common.scene_path("cloth/trampoline.yaml")
    values = {"params/n": 8, "params/spin": 3, "params/height": 0.2}
    frames = 24
    runs = {n: common.run(options.program, scene, os.path.join(folder, f"bits {n}"), values, "--frames", frames, "--threads",
                          n) for n in (1, 2, 4)}
    runs["resume"] = common.run(options.program, scene, os.path.join(folder, "bits half"), values, "--frames", 18)
    result = common.call(options.program, "resume", runs["resume"].folder, "--frames", frames, "--quiet", "--threads", 2)
    checks.true("resume ends", result.code == 0, result.last_words() if result.code else "")
    for n in (2, 4, "resume"):
        differ = common.different(runs[1].state(frames), runs[n].state(frames))
        differ += common.different(runs[1].frame(frames), runs[n].frame(frames))
        checks.true(f"trampoline, {n}: the same state and frame", not differ, " ".join(differ)[:80])


if __name__ == "__main__":
    common.verify(__doc__, (check_momentum, check_trampoline, check_rest, check_bits))
