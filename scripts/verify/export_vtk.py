#!/usr/bin/python3
"""VTK's XML files against the frames they come from, read by a parser of our own (vtk_xml.py), by VTK and by meshio."""
import os

import common
import export_case as case
import vtk_xml
from common import np



def exported(options, folder, *words):
    return case.export(options, case.run(options, folder), "vtk", *words)


def volume_groups(frame):
    return [name for name in frame.groups if "spacing" in frame.groups[name]]


def check_collections(options, checks, folder):
    """Each group has a collection with the frames' times; each file says its own."""
    output = case.run(options, folder)
    target = exported(options, folder)
    times = [case.Frame(output, number).time for number in case.frames(output)]
    names = sorted(name for name in os.listdir(target) if name.endswith(".pvd"))
    wanted = sorted(f"{name}.pvd" for name in case.Frame(output, 0).groups)
    checks.true("a collection for each group of the frames", names == wanted, " ".join(names))
    for name in names:
        found = vtk_xml.collection(os.path.join(target, name))
        good = [time for time, _ in found] == times and all(
            vtk_xml.Grid(path).fields["TimeValue"] == time for time, path in found)
        checks.true(f"{name}: times of the frames", good)


def check_bodies(options, checks, folder):
    output = case.run(options, folder)
    target = exported(options, folder)
    for group, bodies in (("rigid", case.RIGID), ("deformable", ("jelly", "flag"))):
        same, colors, names = True, True, True
        for number in case.frames(output):
            frame = case.Frame(output, number)
            grid = vtk_xml.Grid(os.path.join(target, f"{group}_{number:05d}.vtu"))
            objects = {field[7:]: int(value) for field, value in grid.fields.items() if field.startswith("object.")}
            names &= objects == {name: frame.names(group).index(name) for name in bodies}
            same &= set(grid.values["object"].tolist()) == set(objects.values())
            for name in bodies:
                vertices, velocities, triangles = frame.body(group, name)
                cells = grid.cells[grid.values["object"] == objects[name]]
                first = cells.min()
                same &= np.array_equal(cells - first, triangles)
                same &= np.array_equal(grid.points[first:first + len(vertices)].astype("<f4"), vertices)
                same &= np.array_equal(grid.values["velocity"][first:first + len(vertices)], velocities)
                wanted = np.floor(255 * np.clip(frame[f"{group}/colors"][objects[name]], 0, 1) + 0.5)
                colors &= bool(np.all(grid.values["color"][grid.values["object"] == objects[name]] == wanted))
        checks.true(f"{group}: bodies by name, no ground", names)
        checks.true(f"{group}: triangles, vertices and velocities of all frames, to the float", same)
        checks.true(f"{group}: colours", colors)


def check_liquids(options, checks, folder):
    output = case.run(options, folder)
    target = exported(options, folder)
    for group in case.SERIES:
        same = True
        for number in case.frames(output):
            frame, grid = case.Frame(output, number), vtk_xml.Grid(os.path.join(target, f"{group}_{number:05d}.vtu"))
            same &= np.array_equal(grid.points.astype("<f4"), frame[f"{group}/vertices"])
            same &= np.array_equal(grid.values["velocity"], frame[f"{group}/velocities"])
            same &= np.array_equal(grid.cells, frame[f"{group}/triangles"])
        checks.true(f"{group}: all frames, to the float", same)
    same = True
    for number in case.frames(output):
        frame, grid = case.Frame(output, number), vtk_xml.Grid(os.path.join(target, f"spray.spray_{number:05d}.vtu"))
        for name, wanted in (("velocity", "velocities"), ("radius", "radii")):
            same &= np.array_equal(grid.values[name], frame[f"spray.spray/{wanted}"])
        same &= np.array_equal(grid.points.astype("<f4"), frame["spray.spray/positions"])
        same &= np.array_equal(grid.cells.ravel(), np.arange(len(grid.points)))
    checks.true("drops: places, velocities, radii of all frames, to the float", same)


def check_volumes(options, checks, folder):
    output = case.run(options, folder)
    target = exported(options, folder)
    for group in volume_groups(case.Frame(output, 0)):
        same, place = True, True
        for number in case.frames(output):
            frame, image = case.Frame(output, number), vtk_xml.Grid(os.path.join(target, f"{group}_{number:05d}.vti"))
            told = frame.groups[group]
            n = [int(told[f"n{axis}"]) for axis in "xyz"]
            place &= image.extent == [0, n[0], 0, n[1], 0, n[2]] and bool(np.all(image.spacing == told["spacing"]))
            place &= np.array_equal(image.origin, [told[f"origin_{axis}"] for axis in "xyz"])
            arrays = [name.split("/")[1] for name in frame.arrays if name.startswith(group + "/")]
            same &= sorted(arrays) == sorted(image.values)
            for name in arrays:
                same &= np.array_equal(image.values[name].ravel(), frame[f"{group}/{name}"].ravel())
        checks.true(f"{group}: {', '.join(sorted(image.values))} of all frames, to the float", same)
        checks.true(f"{group}: extent, origin and spacing", place)


