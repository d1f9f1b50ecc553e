#!/usr/bin/python3
"""Joints and contact: the smallest scenes of defects that a trial found, at other angles, steps and masses."""
import os

import common
from common import np

G = 9.81
HEAD = "plimsoll: 1\nname: trial\n"

# A box on a floor, both turned about z and then about y, tied to points in the level of its centre.
TIED = HEAD + """\
duration: 1
gravity: {gravity}
time_step: {{max_dt: {dt}}}
rigid:
  bodies:
    - {{name: floor, shape: {{half_space: {{}}}}, position: {floor}, orientation: {turn}, motion: static, friction: {friction}}}
    - {{name: box, shape: {{box: {{size: [0.3, 0.3, 0.3]}}}}, mass: 4, position: {box}, orientation: {turn}, friction: {friction}}}
joints:
{ropes}
probes: [{{name: left, quantities: [force]}}, {{name: box, quantities: [position]}}]
"""
ROPE = "  - {{name: {}, kind: rope, bodies: [world, box], at: {}, to: {}}}\n"
# A load on a tray on an arm that speeds up.
TRAY = HEAD + """\
duration: 2
time_step: {{max_dt: {dt}}}
rigid:
  bodies:
    - {{name: arm, shape: {{ball: {{radius: 0.1}}}}, motion: kinematic, position: ["=0.5*{pull}*t^2", 1, 0]}}
    - {{name: tray, shape: {{box: {{size: [1, 0.2, 0.6]}}}}, mass: 40, position: [1, 1, 0]}}
    - {{name: load, shape: {{box: {{size: [0.3, 0.4, 0.3]}}}}, mass: 30, position: [1, 1.3, 0]}}
joints: [{{name: r, kind: rigid, bodies: [arm, tray], at: [0.5, 1, 0]}}]
probes: [{{name: r, quantities: [force]}}, {{name: load, quantities: [contact_force]}}, {{name: tray, quantities: [contact_force]}}]
"""
SHELF = HEAD + """\
duration: 0.8
time_step: {max_dt: 0.01}
rigid:
  bodies:
    - {name: shelf, shape: {box: {size: [1, 0.05, 0.4]}}, mass: 4, position: [0.5, 1, 0]}
    - {name: stone, shape: {ball: {radius: 0.1}}, mass: 10, position: [0.5, 3.125, 0]}
joints: [{name: j, kind: rigid, bodies: [world, shelf], at: [0, 1, 0]}]
probes: [{name: j, quantities: [force]}, {name: stone, quantities: [contact_force]}]
"""
# A box on a plate on a spring, let go 3 cm (at 4000 N/m) from where the spring pushes nothing.
SPRUNG = HEAD + """\
duration: {duration}
time_step: {{max_dt: {dt}}}
rigid:
  bodies:
    - {{name: plate, shape: {{box: {{size: [0.6, 0.05, 0.6]}}}}, mass: {plate}, position: [0, 1, 0]}}
    - {{name: box, shape: {{box: {{size: [0.3, 0.3, 0.3]}}}}, mass: 20, position: [0, 1.175, 0]}}
joints:
  - {{name: j, kind: slider, bodies: [world, plate], at: [0, 1, 0], axis: [0, 1, 0], spring: {{stiffness: {stiffness}, rest: {rest}}}}}
probes: [{{name: j, quantities: [slide]}}]
"""


def run(options, folder, text):
    """The run's output; None when it stopped."""
    scene = common.write_scene(folder, "trial.yaml", text)
    out = os.path.join(folder, "trial")
    result = common.call(options.program, "run", scene, "--out", out, "--quiet", "--threads", "1")
    return common.Output(out) if result.code == 0 else None


def turned(vector, angle):
    """About z, then about y, by the same angle (degrees)."""
    c, s = np.cos(np.radians(angle)), np.sin(np.radians(angle))
    about_z = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    about_y = np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])
    return about_y @ about_z @ np.asarray(vector, float)


