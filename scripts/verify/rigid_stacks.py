#!/usr/bin/python3
"""What stands and what tips: stacks, arch, see-saw, plank, domino ring, elevator, stack smashed at a large step."""
import math

import common
import rigid_contact
from common import np
from rigid_contact import G, scene_text, vector_text


def largest_motion(output, since, size):
    """Farthest that a vertex of any body is from where it was at `since` (s), over `size`; and when."""
    bodies = common.Bodies(output)
    later = [n for n in bodies.numbers if bodies.time(n) >= since - 1e-9]
    first, worst, when = bodies.read(later[0]), 0.0, since
    for number in later[1:]:
        moved = np.max(np.linalg.norm(bodies.read(number) - first, axis=1))
        if moved > worst:
            worst, when = moved, bodies.time(number)
    return worst / size, when


# ---- stacks ----


def stack_text(height, edge, turn, origin, ratio=1.0, uneven=0.0, seconds=10.0):
    """Cubes on one another, sleeping off; turned about y by `turn` degrees; `origin` is on the floor. `uneven`:
    each is shifted by up to this part of its edge, and turned by any angle."""
    random = np.random.default_rng(3)
    bodies = ["name: floor, motion: static, shape: {half_space: {}}, position: " + vector_text(origin)]
    for n in range(height):
        shift = uneven * edge * random.uniform(-1, 1, 2)
        place = np.add(origin, (shift[0], (n + 0.5) * edge, shift[1]))
        q = common.axis_angle(common.quat_about((0, 1, 0), turn + (random.uniform(0, 90) if uneven else 0)))
        density = 1000 * (ratio if n == height - 1 else 1)
        bodies.append(f"name: box_{n}, shape: {{box: {{size: {vector_text([edge] * 3)}}}}}, position: "
                      f"{vector_text(place)}, orientation: {q}, density: {density!r}, friction: 0.5")
    return scene_text(bodies, seconds, 1 / 120, contact="{sleep: false}", probes=("box_0",))


def check_stacks(study):
    checks = study.checks
    seconds = 4.0 if study.options.quickest else 10.0
    cases = {f"stack height={height} ratio={ratio}":
             ("rigid/stack.yaml", {"params/height": height, "params/ratio": ratio})
             for height, ratio in ((20, 1), (10, 1000), (10, 1)) + (
                 () if study.options.quick else ((20, 1000), (3, 1e4), (15, 0.001), (30, 1)))}
    cases["stack height=10 step 1/30"] = ("rigid/stack.yaml", {"params/height": 10, "time_step/max_dt": 1 / 30})
    cases["stack height=20 step 1/60"] = ("rigid/stack.yaml", {"params/height": 20, "time_step/max_dt": 1 / 60})
    cases["stack height=10 lagged"] = ("rigid/stack.yaml", {"params/height": 10, "rigid/contact/pairs": "lagged"})
    cases = {name: (scene, values | {"duration": seconds}) for name, (scene, values) in cases.items()}
    sizes = {name: 1.0 for name in cases}
    fraction, far = (0.1234, 0.77, -0.31), (1000, 1000, -1000)
    own = [("turned by 30", 10, 1.0, 30, (0, 0, 0), 1, 0),
           ("turned by 45, a fraction away", 10, 1.0, 45, fraction, 1, 0),
           ("of 5 cm", 10, 0.05, 0, (0, 0, 0), 1, 0), ("1000 m away", 10, 1.0, 0, far, 1, 0),
           ("turned, heavy top", 10, 1.0, 17, (3, 0, 2), 1000, 0), ("uneven", 10, 1.0, 0, (0, 0, 0), 1, 0.05),
           ("uneven, heavy top", 10, 1.0, 0, fraction, 1000, 0.05)]
    if not study.options.quick:
        own += [("of 10 m", 10, 10.0, 0, (0, 0, 0), 1, 0), ("of 20, turned", 20, 1.0, 30, (0, 0, 0), 1, 0),
                ("of 0.3 m, turned, heavy top", 10, 0.3, 71, (-100, 5, 7), 1000, 0),
                ("of 20, uneven", 20, 1.0, 0, (0, 0, 0), 1, 0.05), ("of 5, very uneven", 5, 0.4, 0, fraction, 1, 0.15),
                ("uneven, 1000 m away", 10, 1.0, 0, far, 1, 0.05)]
    for label, height, edge, turn, origin, ratio, uneven in own:
        name = f"stack {label}"
        path = common.write_scene(study.folder, name.replace(" ", "_").replace(",", "") + ".yaml",
                                  stack_text(height, edge, turn, origin, ratio, uneven, seconds))
        cases[name], sizes[name] = (path, None), edge
    for name, output in study.run_all(cases).items():
        stats = output.stats()
        checks.above(f"{name}: lasts, s", stats["time"][-1], seconds - 1e-9)
        moved, when = largest_motion(output, 1.0, sizes[name])
        checks.below(f"{name}: moves after the first second over its size (t = {when:.2f} s)", moved, 1e-3)
        settled, _ = largest_motion(output, 0.0, sizes[name])
        checks.below(f"{name}: and from the start on", settled, 1e-2)


