"""A reader of binary PLY files as exports are written: vertices with named values, triangles."""
import re

from common import np

SIZES = {"float": "<f4", "uchar": "u1", "int": "<i4"}


def read(path):
    """(vertices as records, triangles)"""
    with open(path, "rb") as file:
        head, rest = file.read().split(b"end_header\n", 1)
    if not head.startswith(b"ply\nformat binary_little_endian 1.0\n"):
        raise ValueError(f"{path}: another format")
    parts = [part.decode() for part in re.split(rb"element (?=vertex|face)", head)[1:]]
    counts = [int(part.split()[1]) for part in parts]
    record = np.dtype([(name, SIZES[kind]) for kind, name in re.findall(r"property (\w+) (\w+)\n", parts[0])])
    face = np.dtype([("count", "u1"), ("corners", "<i4", 3)])
    vertices = np.frombuffer(rest, record, counts[0])
    size = record.itemsize * counts[0]
    triangles = np.frombuffer(rest, face, counts[1] if len(counts) > 1 else 0, size)
    if np.any(triangles["count"] != 3) or len(rest) != size + face.itemsize * len(triangles):
        raise ValueError(f"{path}: not triangles of the right number")
    return vertices, triangles["corners"].astype(np.int64)


def columns(vertices, names):
    return np.stack([vertices[name] for name in names], axis=1)
