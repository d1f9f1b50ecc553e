#!/usr/bin/python3
"""Thin rigid shells that pile up, and exact rigid bodies under sheets: nothing crosses, in whole numbers; piles rest."""
import os

import common
import deform
import intersections
from common import np

# ---- where triangles are ----


def read_obj(path, scale=1.0):
    points, triangles = [], []
    with open(path) as file:
        for line in file:
            words = line.split()
            if words[:1] == ["v"]:
                points.append([float(w) for w in words[1:4]])
            elif words[:1] == ["f"]:
                triangles.append([int(w.split("/")[0]) - 1 for w in words[1:4]])
    return scale * np.array(points), np.array(triangles)


def about_centre(points, triangles):
    """A shell about its centre of mass, which is that of its area."""
    a, b, c = (points[triangles[:, k]] for k in range(3))
    area = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    return points - (area[:, None] * (a + b + c) / 3).sum(axis=0) / area.sum()


def box(size):
    """Corners and triangles of a box about its middle."""
    x = np.array([[i, j, k] for i in (-.5, .5) for j in (-.5, .5) for k in (-.5, .5)]) * size
    sides = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return x, np.array([t for a, b, c, d in sides for t in ((a, b, c), (a, c, d))])


def poses(path):
    data = common.datasets(path)
    return data["rigid/position"].reshape(-1, 3), data["rigid/orientation"].reshape(-1, 4)


def placed(path, meshes):
    """World places and triangles of bodies, {number: (points, triangles)}, in a state; and whose each triangle is."""
    position, orientation = poses(path)
    points, triangles, owner, first = [], [], [], 0
    for number, (x, t) in meshes.items():
        points.append(position[number] + x @ common.quat_matrix(orientation[number]).T)
        triangles.append(t + first)
        owner.append(np.full(len(t), number))
        first += len(x)
    return np.concatenate(points), np.concatenate(triangles), np.concatenate(owner)


# ---- gate 8: bowls dropped on one another ----


def bowls_of(count, radius):
    x, t = read_obj(common.scene_path("meshes/cap.obj"), radius)
    return {1 + n: (about_centre(x, t), t) for n in range(count)}


def run(options, folder, name, path, values, *words):
    return deform.run(options, folder, name, path, values, "--state-every", "1", "--keep-states", *words)


def judge_pile(checks, label, output, meshes, size):
    """No crossing pair in any state; in the last second no point of a bowl moves by 1% of its size."""
    numbers, found = output.numbered("state"), 0
    for number in numbers:
        x, t, _ = placed(output.state(number), meshes)
        found += len(intersections.crossings(x, t))
    checks.true(f"{label}: no crossing pair in {len(numbers)} states", found == 0, f"{found} pairs")
    stats = output.stats()
    time = stats["time"]
    when = {n: float(np.ravel(common.datasets(output.state(n))["clock/time"])[0]) for n in numbers}
    last = [n for n in numbers if when[n] >= time[-1] - 1 - 1e-9]
    start = placed(output.state(last[0]), meshes)[0]
    moved = max(np.max(np.linalg.norm(placed(output.state(n), meshes)[0] - start, axis=1)) for n in last)
    checks.below(f"{label}: motion in the last second, of a bowl's width", moved / size, 0.01)
    x, _, _ = placed(output.state(), meshes)
    checks.true(f"{label}: above the floor", x[:, 1].min() > -0.002, f"lowest point {x[:, 1].min():.2g} m")
    checks.note(f"{label}: shells.hits in {int(np.sum(stats['shells.hits'] > 0))} of {len(time)} steps, moved as one in "
                f"{int(np.sum(stats['shells.joined'] > 0))}, stood still in {int(np.sum(stats['shells.still'] > 0))}")


