#!/usr/bin/python3
"""Deformable solids as people first use them: bounces, belts, presses, thin tables, long steps, odd starts."""
import math
import os

import common
import deform
from common import np
from deform import column, vector

FLOOR = "{name: floor, motion: static, shape: {half_space: {size: [4, 4]}}"


def write(folder, name, text):
    path = os.path.join(folder, name + ".yaml")
    with open(path, "w", encoding="utf-8") as file:
        file.write("plimsoll: 1\n" + text)
    return path


def total(stats):
    return column(stats, "energy.total")


def check_long_steps(options, checks, folder):
    """Vibrations shorter than a step are not fed: energy of a free body never rises by more than the guard allows."""
    path = write(folder, "squashed", """
params: {s: 0.8, E: 5.0e+5, a: 0, integrator: midpoint, dt: 0}
duration: 1
gravity: [0, 0, 0]
time_step: {max_dt: "=dt"}
deformable:
  integrator: "=integrator"
  bodies:
    - {name: ball, shape: {ball: {radius: 0.08}}, spacing: 0.03, start: ["=x/sqrt(s)", "=y*s", "=z/sqrt(s)"], young: "=E",
       damping: "=a", angular_velocity: [0, 0, 2]}
""")
    cases = [(0.8, 0, 0), (0.8, 0.0005, 0), (3, 0, 0.01), (0.3, 0, 0.01), (0.8, 0, 0.1)]
    for s, a, dt in cases[:3] if options.quickest else cases:
        label = f"start of stretch {s:g}, damping {a:g} s, step {dt:g} (0: default)"
        stats = deform.run(options, folder, label, path, {"params/s": s, "params/a": a, "params/dt": dt}).stats()
        e = total(stats)
        checks.below(f"{label}: energy above its start, part of it", np.max(e) / e[0] - 1, 0.1)
        spin = column(stats, "angular_momentum.z")
        checks.below(f"{label}: angular momentum above its start, part of it", np.max(spin) / spin[0] - 1, 1e-3)
        checks.below(f"{label}: steps that did not converge, part of all",
                     np.mean(column(stats, "solve.deform.unconverged")), 0.05)


def check_bounces(options, checks, folder):
    """A ball on a thin table and on stairs: never through, never higher than it fell, energy never up by contact."""
    table = write(folder, "table", """
params: {h: 0.5, thick: 0.02}
duration: "=sqrt(2*h/9.81) + 0.5"
rigid: {bodies: [{name: table, motion: static, shape: {box: {size: [2, "=thick", 2]}}, position: [0, "=-thick/2", 0]}]}
deformable:
  bodies: [{name: ball, shape: {ball: {radius: 0.1}}, spacing: 0.04, position: [0, "=h + 0.1", 0], young: 1.0e+6, damping: 0.001}]
probes: [{name: ball, quantities: [center, velocity]}]
""")
    for h in (0.5, 2) if options.quickest else (0.5, 1, 2, 5):
        output = deform.run(options, folder, f"table {h}", table, {"params/h": h})
        center, e = vector(output.probes(), "ball.center"), total(output.stats())
        checks.below(f"ball dropped {h:g} m on a table of 2 cm: energy above its start, part of it", np.max(e) / e[0] - 1, 0.02)
        checks.below(f"ball dropped {h:g} m: sideways, m", np.max(np.abs(center[:, [0, 2]])), 0.02)
        checks.true(f"ball dropped {h:g} m: stays above", np.min(center[:, 1]) > 0.02, f"{np.min(center[:, 1]):.4g} m")
    stairs = write(folder, "stairs", """
duration: 1.2
rigid:
  bodies:
    - {name: step, motion: static, shape: {box: {size: [0.3, 2, 1]}}, position: ["=0.3*n", "=-1 - 0.2*n", 0],
       repeat: {count: 6, spacing: [0, 0, 0]}}
deformable:
  bodies:
    - {name: ball, shape: {ball: {radius: 0.08}}, spacing: 0.03, position: [0, 0.3, 0], velocity: [0.8, 0, 0], young: 5.0e+5,
       damping: 0.0005}
probes: [{name: ball, quantities: [center]}]
""")
    stats = deform.run(options, folder, "stairs", stairs).stats()
    e = total(stats)
    checks.below("ball on stairs: energy above its start, part of it", np.max(e) / e[0] - 1, 0.1)
    checks.below("ball on stairs: inverted elements", np.max(column(stats, "elements.inverted")), 0)


