#!/usr/bin/python3
"""Water that lets go of walls, lids and obstacles (`separation`), and what holds on without it."""
import math

import common
import fsi
from common import h5py, np, verify
from water import G, Liquid, volume_change

SIZE, THICKNESS = 2.0, 0.25 # m, of the tank along gravity and of the layer at its end


# ---- a layer that hangs under a lid ----


def hanging(axis, end, cells, dim=2, lets_go=True, thickness=THICKNESS):
    """A layer at rest under the lid of a tank, half as wide as this; down is away from the end of an axis."""
    down = -1 if end else 1

    def vector(along, across, deep=None):
        """`deep`: along z where that has no extent."""
        values = [along if a == axis else across for a in range(3)]
        if dim == 2 and deep is not None:
            values[2] = deep
        return ", ".join(map(repr, values))

    return f"""plimsoll: 1
name: hanging
dim: {dim}
duration: 0.5
fps: 50
gravity: [{vector(down * G, 0.0)}]
fluid:
  domain: {{low: [0, 0, 0], high: [{vector(SIZE, 1.0)}]}}
  cells: {cells}
  liquid:
    separation: {'true' if lets_go else 'false'}
    shapes:
      - place: {{shape: {{box: {{size: [{vector(2 * thickness, 0.5, 2.0)}]}}}}, position: [{vector(end * SIZE, 0.5)}]}}
probes:
  - {{name: water, object: fluid, quantities: [volume, center]}}
"""


def fallen(output, axis, end):
    """Times, how far the middle of the liquid is from the lid, and the part of it that is still in the layer's
    place, from the frames."""
    found = []
    for number in output.numbered("frame"):
        liquid = Liquid(output, number)
        parts = liquid.parts()
        along = parts.sum(axis=tuple(a for a in range(3) if a != axis))
        at = liquid.origin[axis] + (np.arange(len(along)) + 0.5) * liquid.spacing
        depth = SIZE - at if end else at
        found.append((liquid.time, np.sum(along * depth) / np.sum(along),
                      np.sum(along[depth < THICKNESS]) / np.sum(along)))
    return np.array(found).T


def check_lids(options, checks, folder):
    cases = [(1, 1, 64, 2), (0, 0, 50, 2)]
    cases += [] if options.quick else [(1, 1, 91, 2), (1, 0, 64, 2), (0, 1, 77, 2), (1, 1, 36, 3), (2, 0, 32, 3)]
    for axis, end, cells, dim in cases:
        name = f"layer under the {('low', 'high')[end]} end of {'xyz'[axis]}, {cells} cells, {dim}D"
        runs = {}
        for lets_go in (True, False):
            path = common.write_scene(folder, "hanging.yaml", hanging(axis, end, cells, dim, lets_go))
            output = fsi.run(options, folder, "hanging", path)
            runs[lets_go] = fallen(output, axis, end)
            if lets_go:
                checks.below(f"{name}: change of the volume, %", 100 * abs(volume_change(output.stats())), 2)
                probes = output.probes()
                own = np.interp(runs[True][0], probes["time"], probes[f"water.center.{'xyz'[axis]}"])
                apart = np.max(np.abs((SIZE - own if end else own) - runs[True][1]))
                checks.below(f"{name}: probed centre from that of the frames, cells", apart * cells / SIZE, 0.1)
        time, depth, left = runs[True]
        some = time > 0.2
        late = time - np.sqrt(2 * (depth - depth[0]).clip(0) / G)
        checks.below(f"{name}: falls behind free fall, s", np.max(np.abs(late[some])), 0.05)
        checks.below(f"{name}: still in its place at t = {time[-1]:.2g} s, %", 100 * left[-1], 1)
        moment = np.searchsorted(time, 0.3)
        goes, clings = left[moment], runs[False][2][moment]
        checks.true(f"{name}: without separation more hangs on, at t = {time[moment]:.2g} s", clings > goes + 0.03,
                    f"{100 * clings:.1f}%, with it {100 * goes:.1f}%")


def check_films(options, checks, folder):
    """Layers of one or two cells: no cell of theirs has a pressure of its own."""
    for cells, thickness in ((64, 0.04),) if options.quick else ((64, 0.04), (64, 0.06), (50, 0.06), (91, 0.03)):
        name = f"film of {thickness * cells / SIZE:.2f} cells under a lid, {cells} cells"
        path = common.write_scene(folder, "film.yaml", hanging(1, 1, cells, thickness=thickness))
        time, depth, left = fallen(fsi.run(options, folder, "film", path), 1, 1)
        late = time[-1] - math.sqrt(2 * (depth[-1] - depth[0]) / G)
        checks.below(f"{name}: falls behind free fall by t = {time[-1]:.2g} s, s", abs(late), 0.1)
        checks.below(f"{name}: still in its place, %", 100 * left[-1], 5)