def check_bowls(options, checks, folder):
    width = 2 * 0.25 * np.sin(np.radians(45))
    count, time = (5, 3) if options.quickest else (20, 6)
    output = run(options, folder, "bowls", common.scene_path("rigid/shells.yaml"),
                 {"params/count": count, "params/time": time})
    judge_pile(checks, f"{count} bowls", output, bowls_of(count, 0.25), width)
    if options.quick:
        return
    others = {"any side up": {"params/tilt": 180, "params/gap": 0.55, "params/time": 8},
              "walls of 2 mm": {"params/wall": 0.002}, "steps of 4 ms": {"time_step/max_dt": 0.004}}
    for label, values in others.items():
        output = run(options, folder, label.replace(" ", "_"), common.scene_path("rigid/shells.yaml"), values)
        judge_pile(checks, f"20 bowls, {label}", output, bowls_of(20, 0.25), width)


# ---- exact bodies under sheets ----

PLATE = """\
plimsoll: 1
name: plate
duration: {time}
fps: 60
time_step: {{max_dt: "=1/60"}}
rigid:
  bodies:
    - {{name: plate, {plate}, exact: {exact}, friction: 0.5}}
deformable:
  integrator: backward_euler
  bodies:
    - {{name: cloth, sheet: {{size: [0.6, 0.6], cells: [12, 12], cut: herring_bone}}, position: [0.01, 0.05, 0.02],
       area_density: 0.2, stretch: 200, damping: 0.01, friction: 0.5}}
"""

BOX = "shape: {box: {size: [0.4, 0.001, 0.4]}}"


def plate_run(options, folder, name, plate, exact=True, time=1.0):
    text = PLATE.format(plate=plate, exact="true" if exact else "false", time=time)
    return run(options, folder, name, common.write_scene(folder, name + ".yaml", text), None)


def judge_plate(output, mesh):
    """How many pairs cross in all states, and by how much the highest node is above the plate at last."""
    found = 0
    for number in output.numbered("state"):
        x, t, _ = placed(output.state(number), {0: mesh})
        (sheet, faces), = intersections.surfaces_of_state(output.state(number)).values()
        found += len(intersections.crossings(np.concatenate([x, sheet]), np.concatenate([t, faces + len(x)])))
    return found, deform.nodes(output)[:, 1].max() - poses(output.state())[0][0][1]


def open_plate(folder, cells=3):
    """A square with a side of 0.4 m as an OBJ file, and what is in it."""
    x, t = intersections.sheet(cells)
    x = 0.4 * (np.asarray(x)[:, [0, 2, 1]] - [0.5, 0, 0.5])
    path = os.path.join(folder, "square.obj")
    with open(path, "w") as file:
        file.writelines(f"v {a:.17g} {b:.17g} {c:.17g}\n" for a, b, c in x)
        file.writelines(f"f {a + 1} {b + 1} {c + 1}\n" for a, b, c in t)
    return path, (x, np.asarray(t))


def check_exact(options, checks, folder):
    half = 0.25 * 0.6 / 12 # at most: half a thickness, a quarter of an edge up to a diagonal's
    path, square = open_plate(folder)
    solid = box([0.4, 0.001, 0.4])
    rising = f"{BOX}, motion: kinematic, position: [0, \"=2*t\", 0]"
    cases = [("a plate 1 mm thick", BOX + ", motion: static", solid),
             ("an open surface", f"shape: {{file: {{path: {path}, shell: 0.001}}}}, motion: static", square),
             ("a plate that rises by 2 m/s", rising, solid)]
    time = 0.25 if options.quickest else 1.0
    for label, plate, mesh in cases[-1 if options.quickest else 0:]:
        output = plate_run(options, folder, label.replace(" ", "_").replace("/", "_"), plate, time=time)
        found, above = judge_plate(output, mesh)
        checks.true(f"{label}: no crossing pair", found == 0, f"{found} pairs")
        checks.true(f"{label}: carries the sheet", 0 < above < 2 * half, f"{1000 * above:.2f} mm above its middle")
    found, above = judge_plate(plate_run(options, folder, "by_distance", rising, exact=False, time=min(time, 0.12)), solid)
    checks.true("without exact the rising plate passes through the sheet", found > 0 or above < 0,
                f"{found} pairs, {above:.2g} m")


if __name__ == "__main__":
    common.verify(__doc__, [check_bowls, check_exact])