def check_belts(options, checks, folder):
    """Up to the speed of a belt in v / (mu g); the force of a press is E A times the strain; landings by Coulomb's law."""
    belt = write(folder, "belt", """
duration: 1
rigid:
  bodies:
    - {name: belt, motion: static, shape: {box: {size: [4, 0.2, 1]}}, position: [1, -0.1, 0], surface_velocity: [1, 0, 0], friction: 0.3}
deformable:
  bodies:
    - {name: block, shape: {box: {size: [0.2, 0.1, 0.2]}}, cells: [4, 2, 4], position: [0, 0.05, 0], young: 1.0e+6, damping: 0.002,
       friction: 0.3}
probes: [{name: block, quantities: [velocity, contact_force]}]
""")
    probes = deform.run(options, folder, "belt", belt).probes()
    t, v = column(probes, "time"), column(probes, "block.velocity.x")
    checks.below("block on a belt: speed against mu g t up to 1 m/s, m/s",
                 np.max(np.abs(v - np.minimum(0.3 * 9.81 * t, 1))), 0.02)
    weight = 0.004 * 1000 * 9.81
    checks.below("block on a belt: mean contact force over its weight, off 1",
                 abs(np.mean(column(probes, "block.contact_force.y")[5:]) / weight - 1), 0.02)
    press = write(folder, "press", f"""
duration: 2
gravity: [0, 0, 0]
rigid:
  bodies:
    - {FLOOR}, friction: 0}}
    - {{name: piston, motion: kinematic, shape: {{cylinder: {{radius: 0.5, height: 0.1}}}},
       position: [0, "=0.251 - 0.041*smoothstep(0, 1, t)", 0], friction: 0}}
deformable:
  bodies:
    - {{name: foam, shape: {{box: {{size: [0.2, 0.2, 0.2]}}}}, cells: [4, 4, 4], position: [0, 0.1, 0], density: 50, young: 2.0e+4,
       poisson: 0, model: corotated, friction: 0, damping: 0.01}}
probes: [{{name: foam, quantities: [energy, volume]}}]
""")
    probes = deform.run(options, folder, "press", press).probes()
    checks.below("pressed by a fifth: energy against E V eps^2 / 2, part of it",
                 abs(column(probes, "foam.energy")[-1] / (0.5 * 2e4 * 0.008 * 0.04) - 1), 0.005)
    landing = write(folder, "landing", f"""
params: {{integrator: midpoint, dt: 0}}
duration: 1
time_step: {{max_dt: "=dt"}}
rigid: {{bodies: [{FLOOR}, position: [0, -1, 0], friction: 0.2}}]}}
deformable:
  integrator: "=integrator"
  bodies: [{{name: dot, particle: {{}}, mass: 0.1, velocity: [2, 3, 0], friction: 0.2}}]
probes: [{{name: dot, quantities: [velocity]}}]
""")
    # It lands with v_y at t1; Coulomb takes mu |v_y| off v_x, then mu g a second.
    down = -math.sqrt(9 + 2 * 9.81)
    expected = 2 + 0.2 * down - 0.2 * 9.81 * (1 - (3 - down) / 9.81)
    for integrator in ("midpoint", "backward_euler", "newmark"):
        for dt in (0, 0.003):
            probes = deform.run(options, folder, f"landing {integrator} {dt}", landing,
                                {"params/integrator": integrator, "params/dt": dt}).probes()
            off = abs(column(probes, "dot.velocity.x")[-1] - expected)
            checks.below(f"particle that lands and slides, {integrator}, step {dt:g}: speed off, m/s", off, 0.01)


def check_pressure(options, checks, folder):
    """A cube under pressure from all sides shrinks evenly: mu (s - 1/s) + 3 lambda ln(s)/s = -p s^2."""
    path = write(folder, "pressed", """
params: {p: 1.0e+4, n: 3, integrator: static}
duration: 0.4
fps: 5
gravity: [0, 0, 0]
deformable:
  integrator: "=integrator"
  bodies:
    - name: cube
      shape: {box: {size: [0.2, 0.2, 0.2]}}
      cells: ["=n", "=n", "=n"]
      young: 1.0e+5
      poisson: 0.3
      damping: 0.02
      loads: [{name: sea, in: {box: {size: [1, 1, 1]}}, pressure: "=p"}]
      pins:
        - {name: a, near: [-0.1, -0.1, -0.1]}
        - {name: b, near: [0.1, -0.1, -0.1], axes: yz}
        - {name: c, near: [-0.1, 0.1, -0.1], axes: z}
probes: [{name: cube, quantities: [volume]}, {name: sea, quantities: [force]}]
""")
    mu, lam = 1e5 / 2.6, 1e5 * 0.3 / (1.3 * 0.4)
    for p in (2e3, 1e4, -2e4):
        s = deform.root(lambda s, p=p: mu * (s - 1 / s) + 3 * lam * math.log(s) / s + p * s * s, 0.5, 1.5)
        for integrator in ("static",) if options.quickest else ("static", "backward_euler"):
            probes = deform.run(options, folder, f"pressed {p:g} {integrator}", path,
                                {"params/p": p, "params/integrator": integrator}).probes()
            checks.near(f"cube under {p:g} Pa, {integrator}: volume, m^3", column(probes, "cube.volume")[-1],
                        0.008 * s**3, 0.1 if integrator == "static" else 1)
            checks.below(f"cube under {p:g} Pa, {integrator}: force of all pressure, N",
                         np.max(np.abs(vector(probes, "sea.force")[-1])), 1e-6)