# ---- what was thrown at a ball ----

BALL = """plimsoll: 1
name: thrown
params: {n: 64, separation: true, middle: 0.5}
dim: 2
duration: 0.6
fps: 50
fluid:
  domain: {low: [0, 0, 0], high: [1, 2, 0.5]}
  cells: "=n"
  initial: {velocity: [0, 4, 0]}
  obstacles:
    - place: {shape: {ball: {radius: 0.3}}, position: ["=middle", 1.5, 0]}
  liquid:
    separation: "=separation"
    shapes:
      - place: {shape: {box: {size: [0.5, 0.25, 2]}}, position: ["=middle", 0.7, 0.25]}
probes:
  - {name: water, object: fluid, quantities: [volume, center]}
"""


def check_ball(options, checks, folder):
    """Water thrown up at a ball comes off it; without separation it hangs on."""
    for n, x in ((64, 0.5),) if options.quick else ((64, 0.5), (80, 0.5), (57, 0.47)):
        path = common.write_scene(folder, "ball.yaml", BALL)
        height = {}
        for lets_go in (True, False):
            output = fsi.run(options, folder, "ball", path, {"params/n": n, "params/middle": x,
                                                             "params/separation": str(lets_go).lower()})
            liquid = Liquid(output, output.numbered("frame")[-1])
            along = liquid.parts().sum(axis=(0, 2))
            at = liquid.origin[1] + (np.arange(len(along)) + 0.5) * liquid.spacing
            height[lets_go] = np.sum(along * at) / np.sum(along)
            if lets_go:
                checks.below(f"ball at {x:g}, {n} cells: change of the volume, %",
                             100 * abs(volume_change(output.stats())), 10)
        checks.true(f"ball at {x:g}, {n} cells: lower than what hangs on by a radius at least",
                    height[False] - height[True] > 0.3, f"{height[True]:.3f} m and {height[False]:.3f} m")


# ---- where nothing pulls ----


def check_nothing_pulls(options, checks, folder):
    """At rest, and while a dam breaks until its tongue meets the wall, separation changes nothing."""
    for name, scene, values in (("rest, tilted", "fluid/hydrostatic.yaml", {"params/tilt": 25}),
                                ("rest in a trough", "fluid/hydrostatic.yaml", {"params/depth": 0.53}),
                                ("dam", "fluid/dam_break.yaml", {"params/n": 48})):
        runs = [fsi.run(options, folder, "pull", scene, {**values, "fluid/liquid/separation": word}).stats()
                for word in ("false", "true")]
        if name == "dam":
            time = min(run["time"][-1] for run in runs)
            apart = abs(np.interp(0.5 * time, runs[0]["time"], runs[0]["energy.kinetic"])
                        / np.interp(0.5 * time, runs[1]["time"], runs[1]["energy.kinetic"]) - 1)
            checks.below(f"{name}: kinetic energy half way, apart", apart, 1e-9)
        else:
            checks.below(f"{name}: greatest speed in sqrt(g h)",
                         runs[1]["speed.max"].max() / math.sqrt(G * 0.53), 1e-3)


def check_same(options, checks, folder):
    """The same bits for any threads and after a restart, with cells that are loose in between."""
    path = common.write_scene(folder, "ball.yaml", BALL)
    runs = [common.run(options.program, path, f"{folder}/same{threads}", {"params/n": 40}, "--threads", threads,
                       "--frames", 30, "--state-every", 10, "--keep-states") for threads in (1, 2, 4)]
    with h5py.File(runs[0].state(20), "r") as file:
        loose = int(np.sum(file["fluid/loose"][()]))
    checks.true("some cells are loose when the state is written", loose > 0, f"{loose}")
    for threads, output in zip((2, 4), runs[1:]):
        names = common.different(runs[0].state(30), output.state(30))
        checks.true(f"ball, {threads} threads: the same state", not names, ", ".join(names) or "equal")
    result = common.call(options.program, "resume", runs[1].folder, "--from-frame", 20, "--frames", 30, "--quiet")
    names = common.different(runs[0].state(30), runs[1].state(30))
    checks.true("ball, resumed at frame 20: the same state", result.code == 0 and not names,
                ", ".join(names) or f"exit code {result.code}")


def main():
    verify(__doc__, (check_lids, check_films, check_ball, check_nothing_pulls, check_same))


if __name__ == "__main__":
    main()
