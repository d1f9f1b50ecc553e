#!/usr/bin/python3
"""Loads and rest: chains under load hold, piles fall asleep and then not one bit moves, sleep holds nothing back."""
import math
import os

import common
from common import np
from rigid_contact import G, scene_text

TUBE = 0.02

# ---- chains ----


def hold(options, checks, folder, label, values, duration, limit=0.05):
    output = common.run(options.program, common.scene_path("rigid/loaded_chain.yaml"), os.path.join(folder, "chain"),
                        {"duration": duration, **values}, "--threads", 1)
    stats, last = output.stats(), output.probes().vector("last.position")
    checks.below(f"{label}: deepest overlap over the tube", np.max(stats["penetration.max"]) / TUBE, limit)
    checks.below(f"{label}: pairs that passed through one another", np.sum(stats["missed"]), 0)
    length = np.linalg.norm(last, axis=1) # the hook is at the origin
    checks.below(f"{label}: grows by, over the tube", (np.max(length) - length[0]) / TUBE, 0.5)


def check_chains(options, checks, folder):
    """Taut at first, with the defaults; the last with four times the sweeps."""
    for links, ratio, more in ((10, 100, {}), (30, 1, {}), (10, 1000, {"rigid/contact/contact_iterations": 40})):
        hold(options, checks, folder, f"chain of {links}, load of {ratio}",
             {"params/links": links, "params/ratio": ratio, **more}, 10)


def check_swinging_chains(options, checks, folder):
    """The same pushed sideways: not asked for, and harder."""
    for links, ratio, push in ((10, 100, 0.5),) if options.quick else ((10, 100, 0.5), (10, 100, 0.8), (30, 1, 0.5),
                                                                        (6, 20, 0.5), (20, 30, 0.5)):
        hold(options, checks, folder, f"chain of {links}, load of {ratio}, pushed at {push} m/s",
             {"params/links": links, "params/ratio": ratio, "params/push": push}, 3 if options.quickest else 10)


def check_heavy_on_light(options, checks, folder):
    """A box ten thousand times as heavy dropped on another, default counts and step."""
    for drop in (0.05, 0.5):
        for ratio in (1e3, 1e4):
            lines = ["name: floor, motion: static, shape: {half_space: {}}",
                     "name: light, shape: {box: {}}, position: [0, 0.5, 0], density: 100",
                     f"name: heavy, shape: {{box: {{}}}}, position: [0.03, {1.5 + drop}, 0.02], density: {100 * ratio!r}, "
                     "orientation: {axis: [0, 1, 0], angle: 13}"]
            text = scene_text(lines, 2.0, 0.0, probes=("heavy",))
            path = common.write_scene(folder, "heavy.yaml", text)
            stats = common.run(options.program, path, os.path.join(folder, "heavy")).stats()
            deepest = np.max(stats["penetration.max"])
            label = f"{ratio:g} times as heavy from {drop} m: deepest overlap over an edge"
            checks.below(label, deepest, 0.01)


def check_heavy_on_stack(options, checks, folder):
    """The same on two and three boxes. Where guesses at who sticks come to no end it sinks in a little (docs/contact.md)."""
    known = {(1, 0.0, 1e4): 0.08}
    cases = [(2, 0.0, 1e4, 13), (1, 0.0, 1e4, 40)] if options.quickest else [
        *((n, dt, ratio, 13) for n in (2, 3) for dt in (0.0, 1 / 60, 1 / 300) for ratio in (1e3, 1e4)),
        *((1, dt, ratio, yaw) for dt in (0.0, 1 / 300) for ratio in (1e3, 1e4) for yaw in (0, 40))]
    for count, dt, ratio, yaw in cases:
        lines = ["name: floor, motion: static, shape: {half_space: {}}"]
        lines += [f"name: light_{i}, shape: {{box: {{}}}}, position: [0, {i + 0.5}, 0], density: 100" for i in range(count)]
        lines.append(f"name: heavy, shape: {{box: {{}}}}, position: [0.05, {count + 1.0}, -0.03], density: {100 * ratio!r}, "
                     f"orientation: {{axis: [0, 1, 0], angle: {yaw}}}")
        path = common.write_scene(folder, "stack.yaml", scene_text(lines, 1.5, dt, probes=("heavy",)))
        deepest = np.max(common.run(options.program, path, os.path.join(folder, "stack")).stats()["penetration.max"])
        step = f"step 1/{1 / dt:.0f}" if dt else "default step"
        label = f"{ratio:g} times as heavy from 0.5 m on {count}, turned by {yaw}, {step}: deepest overlap over an edge"
        if 0.01 < deepest <= known.get((count, dt, ratio), 0):
            checks.expected_failure(label, f"{deepest:.3g} limit 0.01")
        else:
            checks.below(label, deepest, 0.01)