def check_starts(options, checks, folder):
    """Turned, stiff, copied, badly held, buried."""
    turned = write(folder, "turned", """
duration: 0.1
gravity: [0, 0, 0]
deformable:
  bodies: [{name: b, shape: {box: {}}, cells: [2, 2, 2], young: 1.0e+5, model: linear, orientation: {axis: [0, 1, 0], angle: 37}}]
probes: [{name: b, quantities: [energy]}]
""")
    energy = column(deform.run(options, folder, "turned", turned).probes(), "b.energy")
    checks.below("linear law, turned by its orientation: energy, J", np.max(energy), 1e-12)
    bar = write(folder, "bar", """
params: {E: 1.0e+6, rho: 1000}
fps: 1
deformable:
  integrator: static
  bodies:
    - {name: bar, shape: {box: {size: [0.1, 1, 0.1]}}, cells: [2, 10, 2], density: "=rho", young: "=E",
       pins: [{name: top, in: {place: {shape: {box: {size: [1, 0.01, 1]}}, position: [0, 0.5, 0]}}}],
       points: [{name: low, near: [0, -0.5, 0]}]}
probes: [{name: top, quantities: [force]}, {name: low, quantities: [position]}]
""")
    for young, rho in ((1e6, 1000), (1e11, 1), (1e11, 7800), (1e4, 1)):
        probes = deform.run(options, folder, f"bar {young:g} {rho}", bar, {"params/E": young, "params/rho": rho}).probes()
        checks.below(f"hanging bar, E {young:g} Pa, {rho} kg/m^3: force of the pin over its weight, off 1",
                     abs(column(probes, "top.force.y")[-1] / (0.01 * rho * 9.81) - 1), 0.002)
    copies = write(folder, "copies", f"""
duration: 0.5
rigid: {{bodies: [{FLOOR}}}]}}
deformable:
  bodies:
    - {{name: cube, shape: {{box: {{size: [0.05, 0.05, 0.05]}}}}, cells: [1, 1, 1], position: [0, 0.2, 0], young: "=1e4*(1 + n)",
       damping: 0.005, repeat: {{grid: [2, 2, 2], spacing: [0.2, 0.1, 0.2], tilt: 40}}, points: [{{name: c, near: [0, 0, 0]}}]}}
probes: [{{name: c7, object: cube_7_c, quantities: [position]}}]
""")
    height = column(deform.run(options, folder, "copies", copies).probes(), "c7.position.y")
    checks.true("a point of a copy falls, and stays above the floor", -1e-6 < height[-1] < height[0], f"{height[-1]:.4g} m")
    loose = write(folder, "loose", """
fps: 1
deformable:
  integrator: static
  bodies:
    - {name: bar, shape: {box: {size: [1, 0.1, 0.1]}}, cells: [10, 1, 1], young: 1.0e+4,
       pins: [{name: nail, near: [0, 0.05, 0.05], axes: x}]}
""")
    result = common.call(options.program, "run", loose, "--out", os.path.join(folder, "loose"), *common.threads(1))
    checks.true("static, not held: stops and says why", result.code == 1 and "no equilibrium" in result.stderr,
                result.last_words())
    buried = write(folder, "buried", f"""
duration: 0.1
rigid: {{bodies: [{FLOOR}}}]}}
deformable: {{bodies: [{{name: gel, shape: {{ball: {{radius: 0.1}}}}, spacing: 0.05, young: 1.0e+4}}]}}
""")
    result = common.call(options.program, "run", buried, "--out", os.path.join(folder, "buried"), *common.threads(1))
    checks.true("starts inside a floor: is told", result.code == 0 and "starts 0.1 m deep inside" in result.stderr,
                result.last_words())


if __name__ == "__main__":
    common.verify(__doc__, (check_long_steps, check_bounces, check_belts, check_pressure, check_starts))
