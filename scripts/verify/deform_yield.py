#!/usr/bin/python3
"""Plasticity of deformable solids: bars that are pulled too far keep the part that the yield stretch says, and no more."""
import math

import common
import deform
from common import np
from deform import column, vector

AREA, YOUNG = 0.25 ** 2, 1e5


def length(probes, along=("tail", "head"), axis=0):
    return (vector(probes, f"{along[1]}.position") - vector(probes, f"{along[0]}.position"))[:, axis]


def kept(stretch, s):
    """F_p along a bar with free sides that is stretched at once: what of `stretch` is beyond s, or below 1/s."""
    return stretch / min(s, max(1 / s, stretch))


def check_let_go(options, checks, folder):
    """Let go, a bar of stretch L comes to rest at L/s, pressed to L at L s; its volume is what it was."""
    cases = [(2.0, 1.5, "neo_hookean"), (1.4, 1.5, "neo_hookean"), (3.0, 1.5, "neo_hookean"), (0.5, 1.5, "neo_hookean"),
             (1.5, 1.2, "corotated"), (1.5, 1.2, "st_venant_kirchhoff"), (0.8, 1.1, "neo_hookean")]
    for stretch, s, model in cases[:6] if options.quickest else cases:
        label = f"{model}, L {stretch:g}, s {s:g}"
        values = {"params/stretch": stretch, "params/s": s, "params/model": model}
        output = deform.run(options, folder, f"let go {label}", "yield", values)
        probes = output.probes()
        wanted = kept(stretch, s)
        checks.near(f"{label}: length that is left, m", length(probes)[-1], wanted, 0.1)
        checks.near(f"{label}: width that is left, m", length(probes, ("left", "right"), 2)[-1], 0.25 / math.sqrt(wanted), 0.1)
        checks.near(f"{label}: volume, m^3", column(probes, "free.volume")[-1], AREA, 0.01)
        energy = column(probes, "free.energy")
        checks.below(f"{label}: energy that is left, part of that at the start", energy[-1] / energy[0], 1e-6)
        momenta = np.abs(np.hstack([vector(probes, f"free.{name}") for name in ("momentum", "angular_momentum")])).max()
        checks.below(f"{label}: momenta, of mass times 1 m/s", momenta / (100 * AREA), 1e-9)


def loop_errors(output, stretch, s):
    """Greatest difference from the tension test in closed form, over the peak: going up, flowing, coming back."""
    probes = output.probes()
    t, force = column(probes, "time"), column(probes, "grip.force.x")
    out = np.argmax(t >= 1 - 1e-9)
    move = np.where(t < 1, (stretch - 1) * t, stretch - 1 - (stretch - stretch / s) * (t - 1))
    long = 1 + move  # of 1 m
    law = lambda x: YOUNG / 2 * (x - 1 / x) * AREA
    peak = law(s)
    flown = np.maximum(1, np.maximum.accumulate(long) / s)
    off = np.abs(force - law(long / flown) / flown) / peak
    up, settled = long[:out + 1] <= s - 1e-9, t > 1.3
    first = 4  # inertia of the first steps
    return off[:out + 1][up][first:].max(), off[:out + 1][~up].max(), off[settled].max()


def check_loop(options, checks, folder):
    """Force over length of a bar with free sides, nu 0: mu (l - 1/l)/F_p times the area, with F_p = L/s beyond s."""
    errors = []
    for fps in (24, 48):
        output = deform.run(options, folder, f"loop {fps}", "yield", {"params/fps": fps})
        up, flow, back = loop_errors(output, 2.0, 1.5)
        errors.append(flow)
        checks.below(f"{fps} steps a second: force going up, off, over the peak", up, 0.01)
        checks.below(f"{fps} steps a second: force coming back, off, over the peak", back, 0.001)
        checks.near(f"{fps} steps a second: volume at the end, m^3", column(output.probes(), "led.volume")[-1], AREA, 0.01)
    checks.below("48 steps a second: force of flow, off, over the peak", errors[1], 0.06)
    checks.above("force of flow: order in the step", math.log2(errors[0] / errors[1]), 0.8)


def check_spin(options, checks, folder):
    """A body that spins, swings and yields: energy falls by what yields, momenta stay."""
    for integrator, dt in (("newmark", 0), ("midpoint", 0.004)):
        values = {"deformable/integrator": integrator, "params/dt": dt, "params/pull": 0.3, "params/time": 0.5,
                  "deformable/bodies/blob/yield_stretch": 1.1}
        output = deform.run(options, folder, f"spin {integrator}", "blob", values)
        stats, probes = output.stats(), output.probes()
        energy = column(stats, "energy.total")
        rises = np.max(energy - np.minimum.accumulate(energy)) / energy[0]
        checks.below(f"{integrator}: rise of energy, part of it", rises, 1e-3 if integrator == "newmark" else 0.05)
        for name in ("momentum", "angular_momentum"):
            now = vector(probes, f"blob.{name}")
            checks.below(f"{integrator}: {name}, drift, part of it", np.abs(now - now[0]).max() / np.linalg.norm(now[0]),
                         1e-9 if integrator == "newmark" else 1e-8)
        checks.above(f"{integrator}: elements that yielded in a step, at most", column(stats, "elements.yielding").max(), 1)


if __name__ == "__main__":
    common.verify(__doc__, (check_let_go, check_loop, check_spin))