# ---- rest ----


def fall_asleep(options, checks, folder, label, scene, values, bodies):
    """All asleep within 15 s, and the same bits from then on."""
    output = common.run(options.program, common.scene_path(scene), os.path.join(folder, "rest"),
                        {"duration": 15, **values}, "--threads", 1, "--keep-states")
    stats = output.stats()
    asleep, time = stats["asleep"], stats["time"]
    checks.true(f"{label}: asleep at 15 s", asleep[-1] == bodies, f"{asleep[-1]:g} of {bodies}")
    awake = np.flatnonzero(asleep < bodies)
    since = time[awake[-1]] if len(awake) else 0.0
    checks.note(f"{label}: since {since:.2f} s")
    later = [n for n in output.numbered("frame") if common.Bodies(output).time(n) > since + 0.1]
    if asleep[-1] == bodies and len(later) > 1:
        names = [name for name in common.different(output.frame(later[0]), output.frame(later[-1]))
                 if "vertices" in name or "velocit" in name]
        checks.true(f"{label}: not one bit moves in {len(later)} frames", not names, ", ".join(names))
    kept = [n for n in output.numbered("state") if common.Bodies(output).time(n) > since + 0.1]
    if asleep[-1] == bodies and len(kept) > 1:
        names = [name for name in common.different(output.state(kept[0]), output.state(kept[-1]))
                 if name.split("/")[-1] in ("position", "orientation", "velocity", "angular_velocity")]
        checks.true(f"{label}: not one bit of places and velocities in {len(kept)} states", not names, ", ".join(names))


def check_rest(options, checks, folder):
    fall_asleep(options, checks, folder, "dominoes", "rigid/dominoes.yaml", {}, 20)
    fall_asleep(options, checks, folder, "jenga", "rigid/jenga.yaml", {}, 36)
    counts = (12,) if options.quickest else (20,) if options.quick else (20, 60)
    for count in counts:
        for seed in (1,) if options.quick else (1, 2):
            fall_asleep(options, checks, folder, f"bin of {5 * count}, seed {seed}", "rigid/bin.yaml",
                        {"params/count": count, "seed": seed}, 5 * count)
    if not options.quick:
        fall_asleep(options, checks, folder, "40 dominoes", "rigid/dominoes.yaml", {"params/count": 40}, 40)
        fall_asleep(options, checks, folder, "jenga of 18 layers", "rigid/jenga.yaml", {"params/layers": 18}, 54)


def check_held_back(options, checks, folder):
    """A block at tan a = 1.01 mu starts, of any size."""
    for size in (0.05, 0.3, 2.0):
        for mu in (0.05, 0.1, 0.5):
            for factor in (1.01, 0.99):
                angle = math.atan(factor * mu)
                turn = f"orientation: {{axis: [0, 0, 1], angle: {-math.degrees(angle)!r}}}, friction: {mu}"
                place = f"[{size / 2 * math.sin(angle)!r}, {size / 2 * math.cos(angle)!r}, 0]"
                lines = [f"name: slope, motion: static, shape: {{half_space: {{}}}}, {turn}",
                         f"name: block, shape: {{box: {{size: [{size}, {size}, {size}]}}}}, position: {place}, {turn}"]
                text = scene_text(lines, 4.0, 0.0, probes=("block",))
                path = common.write_scene(folder, "slope.yaml", text)
                place = common.run(options.program, path, os.path.join(folder, "slope")).probes().vector(
                    "block.position")
                moved = np.linalg.norm(place[-1] - place[0])
                label = f"block of {size} m, mu {mu}, slope {factor} of its angle"
                if factor > 1:
                    pull = G * (math.sin(angle) - mu * math.cos(angle))
                    checks.near(f"{label}: slides in 4 s", moved, 0.5 * pull * 16, 1)
                else:
                    checks.below(f"{label}: moves in 4 s, m", moved, 1e-6)


def check_seesaw(options, checks, folder):
    """It tips one way, stands for a moment, and turns back."""
    probes = common.run(options.program, common.scene_path("rigid/seesaw.yaml"), os.path.join(folder, "seesaw"),
                        {"rigid/contact/sleep": "true"}).probes()
    tilt = 2 * np.degrees(np.arcsin(np.clip(probes["plank.orientation.z"], -1, 1)))
    checks.true("see-saw: goes down on one side, then on the other", np.max(tilt) > 5 and np.min(tilt) < -5,
                f"{np.min(tilt):.1f} to {np.max(tilt):.1f} degrees")


if __name__ == "__main__":
    common.verify(__doc__, (check_chains, check_swinging_chains, check_heavy_on_light, check_heavy_on_stack, check_rest, check_held_back,
                            check_seesaw))
