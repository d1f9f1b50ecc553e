#!/usr/bin/python3
"""Joints in fluids: forces, limits, ropes and motors while water acts, against formulas.

Forces, torques and places come from probes.csv; what they should be is computed here.
"""
import json
import math
import os

import common
from common import np
from joints_bad_input import same_bits

G, WATER, RADIUS = 9.81, 1000.0, 0.1


def run(options, folder, name, scene, *words):
    path = os.path.join(folder, name + ".json")
    with open(path, "w") as file:
        json.dump(scene, file)
    return common.run(options.program, path, path[:-5], None, *words)


def water(dim, cells, bodies, joints, probes, duration, dt=1 / 120, viscosity=0.5, **keys):
    """A closed box of 0.5 m full of water."""
    return {"plimsoll": 1, "name": "joint_in_water", "dim": dim, "duration": duration, "fps": 20,
            "time_step": {"max_dt": dt},
            "fluid": {"domain": {"low": [-0.25, -0.25, -0.25 if dim == 3 else -0.5],
                                 "high": [0.25, 0.25, 0.25 if dim == 3 else 0.5]},
                      "cells": cells, "density": WATER, "viscosity": viscosity},
            "rigid": {"bodies": bodies}, "joints": joints,
            "probes": [{"name": name, "quantities": words} for name, words in probes.items()], **keys}


def ball(dim, density, **keys):
    volume = 4 / 3 * math.pi * RADIUS**3 if dim == 3 else math.pi * RADIUS**2
    shape = {"ball": {"radius": RADIUS}}
    return {"name": "ball", "shape": shape, "mass": density * volume, "position": [0, 0, 0], **keys}, volume


def last(table, name, part=0.3):
    values = table[name]
    return values[-max(1, int(part * len(values))):]


def near(checks, label, values, wanted, unit="N", limit=0.01):
    checks.below(f"{label}: {values[-1]:.3f} {unit} for {wanted:.3f}, off by", abs(values / wanted - 1).max(), limit)


def tied(dim, cells, density, joint, duration, **keys):
    """A ball in the middle of the water, with one joint to the world."""
    body, volume = ball(dim, density)
    scene = water(dim, cells, [body], [{"name": "line", "bodies": ["world", "ball"], **joint}],
                  {"line": ["force", "gap", "slide"], "ball": ["position", "velocity"]}, duration, **keys)
    return scene, (density - WATER) * volume * G


# ---- weight and buoyancy ----


def hung(options, checks, folder):
    """A heavy ball hangs on a joint, a light one pulls at it: weight less that of the water in its place."""
    cases = [(2, 3000, "rope"), (2, 400, "rope"), (2, 400, "distance"), (3, 400, "rope")]
    if not options.quickest:
        cases += [(2, 3000, "point"), (2, 3000, "distance"), (3, 3000, "point"), (3, 3000, "rope"), (3, 400, "distance")]
    for dim, density, kind in cases:
        joint = {"kind": kind, "at": [0, 0.2 if density > WATER else -0.2, 0]}
        if kind != "point":
            joint["to"] = [0, 0, 0]
        scene, push = tied(dim, 32, density, joint, 0.1 if options.quickest else 0.3 if options.quick else 1)
        probes = run(options, folder, f"hung_{dim}_{density}_{kind}", scene).probes()
        name = f"ball of {density} kg/m^3 on a {kind}, {dim}D"
        near(checks, f"{name}: force", last(probes, "line.force.y"), push)
        checks.below(f"{name}: gap, m", probes["line.gap"].max(), 1e-9)
        checks.below(f"{name}: it rests, m/s", np.linalg.norm(probes.vector("ball.velocity")[-1]), 1e-6)
        if kind != "point":
            checks.below(f"{name}: taut, m", abs(last(probes, "line.slide") - 0.2).max(), 1e-9)


def breaks(options, checks, folder):
    """A joint breaks by what it carries with the water, not by the weight alone."""
    for density, strength, breaks_off in ((3000, 0.8, False), (3000, 0.6, True), (400, 1.6, False), (400, 1.4, True)):
        up = density > WATER
        body, volume = ball(2, density)
        weight = density * volume * G
        scene, push = tied(2, 32, density, {"kind": "distance", "at": [0, 0.2 if up else -0.2, 0], "to": [0, 0, 0],
                                            "break": {"force": strength * weight}}, 0.1)
        stats = run(options, folder, f"break_{density}_{strength}", scene).stats()
        checks.true(f"joint that carries {abs(push / weight):.3f} of the weight in water, made for {strength:g}: "
                    f"{'breaks' if breaks_off else 'holds'}", bool(stats["joints.broken"][-1]) == breaks_off)


# ---- limits ----

LONG, THICK = 0.12, 0.04 # m, half, of a bar


