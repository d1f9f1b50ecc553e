#!/usr/bin/python3
"""Wrong scenes and wrong requests: exit code 2, a message with line and pointer, no folder left."""
import os
import re
import shutil

import common

GOOD = """\
plimsoll: 1
name: good
params: {speed: 3, half: "=speed/2"}
duration: 0.1
rigid:
  bodies:
    - name: ball
      shape: {ball: {radius: 0.5}}
      velocity: ["=half", 0, 0]
probes:
  - {name: ball, quantities: [position]}
"""


def edit(old, new):
    """The good scene with one change; the change must apply."""
    if old not in GOOD:
        raise ValueError(f"'{old}' is not in the good scene")
    return GOOD.replace(old, new, 1)


def bomb():
    lines = ["plimsoll: 1", "a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [" + ", ".join([f"*a{i - 1}"] * 10) + "]" for i in range(1, 12)]
    return "\n".join(lines) + "\n"


# Text of the scene, what the message must contain, the line it must name (0: some line, None: none).
SCENES = {
    "empty": ("", [], 0),
    "only a comment": ("# nothing\n", [], 0),
    "a list": ("- plimsoll: 1\n", [], 0),
    "a word": ("plimsoll\n", [], 0),
    "no version": (edit("plimsoll: 1\n", ""), ["plimsoll"], 0),
    "version 2": (edit("plimsoll: 1", "plimsoll: 2"), ["/plimsoll", "version"], 1),
    "version 1.5": (edit("plimsoll: 1", "plimsoll: 1.5"), ["/plimsoll"], 1),
    "truncated": (GOOD[:GOOD.index("0.5}}") + 3], [], 0),
    "truncated in a quote": (GOOD[:GOOD.index('"=half"') + 3], [], 0),
    "binary": (bytes(range(256)) * 40, [], 0),
    "zeros": (bytes(5000), [], 0),
    "NUL inside": (GOOD.encode().replace(b"good", b"go\0od"), [], 0),
    "not UTF-8": (GOOD.encode().replace(b"good", b"g\xff\xfed"), [], 0),
    "HDF5 file": (b"\x89HDF\r\n\x1a\n" + bytes(2000), [], 0),
    "tab as indent": (edit("  bodies:", "\tbodies:"), [], 6),
    "two documents": (GOOD + "---\n" + GOOD, [], 0),
    "contacts of words": (edit("probes:", "output: {contacts: some}\nprobes:"), ["/output/contacts"], 10),
    "caption of words": (edit("probes:", "camera: {caption: above}\nprobes:"), ["/camera/caption"], 10),
    "glass as a list": (edit("probes:", "camera: {glass: [1]}\nprobes:"), ["/camera/glass"], 10),
    "key twice": (edit("duration: 0.1", "duration: 0.1\nduration: 0.2"), ["duration"], 5),
    "anchor": (edit("duration: 0.1", "duration: &d 0.1"), [], 4),
    "alias bomb": (bomb(), [], 2),
    "tag": (edit("duration: 0.1", "duration: !!python/object 0.1"), [], 4),
    "100000 brackets": ("plimsoll: 1\nrigid: " + "[" * 100000 + "\n", [], 2),
    "100000 braces": ("plimsoll: 1\nrigid: " + "{a: " * 100000 + "\n", [], 2),
    "100000 dashes": ("plimsoll: 1\nrigid:\n  " + "- " * 100000 + "\n", [], 3),
    "deep parentheses": (edit("duration: 0.1", 'duration: "=' + "(" * 3000 + '"'),
                         ["/duration"], 4),
    "long expression": (edit("duration: 0.1", 'duration: "=' + "1+" * 3000 + '1"'),
                        ["/duration"], 4),
    "long key": (edit("name: good", "name: good\n" + "k" * 200000 + ": 1"), [], 0),
    "unknown key": (edit("duration: 0.1", "durration: 0.1"), ["/durration", "did you mean",
                                                              "duration"], 4),
    "unknown key in a body": (edit("velocity:", "velocty:"),
                              ["/rigid/bodies/0/velocty", "did you mean", "velocity"], 9),
    "unknown key near nothing": (edit("duration: 0.1", "qqqqqq: 0.1"), ["/qqqqqq"], 4),
    "unknown shape": (edit("{ball: {radius: 0.5}}", "{bal: {radius: 0.5}}"),
                      ["/rigid/bodies/0/shape/bal", "did you mean", "ball"], 8),
    "two shapes": (edit("{ball: {radius: 0.5}}", "{ball: {}, box: {}}"),
                   ["/rigid/bodies/0/shape"], 8),
    "no shape": (edit("      shape: {ball: {radius: 0.5}}\n", ""), ["shape"], 0),
    "text for a number": (edit("duration: 0.1", "duration: soon"), ["/duration", "soon"], 4),
    "list for a number": (edit("duration: 0.1", "duration: [1, 2]"), ["/duration"], 4),
    "map for a number": (edit("duration: 0.1", "duration: {a: 1}"), ["/duration"], 4),
    "number for a list": (edit('velocity: ["=half", 0, 0]', "velocity: 3"),
                          ["/rigid/bodies/0/velocity"], 9),
    "two of three": (edit('["=half", 0, 0]', '["=half", 0]'), ["/rigid/bodies/0/velocity"], 9),
    "nothing for a number": (edit("duration: 0.1", "duration:"), ["/duration"], 4),
    "list for bodies as map": (edit("    - name: ball", "      name: ball"), ["/rigid/bodies"], 0),
    "NaN": (edit("radius: 0.5", "radius: .nan"), ["/rigid/bodies/0/shape/ball/radius"], 8),
    "nan": (edit("radius: 0.5", "radius: nan"), ["/rigid/bodies/0/shape/ball/radius"], 8),
    "infinity": (edit("duration: 0.1", "duration: .inf"), ["/duration"], 4),
    "1e999": (edit("duration: 0.1", "duration: 1e999"), ["/duration"], 4),
    "NaN by expression": (edit("duration: 0.1", 'duration: "=0/0"'), ["/duration"], 4),
    "overflow": (edit("duration: 0.1", 'duration: "=exp(1e9)"'), ["/duration"], 4),
    "root of a negative": (edit("duration: 0.1", 'duration: "=sqrt(-1)"'), ["/duration"], 4),
    "negative duration": (edit("duration: 0.1", "duration: -1"), ["/duration"], 4),
    "fps 0": (edit("duration: 0.1", "duration: 0.1\nfps: 0"), ["/fps"], 5),
    "1e15 frames": (edit("duration: 0.1", "duration: 1e15"), ["frames"], 0),
    "negative mass": (edit("velocity:", "mass: -1\n      velocity:"), ["/rigid/bodies/0/mass"], 9),
    "negative radius": (edit("radius: 0.5", "radius: -0.5"),
                        ["/rigid/bodies/0/shape/ball/radius"], 8),
    "inertia with a zero": (edit("velocity:", "inertia: [1, 0, 1]\n      velocity:"),
                            ["/rigid/bodies/0/inertia"], 9),
    "half a subdivision": (edit("radius: 0.5", "subdivisions: 2.5"),
                           ["/rigid/bodies/0/shape/ball/subdivisions"], 8),
    "1e12 bodies": (edit("velocity:", "repeat: {count: 1e12}\n      velocity:"),
                    ["/rigid/bodies/0/repeat", "memory"], 9),
    "1e12 bodies in a grid": (edit("velocity:", "repeat: {grid: [1e4, 1e4, 1e4]}\n      velocity:"),
                              ["/rigid/bodies/0/repeat", "memory"], 9),
    "grid of halves": (edit("velocity:", "repeat: {grid: [1.5, 1, 1]}\n      velocity:"),
                       ["/rigid/bodies/0/repeat"], 9),
    "division by zero": (edit("duration: 0.1", 'duration: "=1/(speed - 3)"'),
                         ["/duration", "zero"], 4),
    "division by zero at t = 0": (edit("velocity:", "motion: kinematic\n      "
                                       'position: ["=1/t", 0, 0]\n      velocity:'),
                                  ["/rigid/bodies/0/position/0", "zero"], 10),
    "division by zero in a copy": (edit("velocity:", 'mass: "=1/(3 - n)"\n      '
                                        "repeat: {count: 9}\n      velocity:"),
                                   ["/rigid/bodies/0/mass", "zero"], 9),
    "params in a ring": (edit('half: "=speed/2"', 'half: "=third", third: "=half + 1"'),
                         ["/params/", "itself"], 3),
    "param of itself": (edit('half: "=speed/2"', 'half: "=half"'), ["/params/half", "itself"], 3),
    "unknown parameter": (edit('"=half"', '"=haff"'),
                          ["/rigid/bodies/0/velocity/0", "haff", "did you mean", "half"], 9),
    "param named t": (edit("speed: 3", "speed: 3, t: 1"), ["/params/t"], 3),
    "time in a free body": (edit('["=half", 0, 0]', '["=half", 0, 0]\n      position: ["=t", 0, 0]'),
                            ["kinematic"], 0),
    "half an expression": (edit("duration: 0.1", 'duration: "=1 +"'), ["/duration"], 4),
    "name with a slash": (edit("- name: ball", "- name: a/b"), ["/rigid/bodies/0/name"], 7),
    "two of one name": (edit("probes:", "    - name: ball\n      shape: {box: {}}\nprobes:"),
                        ["ball"], 0),
    "probe on nothing": (edit("{name: ball, q", "{name: bell, q"), ["bell", "did you mean"], 11),
    "probe of an unknown quantity": (edit("[position]", "[positron]"), ["positron"], 11),
    "unknown material": (edit("velocity:", "material: cheese\n      velocity:"),
                         ["/rigid/bodies/0/material", "cheese"], 9),
    "motion with a slip": (edit("velocity:", "motion: kinematik\n      velocity:"),
                           ["/rigid/bodies/0/motion", "did you mean", "kinematic"], 9),
    "axis of length zero": (edit("velocity:", "orientation: {axis: [0, 0, 0]}\n      velocity:"),
                            ["/rigid/bodies/0", "axis"], 0),
    "four dimensions": (edit("duration: 0.1", "duration: 0.1\ndim: 4"), ["/dim"], 5),
    "mistakes in three places": (edit("radius: 0.5", "radius: -1").replace("0.1", "x").replace(
        "[position]", "[position], q: 1"), ["/duration"], 4),
}