def check_stack_levels(study):
    """The counter means something: a stack of n has n levels."""
    output = study.run("stack levels", "rigid/stack.yaml", {"params/height": 7, "duration": 1})
    levels = output.stats()["contact.levels"]
    study.checks.true("stack of 7: contact.levels", np.all(levels[2:] == 7), f"{levels[-1]:g}")


def check_arch(study):
    checks = study.checks
    output = study.run("arch", "rigid/arch.yaml")
    checks.above("arch: lasts, s", output.stats()["time"][-1], 10 - 1e-9)
    bodies = common.Bodies(output)
    first = bodies.read(0)
    stones = [part for part in bodies.parts if np.ptp(first[part][:, 1]) > 0 and
              np.max(np.ptp(first[part], axis=0)) < 5]
    checks.true("arch: 15 stones", len(stones) == 15, str(len(stones)))
    everything = first[np.concatenate(stones)]
    outer = np.max(everything[:, 1]) - np.min(everything[:, 1])
    thickness = 0.15 * outer / 1.075 # half of it lies outside the middle line
    moved, when = largest_motion(output, 0.0, thickness)
    checks.below(f"arch: moves in 10 s over the thickness of a stone (t = {when:.2f} s)", moved, 0.01)
    moved, when = largest_motion(output, 1.0, thickness)
    checks.note(f"arch: moves after the first second {moved:.3g} of the thickness")


# ---- see-saw, plank, dominoes ----


class SeeSaw:
    """Tilt of the plank towards the heavy block, degrees, and where that block is along the plank, over half
    its length."""

    def __init__(self, output):
        probes = output.probes()
        self.time = probes["time"]
        q = probes.vector("plank.orientation", "wxyz")
        apart = probes.vector("heavy.position") - probes.vector("plank.position")
        self.side = np.sign(apart[0, 0])
        end = common.to_world(q, np.tile([self.side, 0.0, 0.0], (len(q), 1)))
        self.tilt = np.degrees(np.arcsin(-end[:, 1]))
        bodies = common.Bodies(output)
        first = bodies.read(0)
        middle = probes.vector("plank.position")[0]
        plank = min((part for part in bodies.parts if np.ptp(first[part][:, 1]) > 0),
                    key=lambda part: np.linalg.norm(np.mean(first[part], axis=0) - middle))
        self.along = np.sum(apart * end, axis=1) / (np.ptp(first[plank][:, 0]) / 2)
        self.light = probes["light.position.y"]

    def first(self, condition):
        found = np.flatnonzero(condition)
        return self.time[found[0]] if len(found) else math.inf


def check_seesaw(study):
    checks = study.checks
    run = SeeSaw(study.run("seesaw", "rigid/seesaw.yaml"))
    tips, slides = run.first(run.tilt > 5), run.first(np.abs(run.along) > 1)
    other_way = run.first(run.tilt < -1)
    back = run.first((run.tilt < -5) & (run.time > slides))
    checks.true("seesaw: the heavy side goes down by 5 degrees first", tips < other_way and tips < math.inf,
                f"at {tips:.3f} s")
    checks.true("seesaw: then the heavy block slides off", tips < slides < math.inf, f"at {slides:.3f} s")
    checks.true("seesaw: then the light side comes down by 5 degrees", slides < back < math.inf, f"at {back:.3f} s")
    checks.note(f"seesaw: greatest tilt {np.max(run.tilt):.1f}, at the end {run.tilt[-1]:.1f} degrees")
    shock = SeeSaw(study.run("seesaw shock only", "rigid/seesaw.yaml", {"rigid/contact/contact_iterations": 0},
                             wrong=True))
    tilt = np.interp(tips, shock.time, shock.tilt) if tips < math.inf else math.nan
    checks.below("seesaw, shock propagation alone: tilt when it should be 5 degrees", abs(tilt), 0.5)
    checks.note(f"seesaw, shock propagation alone: greatest tilt {np.max(np.abs(shock.tilt)):.2f} degrees")