def bar(density, joint, duration, thick=THICK, at=-LONG, probes=(), cells=48, **keys):
    area = 4 * LONG * thick
    body = {"name": "bar", "shape": {"box": {"size": [2 * LONG, 2 * thick, 1]}}, "mass": density * area,
            "position": [0, 0, 0]}
    joint = {"name": "pin", "kind": "hinge", "bodies": ["world", "bar"], "at": [at, 0, 0], **joint}
    words = ["force", "torque", "angle", "speed", "gap", "motor_torque", "power"]
    return water(2, cells, [body], [joint], {"pin": words, "bar": ["angular_velocity"]}, duration,
                 **keys), (density - WATER) * area * G


def lever(options, checks, folder):
    """A bar on a hinge is pressed to its limit by water, or by its own weight in water."""
    for density, limits in ((400, [-60, 0]), (3000, [0, 60])):
        scene, push = bar(density, {"limits": limits}, 0.15 if options.quickest else 0.6)
        probes = run(options, folder, f"lever_{density}", scene).probes()
        name = f"bar of {density} kg/m^3 on its limit"
        near(checks, f"{name}: torque", last(probes, "pin.torque.z"), push * LONG, "N m")
        near(checks, f"{name}: force", last(probes, "pin.force.y"), push)
        checks.below(f"{name}: turned, degrees", math.degrees(abs(probes["pin.angle"]).max()), 0.01)


def released(options, checks, folder):
    """A limit that gravity presses and water does not lets go, as if it were not there."""
    angles, forces = [], []
    for limits in ({"limits": [0, 60]}, {}):
        scene, _ = bar(400, limits, 0.15)
        probes = run(options, folder, f"released_{len(angles)}", scene).probes()
        angles.append(probes["pin.angle"])
        forces.append(probes["pin.force.y"])
    checks.below("light bar on a limit that gravity alone would press: it rises as without, of its way",
                 abs(angles[0] - angles[1]).max() / angles[1][-1], 1e-5)
    checks.above("light bar on a limit that gravity alone would press: risen, rad", angles[1][-1], 0.05)
    checks.below("light bar on a limit that gravity alone would press: force as without",
                 abs(forces[0] - forces[1])[2:].max() / abs(forces[1][2:]).max(), 1e-3)


def stopped(options, checks, folder):
    """A light bar rises until its limit, and rests there."""
    scene, push = bar(400, {"limits": [-60, 20]}, 2 if options.quick else 3, viscosity=20)
    probes = run(options, folder, "stopped", scene).probes()
    angle = np.degrees(probes["pin.angle"])
    torque = push * LONG * math.cos(math.radians(20))
    checks.below("light bar rises to its limit: overshoot, degrees", angle.max() - 20, 0.1)
    checks.below("light bar on its limit of 20 degrees: away from it, degrees", abs(angle[-20:] - 20).max(), 1e-6)
    near(checks, "light bar on its limit of 20 degrees: torque", last(probes, "pin.torque.z", 0.1), torque, "N m")


def grounded(options, checks, folder):
    """A bar on a hinge lies on a foot, or floats up against one: hinge and foot share what water leaves of its weight."""
    for density in (3000, 400):
        scene, push = bar(density, {"limits": [-30, 30]}, 0.2 if options.quickest else 0.6)
        side = -1 if density > WATER else 1
        scene["rigid"]["bodies"].append({"name": "foot", "motion": "static", "shape": {"box": {"size": [0.04, 0.1, 1]}},
                                         "position": [0.1, side * (THICK + 0.05), 0]})
        scene["probes"][1]["quantities"] += ["contact_force"]
        out = run(options, folder, f"grounded_{density}", scene)
        probes, stats = out.probes(), out.stats()
        pin, foot = last(probes, "pin.force.y"), last(probes, "bar.contact_force.y")
        name = f"bar of {density} kg/m^3 on a hinge and a foot"
        near(checks, f"{name}: forces", pin + foot, push)
        # The foot reaches from 0.08 to the bar's end at 0.12.
        share = (foot / push)[-1]
        checks.above(f"{name}: the foot's share", share, LONG / (2 * LONG) - 0.01)
        checks.below(f"{name}: the foot's share", share, LONG / (LONG + 0.08) + 0.01)
        checks.below(f"{name}: turns of solves that did not agree", stats["contact.unsettled"].max(), 0)


# ---- motors ----


