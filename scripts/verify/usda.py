"""A reader of USD's text format, of what exports are written in: prims, attributes, values over time, layer metadata."""
import re

from common import np

SPACE = re.compile(r"(?:\s|#[^\n]*)*")
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
WORD = re.compile(r"[A-Za-z_][\w:.]*")
COLUMNS = {"float": 1, "int": 1, "point3f": 3, "vector3f": 3, "color3f": 3, "float3": 3, "double2": 2, "normal3f": 3}


class Prim:
    def __init__(self, kind, name, meta):
        self.kind, self.name, self.meta = kind, name, meta
        self.types, self.values, self.samples, self.children = {}, {}, {}, {}

    def at(self, name, time):
        """The value at a time that has a sample, or the one that holds for all."""
        return self.samples[name][time] if name in self.samples else self.values[name]


class Reader:
    def __init__(self, text):
        if not text.startswith("#usda 1.0\n"):
            raise ValueError("no #usda 1.0 in the first line")
        self.text, self.at = text, 0

    def skip(self):
        self.at = SPACE.match(self.text, self.at).end()

    def peek(self):
        self.skip()
        return self.text[self.at:self.at + 1]

    def take(self, text):
        self.skip()
        if not self.text.startswith(text, self.at):
            raise ValueError(f"{text!r} expected at {self.text[self.at:self.at + 40]!r}")
        self.at += len(text)

    def match(self, pattern):
        self.skip()
        found = pattern.match(self.text, self.at)
        if not found:
            raise ValueError(f"{pattern.pattern} expected at {self.text[self.at:self.at + 40]!r}")
        self.at = found.end()
        return found.group()

    def string(self):
        self.take('"')
        out = ""
        while self.text[self.at] != '"':
            self.at += self.text[self.at] == "\\"
            out += self.text[self.at]
            self.at += 1
        self.at += 1
        return out

    def asset(self):
        self.take("@")
        end = self.text.index("@", self.at)
        name, self.at = self.text[self.at:end], end + 1
        return name

    def sequence(self, close):
        items = []
        while self.peek() != close:
            items.append(self.value(""))
            if self.peek() == ",":
                self.take(",")
        self.take(close)
        return items

    def numbers(self, kind):
        """An array of numbers, as fast as numpy reads it."""
        self.take("[")
        end = self.text.index("]", self.at)
        inside = self.text[self.at:end].replace("(", "").replace(")", "")
        self.at = end + 1
        values = np.array(inside.split(","), dtype=float) if inside.strip() else np.zeros(0)
        columns = COLUMNS[kind]
        return values if columns == 1 else values.reshape(-1, columns)

    def value(self, kind):
        first = self.peek()
        if first == "[" and kind.removesuffix("[]") in COLUMNS:
            return self.numbers(kind.removesuffix("[]"))
        if first == "[":
            self.take("[")
            return self.sequence("]")
        if first == "(":
            self.take("(")
            return np.array(self.sequence(")"))
        if first == "{":
            return self.dictionary()
        if first == '"':
            return self.string()
        if first == "@":
            return self.asset()
        number = float(self.match(NUMBER))
        return number

    def dictionary(self):
        """Typed entries: `double2[] active = ...`, `dictionary default = {...}`."""
        self.take("{")
        found = {}
        while self.peek() != "}":
            kind, name = self.declaration()
            self.take("=")
            found[name] = self.value(kind)
        self.take("}")
        return found

    def declaration(self):
        """(type, name) behind custom and uniform."""
        kind = self.match(WORD)
        while kind in ("custom", "uniform"):
            kind = self.match(WORD)
        if self.peek() == "[":
            self.take("[]")
            kind += "[]"
        return kind, self.match(WORD)

    def meta(self):
        """In round brackets; entries without a type."""
        found = {}
        if self.peek() != "(":
            return found
        self.take("(")
        while self.peek() != ")":
            name = self.match(WORD)
            self.take("=")
            found[name] = self.value("")
        self.take(")")
        return found

    def samples(self, kind):
        self.take("{")
        found = {}
        while self.peek() != "}":
            time = float(self.match(NUMBER))
            self.take(":")
            found[time] = self.value(kind)
            self.take(",")
        self.take("}")
        return found

    def attribute(self, prim):
        kind, name = self.declaration()
        over_time = name.endswith(".timeSamples")
        name = name.removesuffix(".timeSamples")
        if name in prim.types:
            raise ValueError(f"{name} stands twice in {prim.name}")
        prim.types[name] = kind
        if self.peek() == "=":
            self.take("=")
            if over_time:
                prim.samples[name] = self.samples(kind)
            else:
                prim.values[name] = self.value(kind)
        self.meta()

    def prim(self):
        self.take("def")
        kind, name = self.match(WORD), self.string()
        if not re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII):
            raise ValueError(f"{name!r} is no identifier")
        prim = Prim(kind, name, self.meta())
        self.take("{")
        while self.peek() != "}":
            if re.compile(r"def\b").match(self.text, self.at):
                self.child(prim)
            else:
                self.attribute(prim)
        self.take("}")
        return prim

    def child(self, parent):
        prim = self.prim()
        if prim.name in parent.children:
            raise ValueError(f"{prim.name} stands twice in {parent.name}")
        parent.children[prim.name] = prim

    def layer(self):
        root = Prim("", "", self.meta())
        while self.peek():
            self.child(root)
        return root


def read(path):
    with open(path, encoding="utf-8") as file:
        return Reader(file.read()).layer()
