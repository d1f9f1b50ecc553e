"""A reader of VTK's XML files as exports are written: unstructured grids (.vtu), image data (.vti), collections (.pvd)."""
import base64
import os
import re
import xml.etree.ElementTree

from common import np

KINDS = {"Float32": "<f4", "Float64": "<f8", "Int32": "<i4", "UInt8": "u1"}
CORNERS = {1: 1, 5: 3, 10: 4}


class Grid:
    """`points`, `cells` (corners of each), `type`; or `extent`, `origin`, `spacing`. Values of points and cells by name
    in `values`, fields in `fields`."""

    def __init__(self, path):
        with open(path, "rb") as file:
            head, rest = re.split(rb'<AppendedData encoding="(?:raw|base64)">\n_', file.read())
        data, end = rest.rsplit(b"\n  </AppendedData>\n", 1)
        root = xml.etree.ElementTree.fromstring(head + end)
        if root.attrib["byte_order"] != "LittleEndian" or root.attrib["header_type"] != "UInt64":
            raise ValueError("another byte order or header")
        self.data, self.is_raw = data, b'type="ImageData"' in head
        self.fields, self.values, self.places = {}, {}, {}
        grid = root.find(root.attrib["type"])
        for field in grid.find("FieldData"):
            self.fields[field.attrib["Name"]] = float(field.text)
        piece = grid.find("Piece")
        for name in ("PointData", "CellData"):
            for item in piece.findall(f"{name}/DataArray"):
                self.values[item.attrib["Name"]] = self.array(item)
                self.places[item.attrib["Name"]] = name
        if root.attrib["type"] == "ImageData":
            self.extent = [int(word) for word in grid.attrib["WholeExtent"].split()]
            self.origin = np.array([float(word) for word in grid.attrib["Origin"].split()])
            self.spacing = np.array([float(word) for word in grid.attrib["Spacing"].split()])
        else:
            self.read_cells(piece)

    def read_cells(self, piece):
        self.points = self.array(piece.find("Points/DataArray")).astype(float)
        parts = {item.attrib["Name"]: self.array(item) for item in piece.findall("Cells/DataArray")}
        count = int(piece.attrib["NumberOfCells"])
        self.type = int(parts["types"][0]) if count else 0
        corners = CORNERS.get(self.type, 1)
        if not (np.all(parts["types"] == self.type) and len(self.points) == int(piece.attrib["NumberOfPoints"]) and
                np.array_equal(parts["offsets"], corners * np.arange(1, count + 1))):
            raise ValueError("cells of several types, or other sizes than told")
        self.cells = parts["connectivity"].reshape(-1, corners)

    def array(self, item):
        at = int(item.attrib["offset"])
        if self.is_raw:
            size = int(np.frombuffer(self.data, "<u8", 1, at)[0])
            values = self.data[at + 8:at + 8 + size]
        else:
            size = int(np.frombuffer(base64.b64decode(self.data[at:at + 12])[:8], "<u8")[0])
            values = base64.b64decode(self.data[at:at + (size + 10) // 3 * 4])[8:]
            if len(values) != size:
                raise ValueError(f"{item.attrib['Name']}: {len(values)} bytes, {size} told")
        values = np.frombuffer(values, KINDS[item.attrib["type"]])
        columns = int(item.attrib.get("NumberOfComponents", 1))
        return values if columns == 1 else values.reshape(-1, columns)

    def sides(self):
        corners = self.points[self.cells]
        return corners[:, 1:] - corners[:, :1]

    def volumes(self):
        sides = self.sides()
        return np.linalg.det(sides) / 6 if self.type == 10 else np.linalg.det(sides[:, :, :2]) / 2

    def areas(self):
        """Of triangles in space."""
        sides = self.sides()
        return np.linalg.norm(np.cross(sides[:, 0], sides[:, 1]), axis=1) / 2


def collection(path):
    """[(time, path of the file)]"""
    sets = xml.etree.ElementTree.parse(path).getroot().findall("Collection/DataSet")
    folder = os.path.dirname(path)
    return [(float(item.attrib["timestep"]), os.path.join(folder, item.attrib["file"])) for item in sets]