def check_space(options, checks, folder):
    """Centimetres, z up: every cell's value is found at the turned place."""
    output, number = case.run(options, folder), 5
    target = exported(options, folder, "--frame", number, "--scale", 100, "--up", "z", "--out",
                      os.path.join(folder, "turned"))
    frame = case.Frame(output, number)
    turned = lambda v: 100 * np.asarray(v, dtype=float)[..., [0, 2, 1]] * [1, -1, 1]
    for group in volume_groups(frame):
        image, told = vtk_xml.Grid(os.path.join(target, f"{group}_{number:05d}.vti")), frame.groups[group]
        n = [int(told[f"n{axis}"]) for axis in "xyz"]
        k, j, i = np.meshgrid(*(np.arange(count) for count in n[::-1]), indexing="ij")
        place = np.stack([i, j, k], axis=-1) + 0.5
        place = turned(place * told["spacing"] + [told[f"origin_{axis}"] for axis in "xyz"])
        cell = np.floor((place - image.origin) / image.spacing).astype(int).reshape(-1, 3)
        m = [image.extent[1], image.extent[3], image.extent[5]]
        at = cell[:, 0] + m[0] * (cell[:, 1] + m[1] * cell[:, 2])
        good = m == [n[0], n[2], n[1]] and np.array_equal(np.sort(at), np.arange(np.prod(n)))
        good &= np.array_equal(image.values["pressure"][at], frame[f"{group}/pressure"].ravel())
        velocity = frame[f"{group}/velocity"].reshape(-1, 3)
        good &= np.allclose(image.values["velocity"][at], turned(velocity), rtol=1e-6, atol=1e-30)
        checks.true(f"{group}: turned and scaled", bool(good))
    elements = vtk_xml.Grid(os.path.join(target, f"deformable_elements_{number:05d}.vtu"))
    worst = np.abs(elements.points - turned(frame["deformable_elements/nodes"])).max() / 100
    checks.below("elements: turned and scaled, of the scene's size", worst / case.SIZE, 1e-6)


# ---- by others ----


def check_vtk(options, checks, folder):
    try:
        import vtk
        from vtk.util.numpy_support import vtk_to_numpy
    except ImportError as missing:
        raise case.Missing("python3-vtk9") from missing
    target = exported(options, folder)
    same, count = True, 0
    for name in sorted(os.listdir(target)):
        if name.endswith(".pvd"):
            continue
        path = os.path.join(target, name)
        reader = vtk.vtkXMLUnstructuredGridReader() if name.endswith(".vtu") else vtk.vtkXMLImageDataReader()
        errors = []
        reader.AddObserver("ErrorEvent", lambda *_, errors=errors: errors.append(1))
        reader.SetFileName(path)
        reader.Update()
        found, wanted = reader.GetOutput(), vtk_xml.Grid(path)
        data = {"PointData": found.GetPointData(), "CellData": found.GetCellData()}
        good = not errors and found.GetFieldData().GetArray("TimeValue").GetValue(0) == wanted.fields["TimeValue"]
        for array, values in wanted.values.items():
            got = data[wanted.places[array]].GetArray(array)
            good = good and got is not None and np.array_equal(vtk_to_numpy(got).ravel(), values.ravel())
        if name.endswith(".vti"):
            good = good and list(found.GetExtent()) == wanted.extent
        elif found.GetNumberOfPoints():
            good = good and np.array_equal(vtk_to_numpy(found.GetPoints().GetData()), wanted.points.astype("<f4"))
            cells = vtk_to_numpy(found.GetCells().GetConnectivityArray())
            good = good and np.array_equal(cells, wanted.cells.ravel())
        if not good:
            checks.true(f"VTK: {name}", False)
        same, count = same and good, count + 1
    checks.true("VTK reads every file as we do", same, f"{count} files")


def check_meshio(options, checks, folder):
    try:
        import meshio
    except ImportError as missing:
        raise case.Missing("python3-meshio") from missing
    target = exported(options, folder)
    same, count = True, 0
    kinds = {1: "vertex", 5: "triangle", 10: "tetra"}
    for name in sorted(os.listdir(target)):
        wanted = vtk_xml.Grid(os.path.join(target, name)) if name.endswith(".vtu") else None
        if not wanted or not len(wanted.points):  # meshio reads no grid without cells
            continue
        mesh = meshio.read(os.path.join(target, name))
        good = np.array_equal(mesh.points, wanted.points) and len(mesh.cells) == 1
        good = good and mesh.cells[0].type == kinds[wanted.type] and np.array_equal(mesh.cells[0].data, wanted.cells)
        for array, values in wanted.values.items():
            got = mesh.point_data[array] if wanted.places[array] == "PointData" else mesh.cell_data[array][0]
            good = good and np.array_equal(got, values)
        good = good and all(mesh.field_data[field][0] == value for field, value in wanted.fields.items())
        if not good:
            checks.true(f"meshio: {name}", False)
        same, count = same and good, count + 1
    checks.true("meshio reads every .vtu with cells as we do", same, f"{count} files")


if __name__ == "__main__":
    case.verify(__doc__, [check_collections, check_bodies, check_liquids, check_volumes, check_space],
                [check_vtk, check_meshio])
