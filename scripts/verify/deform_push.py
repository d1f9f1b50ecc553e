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


TAUT = """\
plimsoll: 1
name: taut
duration: 0.8
fps: 24
rigid:
  bodies:
    - {{name: ball, shape: {{ball: {{radius: 0.15}}}}, mass: {mass}, position: [0.05, 0.66, 0.03], friction: 0.3}}
deformable:
  integrator: {integrator}
  bodies:
    - name: sheet
      sheet: {{size: [1.6, 1.6], cells: [14, 14]}}
      area_density: 0.5
      stretch: 8000
      damping: 0.002
      strain_limit: 0
      pins: [{{name: rim, in: {{difference: {{of: [{{box: {{size: [2, 1, 2]}}}}, {{box: {{size: [1.59, 2, 1.59]}}}}]}}}}}}]
probes:
  - {{name: ball, quantities: [position, velocity]}}
  - {{name: sheet, quantities: [momentum]}}
  - {{name: rim, quantities: [force]}}
"""


FLOATING = """\
plimsoll: 1
duration: 0.15
fps: 60
gravity: [0, 0, 0]
time_step: {max_dt: "=1/240"}
rigid:
  bodies:
    - {name: box, shape: {box: {size: [0.4, 0.3, 0.3]}}, mass: 3, position: [0.2, 0, 0]}
deformable:
  collisions: false
  bodies:
    - {name: cloth, sheet: {size: [0.8, 0.8], cells: [14, 14]}, position: [0, 0.3, 0.05], velocity: [0, -2, 0], area_density: 0.5,
       stretch: 3000, damping: 0.005, friction: 0.5, bending_stiffness: 1.0e-4}
probes:
  - {name: box, quantities: [velocity]}
  - {name: cloth, quantities: [momentum]}
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


def check_taut(options, checks, folder):
    """A heavy ball falls deep into a taut sheet at the default step: it comes back up. Free of contact, nodes below it would
    fly to above it in one step."""
    cases = [(50, "midpoint")] if options.quickest else [(mass, rule) for mass in (5, 50, 60)
                                                         for rule in ("midpoint", "backward_euler")]
    for mass, rule in cases:
        label = f"ball of {mass} kg on a taut sheet, {rule}"
        path = common.write_scene(folder, "taut.yaml", TAUT.format(mass=mass, integrator=rule))
        output = deform.run(options, folder, label.replace(" ", "_"), path)
        probes, stats = output.probes(), output.stats()
        y, time = deform.vector(probes, "ball.position")[:, 1], probes["time"]
        checks.true(f"{label}: comes back", y.min() > -0.6 and y[-1] > y.min() + 0.1, f"{y.min():.3f} m, then {y[-1]:.3f} m")
        p = mass * deform.vector(probes, "ball.velocity") + deform.vector(probes, "sheet.momentum")
        force = deform.vector(probes, "rim.force") - [0, 9.81 * (mass + 0.5 * 1.6**2), 0]
        off = p[1:] - p[0] - np.cumsum(force[1:] * np.diff(time)[:, None], axis=0)
        checks.below(f"{label}: momentum against pins and weight, over that of the fall",
                     np.max(np.linalg.norm(off, axis=1)) / (mass * np.sqrt(2 * 9.81 * 0.5)), 1e-3)
        total = stats["energy.total"]
        checks.below(f"{label}: energy gained since any moment, over that of the fall",
                     np.max(total - np.minimum.accumulate(total)) / (9.81 * mass * 0.5), 0.01)


def check_floating(options, checks, folder):
    """A sheet slaps a box that floats: contacts come and go until the solver has no turns left, and momentum is kept."""
    label = "sheet on a floating box"
    output = deform.run(options, folder, "floating", common.write_scene(folder, "floating.yaml", FLOATING))
    probes, total = output.probes(), output.stats()["energy.total"]
    p = 3 * deform.vector(probes, "box.velocity") + deform.vector(probes, "cloth.momentum")
    checks.below(f"{label}: momentum off, over the first", np.max(np.linalg.norm(p - p[0], axis=1)) / np.linalg.norm(p[0]), 1e-12)
    checks.below(f"{label}: energy gained since any moment, over the first",
                 np.max(total - np.minimum.accumulate(total)) / total[0], 0.01)


def check_load(options, checks, folder):
    """A plank on two soft blocks, as wide as they are, carries a crate: it lies still, as deep as both press the blocks."""
    area, high, young, plank, crate = 0.15**2, 0.15, 2e4, 2.0, 1.0
    blocks = "".join(block(name, x, [0.15, high, 0.15], [2, 3, 2]).replace("poisson: 0.4", "poisson: 0")
                     for name, x in (("left", -0.2), ("right", 0.2)))
    for rule in ("backward_euler",) if options.quickest else ("backward_euler", "midpoint"):
        label = f"a plank that carries a crate, {rule}"
        text = JELLY.format(time=1.5, shape="box: {size: [0.6, 0.03, 0.15]}", mass=plank, height=high + 0.016, blocks=blocks,
                            integrator=rule)
        text = text.replace("deformable:", "    - {name: crate, shape: {box: {size: [0.1, 0.1, 0.1]}}, mass: "
                            f"{crate}, position: [0, {high + 0.082}, 0], friction: 0.5}}\ndeformable:")
        probes = deform.run(options, folder, label.replace(" ", "_"), common.write_scene(folder, "load.yaml", text)).probes()
        velocity = np.linalg.norm(deform.vector(probes, "ball.velocity"), axis=1)[-1]
        checks.below(f"{label}: speed at the end, m/s", velocity, 1e-3)
        # of neo-Hookean blocks without lateral contraction: force = young area (1/s - s)/2, from the middle of their weight
        pull = (9.81 * (plank + crate) / 2 + 0.5 * 1000 * area * high * 9.81) / (young * area)
        sunk = high * (1 - (np.sqrt(pull**2 + 1) - pull))
        checks.near(f"{label}: sinks by, m", high + 0.015 - deform.vector(probes, "ball.position")[-1, 1], sunk, 1)


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
    common.verify(__doc__, (check_momentum, check_trampoline, check_taut, check_floating, check_load, check_rest, check_bits))