def is_wrong(result, words, line, label, checks, timed=True):
    """Exit code 2, a message with what it must have, quickly, nothing on stdout."""
    faults = []
    if result.code != 2:
        faults.append(f"exit code {result.code}")
    if not result.stderr.strip():
        faults.append("no message")
    if result.stdout:
        faults.append(f"on stdout: {result.stdout[:60]!r}")
    lines = [int(number) for number in re.findall(r"\bline (\d+)", result.stderr)]
    if line is not None and not re.search(r"line \d+, /", result.stderr):
        faults.append("no line and pointer")
    if line and line not in lines:
        faults.append(f"line {line} not named")
    faults += [f"'{word}' not in the message" for word in words if word not in result.stderr]
    if timed and result.seconds >= 1:
        faults.append(f"took {result.seconds:.2f} s")
    first = result.stderr.strip().splitlines()[0][:110] if result.stderr.strip() else ""
    checks.true(label, not faults, "; ".join(faults) + f" -- said: {first}" if faults else first)


def check_scenes(options, checks, root):
    for number, (name, (text, words, line)) in enumerate(SCENES.items()):
        path = os.path.join(root, f"scene{number}.yaml")
        with open(path, "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode())
        out = os.path.join(root, f"out{number}")
        is_wrong(common.call(options.program, "check", path), words, line, f"check: {name}", checks)
        is_wrong(common.call(options.program, "run", path, "--out", out), words, line,
                 f"run: {name}", checks)
        if os.path.exists(out):
            checks.true(f"run: {name}: no folder", False, f"{os.listdir(out)}")


def check_places(options, checks, root):
    program = options.program
    good = common.write_scene(root, "good.yaml", GOOD)
    missing = os.path.join(root, "missing.yaml")
    out = os.path.join(root, "place")
    for verb in (["check"], ["run", "--out", out]):
        is_wrong(common.call(program, verb[0], missing, *verb[1:]), ["missing.yaml"], None,
                 f"{verb[0]}: missing file", checks)
        is_wrong(common.call(program, verb[0], root, *verb[1:]), [], None,
                 f"{verb[0]}: a folder as scene", checks)
        is_wrong(common.call(program, verb[0], "/dev/zero", *verb[1:]), [], None,
                 f"{verb[0]}: an endless file", checks)
        is_wrong(common.call(program, verb[0], *verb[1:]), [], None, f"{verb[0]}: no scene", checks)
    regular = common.write_scene(root, "regular", "a file\n")
    for name, place in (("below a file", os.path.join(regular, "out")), ("a file", regular),
                        ("in /proc", "/proc/plimsoll-out"), ("empty name", ""),
                        ("name too long", os.path.join(root, "n" * 300)),
                        ("path too long", "/".join([root] + ["d" * 200] * 30))):
        is_wrong(common.call(program, "run", good, "--out", place), [], None,
                 f"run: output folder {name}", checks)
    checks.true("the file is what it was", open(regular).read() == "a file\n")
    for name, words in (("unknown word", ["rum", good]), ("nothing", []),
                        ("unknown option", ["run", good, "--out", out, "--thread", "2"]),
                        ("--threads -1", ["run", good, "--out", out, "--threads", "-1"]),
                        ("--threads x", ["run", good, "--out", out, "--threads", "x"]),
                        ("--frames -3", ["run", good, "--out", out, "--frames", "-3"]),
                        ("--frames without number", ["run", good, "--out", out, "--frames"]),
                        ("--set without =", ["run", good, "--out", out, "--set", "/params/speed"]),
                        ("--set without /", ["run", good, "--out", out, "--set", "speed=3"]),
                        ("--set unknown key", ["run", good, "--out", out, "--set", "/durasion=3"]),
                        ("--set past a list", ["run", good, "--out", out, "--set",
                                               "/rigid/bodies/7/mass=3"]),
                        ("--set inside a value", ["run", good, "--out", out, "--set",
                                                  "/duration/x=3"]),
                        ("--set broken YAML", ["run", good, "--out", out, "--set",
                                               "/params/speed=[1"]),
                        ("two scenes", ["run", good, good, "--out", out]),
                        ("resume of nothing", ["resume", os.path.join(root, "nowhere")]),
                        ("resume of a folder without a run", ["resume", root]),
                        ("resume of a file", ["resume", good]),
                        ("info of nothing", ["info", os.path.join(root, "nowhere")]),
                        ("info of a text", ["info", regular])):
        result = common.call(program, *words)
        is_wrong(result, [], None, f"request: {name}", checks)
    checks.true("no folder from any of these", not os.path.exists(out))


def check_folders(options, checks, root):
    """States beside a scene.yaml they do not belong to."""
    program = options.program
    good = common.write_scene(root, "good.yaml", GOOD)
    other = common.write_scene(root, "other.yaml", edit("speed: 3", "speed: 4"))
    bigger = common.write_scene(root, "bigger.yaml",
                                edit("probes:", "    - name: box\n      shape: {box: {}}\nprobes:"))
    first = common.run(program, good, os.path.join(root, "first"))
    for name, scene in (("another parameter", other), ("another body", bigger)):
        second = common.run(program, scene, os.path.join(root, "second"), None, "--frames", 1)
        mixed = os.path.join(root, "mixed")
        os.mkdir(mixed)
        shutil.copy(second.path("scene.yaml"), mixed)
        shutil.copy(first.state(), mixed)
        before = sorted(os.listdir(mixed))
        result = common.call(program, "resume", mixed)
        is_wrong(result, ["another scene"], None, f"resume: state of a scene with {name}", checks)
        after = sorted(set(os.listdir(mixed)) - {"log.txt"})
        checks.true(f"resume: state of a scene with {name}: folder as before", before == after,
                    ", ".join(after))
        shutil.rmtree(mixed)
        shutil.rmtree(second.folder)
    with open(first.path("scene.yaml"), "a") as file:
        file.write("nonsense: [\n")
    is_wrong(common.call(program, "resume", first.folder), [], None, "resume: scene.yaml broken",
             checks)


def main():
    options = common.arguments(__doc__)
    checks = common.Checks()
    with common.temporary() as root:
        check_scenes(options, checks, root)
        check_places(options, checks, root)
        check_folders(options, checks, root)
    checks.finish()


if __name__ == "__main__":
    main()
