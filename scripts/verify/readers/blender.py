"""blender -b --factory-startup --python-exit-code 1 --python blender.py -- ANSWER FPS FRAMES FILE...: imports .glb, .ply and
.vdb files, and writes what objects they became to ANSWER, as JSON: {file: {name: {frame: vertices}}}, in the axes of the
files. FRAMES are those to look at, as in 0,3."""
import json
import os
import sys

import bpy
import numpy

# Debian 12's Blender 3.4 asks its numpy for a name that is gone from it.
if "bool" not in vars(numpy):
    numpy.bool = bool


def vertices(thing):
    """Of the object as it is in the present frame, in the world; Blender's z is up."""
    seen = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = seen.to_mesh()
    places = [seen.matrix_world @ vertex.co for vertex in mesh.vertices]
    seen.to_mesh_clear()
    return places


def read(path, frames):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.render.fps = fps
    if path.endswith(".vdb"):
        bpy.ops.object.volume_import(filepath=path)
        grids = bpy.context.object.data.grids
        if not grids.load():
            raise RuntimeError(grids.error_message)
        return {grid.name: [grid.data_type, list(grid.matrix_object[0])] for grid in grids}
    is_glb = path.endswith(".glb")
    if is_glb:
        bpy.ops.import_scene.gltf(filepath=path)
    else:
        bpy.ops.import_mesh.ply(filepath=path)
    found = {}
    for thing in list(bpy.context.scene.objects):
        if thing.type != "MESH":
            continue
        found[thing.name] = {}
        for frame in frames if is_glb else [0]:
            bpy.context.scene.frame_set(frame)
            places = vertices(thing)
            found[thing.name][frame] = [[v.x, v.z, -v.y] if is_glb else list(v) for v in places]
    return found


answer, fps, frames, *files = sys.argv[sys.argv.index("--") + 1:]
fps = int(fps)
with open(answer, "w") as file:
    json.dump({os.path.basename(path): read(path, [int(frame) for frame in frames.split(",")]) for path in files}, file)