def cubes(bodies, vertices):
    """Parts of the bodies that are cubes, smallest first."""
    found = []
    for part in bodies.parts:
        extent = np.ptp(vertices[part], axis=0)
        if np.min(extent) > 0.999 * np.max(extent) > 0:
            found.append((np.max(extent), part))
    return [part for _, part in sorted(found, key=lambda item: item[0])]


def check_plank_flip(study):
    """Of the cubes at the start the largest falls, the others are the stack; the plank is the longest body."""
    checks = study.checks
    output = study.run("plank_flip", "rigid/plank_flip.yaml", {"duration": 6})
    bodies = common.Bodies(output)
    first = bodies.read(0)
    stack = cubes(bodies, first)[:-1]
    plank = max((part for part in bodies.parts if 0 < np.ptp(first[part][:, 1]) < 0.2),
                key=lambda part: np.ptp(first[part][:, 0]))
    checks.above("plank_flip: boxes in the stack", len(stack), 2)
    rise = lambda number: np.array([np.mean((bodies.read(number) - first)[part][:, 1]) for part in stack])
    risen = np.max([rise(number) for number in bodies.numbers], axis=0)
    checks.true("plank_flip: the stack is thrown up", np.all(risen > 0.3),
                "its boxes rise by " + ", ".join(f"{r:.3g}" for r in risen) + " m")
    clear = max(min(bodies.read(n)[part][:, 1].min() for part in stack) - bodies.read(n)[plank][:, 1].max()
                for n in bodies.numbers)
    checks.above("plank_flip: flies off the plank, all of it higher than any of the plank by, m", clear, 0.3)
    away = np.linalg.norm((bodies.centres(bodies.read(bodies.numbers[-1])) - bodies.centres(first))[:, [0, 2]], axis=1)
    away = [away[bodies.owner[part[0]]] for part in stack]
    checks.true("plank_flip: and comes down elsewhere", min(away) > 1, ", ".join(f"{d:.2f}" for d in away) + " m away")
    output = study.run("plank_flip shock only", "rigid/plank_flip.yaml", {"rigid/contact/contact_iterations": 0},
                       wrong=True)
    shock, stats = common.Bodies(output), output.stats()
    first = shock.read(0)
    risen = max(np.mean((shock.read(n) - first)[part][:, 1]) for n in shock.numbers for part in stack)
    energy = stats["energy.total"]
    checks.note(f"plank_flip, shock propagation alone: the stack rises by at most {risen:.3g} m, the energy by "
                f"{(np.max(energy) - energy[0]) / np.max(stats['energy.kinetic']):.3g} of the peak kinetic energy")


