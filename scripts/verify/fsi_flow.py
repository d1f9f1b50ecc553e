#!/usr/bin/python3
"""Viscosity and pressure in one solve around a fixed cylinder, against the split solver and published figures."""
import common
import flow
import flow_obstacles
import fsi
from common import np

# ---- the laminar start (F7) ----


def at_probe(options, folder, scene, n):
    probes = fsi.run(options, folder, "start", scene, {"params/n": n}).probes()
    return [probes["wake.velocity." + c][-1] for c in "xy"]


def check_laminar_start(options, checks, folder):
    """As the document does: one solve on coarser grids against the split solver on a fine one."""
    sizes = [20, 40, 80] if options.quick else [40, 80, 160, 320]
    finest = 160 if options.quickest else 320 if options.quick else 640
    split = at_probe(options, folder, "fluid/laminar_start.yaml", finest)
    found = {n: at_probe(options, folder, "fsi/laminar_start.yaml", n) for n in sizes}
    for n in sizes:
        checks.note(f"laminar_start {n}^2: u {found[n][0]:.6f}, v {found[n][1]:.6f}; split at {finest}^2 "
                    f"u {split[0]:.6f}, v {split[1]:.6f}")
    for i, letter in enumerate("uv"):
        errors = [abs(found[n][i] - split[i]) for n in sizes]
        checks.note(f"laminar_start {letter}: orders " +
                    ", ".join(f"{o:.2f}" for o in flow.orders(sizes, errors)) + " (seed 0.89 for u, 1.07 for v)")
        order = fsi.fitted_order(sizes, errors)
        if options.quick:
            checks.note(f"laminar_start {letter}: fitted order {order:.2f} on coarse grids")
        else:
            checks.above(f"laminar_start {letter} order against the split solver at {finest}^2, fitted, grids "
                         f"{sizes[0]} to {sizes[-1]}", order, 0.8)
        checks.below(f"laminar_start {letter} at {sizes[-1]}^2 from the split solver at {finest}^2, of the stream",
                     errors[-1], 0.01)


# ---- the vortex street (F6) ----


def check_vortex_street(options, checks, folder):
    if options.quick:
        return
    label = "vortex_street 400 x 160 cells"
    probes = fsi.run(options, folder, "street", "fsi/vortex_street.yaml", {"duration": 80, "fps": 0.5}).probes()
    time, lift, drag = probes["time"], probes["cylinder.fluid_force.y"], probes["cylinder.fluid_force.x"]
    late = time > 0.55 * time[-1]
    found = flow_obstacles.periods(time[late], lift[late])
    checks.true(f"{label} all figures finite", np.all(np.isfinite(probes.values)))
    checks.note(f"{label}: drag coefficient {2 * np.mean(drag[late]):.4f}, lift coefficient from "
                f"{2 * lift[late].min():.3f} to {2 * lift[late].max():.3f}, periods {np.round(found, 3)}")
    checks.above(f"{label} whole periods counted", len(found), 4)
    strouhal = 1 / np.mean(found)
    checks.true(f"{label} Strouhal number", 0.155 <= strouhal <= 0.175,
                f"{strouhal:.4f} expected 0.155 to 0.175 (seed 0.160)")
    checks.below(f"{label} spread of the periods, relative", np.ptp(found) / np.mean(found), 0.05)
    other = flow_obstacles.periods(time[late], probes["wake.velocity.y"][late])
    checks.near(f"{label} period in the wake against that of the lift", np.mean(other), np.mean(found), 2)


def main():
    options = common.arguments(__doc__)
    checks = common.Checks()
    with common.temporary() as folder:
        for check in (check_laminar_start, check_vortex_street):
            check(options, checks, folder)
    checks.finish()


if __name__ == "__main__":
    main()