def tied_scene(angle, offset, dt, friction, sides):
    def place(x, y):
        return [float(v) for v in turned([x, y, 0], angle) + offset]
    ropes = "".join(ROPE.format(name, place(2 * side, 0.15), place(0.15 * side, 0.15)) for name, side in sides)
    return TIED.format(gravity=[float(v) for v in turned([0, -G, 0], angle)], dt=dt, friction=friction, floor=place(0, 0),
                       box=place(0, 0.15), ropes=ropes,
                       turn=f"{{axis: [0, 0, 1], angle: {angle}, then: [{{axis: [0, 1, 0], angle: {angle}}}]}}")


def box_at_ropes(options, checks, folder):
    one, two = [("left", -1)], [("left", -1), ("right", 1)]
    cases = [(0, 0, 0.01, 0.3, one), (0, 0, 0.01, 0, two), (17, 0, 0.01, 0.3, two), (40, [100, -50, 30], 0.002, 0.8, two),
             (63, 0, 1 / 60, 0.5, one)]
    for angle, offset, dt, friction, sides in cases:
        output = run(options, folder, tied_scene(angle, offset, dt, friction, sides))
        where = f"box on a floor turned by {angle} degrees, mu {friction:g}, {len(sides)} just taut: "
        moved = force = np.inf
        if output is not None:
            probes = output.probes()
            moved = np.linalg.norm(probes.vector("box.position") - probes.vector("box.position")[0], axis=1).max()
            force = np.linalg.norm(probes.vector("left.force"), axis=1).max()
        checks.below(where + "moved, m", moved, 1e-6)
        checks.below(where + "force of a rope, N", force, 0.01)


def load_on_a_tray(options, checks, folder):
    for pull, dt in ((1, 0.01), (-2.5, 0.004), (4, 1 / 60)):
        probes = run(options, folder, TRAY.format(pull=pull, dt=dt)).probes()
        late = probes["time"] > 0.1
        name = f"load of 30 kg on a tray on an arm, {pull:g} m/s^2: "
        checks.below(name + "force of the joint away from m a, N", np.abs(probes["r.force.x"][late] - 70 * pull).max(),
                     0.07 * abs(pull))
        force = np.stack([30 * pull, 30 * G, 0])
        checks.below(name + "contact force of the load away from its weight and m a, N",
                     np.abs(probes.vector("load.contact_force")[late] - force).max(), 0.3)
        checks.below(name + "of the tray from the opposite, N",
                     np.abs(probes.vector("tray.contact_force")[late] + force).max(), 0.3)


def stone_on_a_shelf(options, checks, folder):
    probes = run(options, folder, SHELF).probes()
    blow = probes["stone.contact_force.y"].max()
    checks.near("stone dropped on a welded shelf: its blow, by its momentum, N", blow * np.diff(probes["time"]).max(),
                10 * np.sqrt(2 * G * 2), 1.5)
    checks.near("stone dropped on a welded shelf: greatest force of the joint, N", probes["j.force.y"].max(), blow + 4 * G, 1e-3)


def box_on_a_sprung_plate(options, checks, folder):
    for stiffness, plate, dt, duration in ((4000, 5, 0.01, 20), (40000, 5, 0.01, 20), (4000, 1, 1 / 60, 20), (4e6, 5, 0.004, 5)):
        output = run(options, folder, SPRUNG.format(duration=duration, dt=dt, plate=plate, stiffness=stiffness,
                                                    rest=0.03 * 4000 / stiffness))
        energy, slide = output.stats()["energy.total"], output.probes()["j.slide"]
        swing = 0.5 * stiffness * (0.5 * np.ptp(slide))**2
        name = f"box on a plate of {plate:g} kg on a spring of {stiffness:g} N/m, {dt:.3g} s: "
        checks.below(name + "energy changed, of the swing's", np.abs(energy - energy[0]).max() / swing, 1e-3)
        checks.near(name + "mean place between the ends, m", 0.5 * (slide.max() + slide.min()),
                    0.03 * 4000 / stiffness - (20 + plate) * G / stiffness, 0.1)


if __name__ == "__main__":
    common.verify(__doc__, [box_at_ropes, load_on_a_tray, stone_on_a_shelf, box_on_a_sprung_plate])