def check_domino_ring(study):
    # Bodies that sleep have no contact graph.
    output = study.run("domino_ring", "rigid/domino_ring.yaml", {"rigid/contact/sleep": "false"})
    stats = output.stats()
    levels = stats["contact.levels"][len(stats) // 2:]
    study.checks.true("domino_ring: one level", np.all(levels == 1),
                      f"from {np.min(levels):g} to {np.max(levels):g} in the second half")
    moved, when = largest_motion(output, stats["time"][-1] / 2, 1.0)
    study.checks.note(f"domino_ring: moves in the second half {moved:.3g} m")


def check_elevator(study):
    """The block goes where the floor goes, which never falls faster than g."""
    output = study.run("elevator", "rigid/elevator.yaml", mover=True)
    probes = output.probes()
    apart = probes.vector("block.position") - probes.vector("floor.position")
    rise = np.ptp(probes["floor.position.y"])
    study.checks.above("elevator: the floor moves, m", rise, 0.2)
    study.checks.below("elevator: the block leaves its place on the floor by, m",
                       np.max(np.linalg.norm(apart - apart[0], axis=1)), 1e-3 * max(1.0, rise))


def check_stack_smash(study):
    output = study.run("stack_smash", "rigid/stack_smash.yaml")
    checks = study.checks
    checks.below("stack_smash: steps are whole frames", abs(np.max(output.stats()["dt"]) - 1 / 30), 1e-9)
    bodies = common.Bodies(output)
    first, last = bodies.read(0), bodies.read(bodies.numbers[-1])
    highest = max(np.max(bodies.read(n)[:, 1]) for n in bodies.numbers)
    checks.below("stack_smash: highest point over that of the start, m", highest - np.max(first[:, 1]), 1e-6)
    spread = np.linalg.norm((bodies.centres(last) - bodies.centres(first))[:, [0, 2]], axis=1)
    checks.above("stack_smash: the stack is scattered, farthest m", max(spread), 0.5)


def check_waking(study):
    """What sleeps wakes when it is touched and when what carried it goes away."""
    checks = study.checks
    box = "shape: {box: {size: [0.3, 0.3, 0.3]}}, friction: 0.1"
    bodies = ["name: floor, motion: static, shape: {half_space: {}}, friction: 0.1",
              *(f"name: box_{n}, {box}, position: [0, {0.15 + 0.3 * n!r}, 0]" for n in range(3)),
              "name: ball, shape: {ball: {radius: 0.15}}, position: [-10, 0.15, 0], velocity: [6, 0, 0], mass: 100, "
              "inertia: [0.9, 0.9, 0.9], angular_velocity: [0, 0, -40]"]
    output = study.run("knocked out", common.write_scene(study.folder, "knocked.yaml", scene_text(
        bodies, 4.0, 1 / 120, probes=("box_0", "box_2", "ball"))))
    probes, asleep = output.probes(), output.stats()["asleep"]
    checks.note(f"stack whose lowest box is knocked out: {np.max(asleep[:120]):g} bodies asleep in the first second")
    checks.above("stack whose lowest box is knocked out: it goes, m", probes["box_0.position.x"][-1], 0.3)
    checks.above("stack whose lowest box is knocked out: the top one comes down, m",
                 probes["box_2.position.y"][0] - probes["box_2.position.y"][-1], 0.25)
    bodies = ["name: lift, motion: kinematic, shape: {box: {size: [2, 0.2, 2]}}, position: "
              "[0, \"=1 - 0.5*max(t - 2, 0)^2\", 0]",
              f"name: box_0, {box}, position: [0, 1.25, 0]", f"name: box_1, {box}, position: [0, 1.55, 0]"]
    output = study.run("lowered", common.write_scene(study.folder, "lowered.yaml", scene_text(
        bodies, 4.0, 1 / 120, probes=("box_1",))), mover=True)
    checks.near("two boxes on a lift that goes down after 2 s: the upper one goes with it, m",
                output.probes()["box_1.position.y"][0] - output.probes()["box_1.position.y"][-1], 2, 0.5)


def check_shell(study):
    """A bowl of radius 0.6 m, a thin open surface: what falls in stays in. The sphere it is part of is found by
    least squares: |x|^2 = 2 c.x + r^2 - c^2."""
    bodies = common.Bodies(study.run("shell", "rigid/shell.yaml"))
    last = bodies.read(bodies.numbers[-1])
    bowl = last[bodies.parts[1]]
    fit = np.linalg.lstsq(np.c_[2 * bowl, np.ones(len(bowl))], np.sum(bowl**2, axis=1), rcond=None)[0]
    radius = math.sqrt(fit[3] + fit[:3] @ fit[:3])
    study.checks.near("shell: radius of the bowl found", radius, 0.6, 0.1)
    balls = [part for part in bodies.parts[2:] if len(part) > 100]
    far = [np.max(np.linalg.norm(last[part] - fit[:3], axis=1)) for part in balls]
    study.checks.below(f"shell: farthest of {len(balls)} balls outside of the bowl, over the radius of a ball",
                       (max(far) - radius) / 0.1, 0.1)


def main():
    options = common.arguments(__doc__)
    checks = common.Checks()
    with common.temporary() as folder:
        study = rigid_contact.Study(options, checks, folder)
        for check in (check_stacks, check_stack_levels, check_arch, check_seesaw, check_plank_flip, check_domino_ring,
                      check_elevator, check_stack_smash, check_waking,
                      check_shell):
            study.attempt(check)
    study.finish()


if __name__ == "__main__":
    main()