def stirrer(options, checks, folder):
    """A drive with a bound stirs a viscous fluid: never more than it has, and less if less will do."""
    most = 20.0
    for kind, drive in (("motor", {"speed": 20}), ("control", {"target": "=1000*t", "strength": 400}), ("slow", {"speed": 2})):
        key = "motor" if kind == "slow" else kind
        scene, _ = bar(2000, {key: {**drive, "max_torque": most}}, 0.3 if options.quickest else 1, thick=0.02, at=0, viscosity=20)
        probes = run(options, folder, f"stirrer_{kind}", scene).probes()
        torque, speed = probes["pin.motor_torque"], probes["pin.speed"]
        name = f"{kind} of {most:g} N m stirs"
        checks.below(f"{name}: torque {torque[-1]:.3f} N m, over what it has", abs(torque).max() / most, 1 + 1e-9)
        checks.below(f"{name}: power against torque times speed",
                     abs(probes["pin.power"] - torque * speed).max() / abs(torque * speed).max(), 1e-9)
        checks.below(f"{name}: joint's torque against the motor's", abs(probes["pin.torque.z"] - torque)[1:].max() / most, 1e-6)
        if kind == "slow":
            checks.below(f"{name}: off its speed, rad/s", abs(speed[10:] - 2).max(), 1e-6)
            checks.above(f"{name}: torque against the fluid, N m", torque[-1], 0.1)
        else:
            checks.below(f"{name}: it gives all it has, off by", abs(torque[-1] / most - 1), 1e-9)


# ---- in a splash ----


def in_splash(density, joint, duration):
    body, _ = ball(2, density)
    body["position"] = [0.5, 0.3, 0]
    liquid = {"name": "water", "shape": {"box": {"size": [1, 0.6, 1]}}, "position": [0.5, 0.3, 0]}
    return {"plimsoll": 1, "name": "joint_in_splash", "dim": 2, "duration": duration, "fps": 24,
            "splash": {"domain": {"low": [0, 0, -0.5], "high": [1, 0.8, 0.5]}, "cells": 40, "density": WATER,
                       "particles": 2, "liquids": [liquid]},
            "rigid": {"bodies": [body]}, "joints": [{"name": "line", "bodies": ["world", "ball"], **joint}],
            "probes": [{"name": "line", "quantities": ["force", "gap"]},
                       {"name": "ball", "quantities": ["position", "velocity", "fluid_force"]}]}


def splashed(options, checks, folder):
    """In a splash the joint carries what the liquid does not."""
    line = lambda kind, side: {"kind": kind, "at": [0.5, 0.3 + 0.2 * side, 0], "to": [0.5, 0.3, 0]}
    limit = {"kind": "slider", "at": [0.5, 0.3, 0], "axis": [0, 1, 0], "limits": [-0.1, 0]}
    cases = [("rope", 3000, line("rope", 1)), ("rope", 400, line("rope", -1)), ("limit", 400, limit)]
    for kind, density, joint in cases[1:2] if options.quickest else cases:
        probes = run(options, folder, f"splashed_{kind}_{density}",
                     in_splash(density, joint, 0.5 if options.quickest else 1.5)).probes()
        volume = math.pi * RADIUS**2
        force, fluid = last(probes, "line.force.y", 0.5), last(probes, "ball.fluid_force.y", 0.5)
        name = f"ball of {density} kg/m^3 on a {kind} in a splash"
        checks.below(f"{name}: its forces against its weight, mean",
                     abs((force + fluid).mean() / (density * volume * G) - 1), 0.01)
        near(checks, f"{name}: force, mean", np.array([force.mean()]), (density - WATER) * volume * G, limit=0.03)
        checks.below(f"{name}: gap, m", probes["line.gap"].max(), 1e-9)
        checks.below(f"{name}: away from its place, m", abs(last(probes, "ball.position.y", 0.5) - 0.3).max(), 1e-5)


# ---- bits ----


def bits(options, checks, folder):
    """For 1, 2 and 4 threads and after resume: a rope that water pulls taut, a limit, a motor, a rope in a splash."""
    cases = [("tether", tied(2, 24, 400, {"kind": "rope", "at": [0, -0.2, 0], "to": [0, 0, 0]}, 1)[0], 4),
             ("splash", in_splash(400, {"kind": "rope", "at": [0.45, 0.1, 0], "to": [0.5, 0.3, 0]}, 1), 6)]
    if not options.quickest:
        cases += [("limit", bar(400, {"limits": [-60, 2]}, 1, cells=24)[0], 8),
                  ("motor", bar(2000, {"motor": {"speed": 9, "max_torque": 20}}, 1, at=0, cells=24)[0], 8),
                  ("tether_3d", tied(3, 16, 400, {"kind": "rope", "at": [0, -0.2, 0], "to": [0, 0, 0]}, 1)[0], 4)]
    for name, scene, frames in cases:
        path = common.write_scene(folder, f"{name}.yaml", json.dumps(scene))
        same_bits(options, checks, folder, name, path, {}, frames)


if __name__ == "__main__":
    common.verify(__doc__, [hung, breaks, lever, released, stopped, grounded, stirrer, splashed, bits])
