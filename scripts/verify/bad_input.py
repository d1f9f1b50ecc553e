"""What the programs *_bad_input.py share: a good scene, wrong values set in it, and how each must be refused."""
import os
import re
import subprocess

import common
from common import np


def clean(result, kinds="plimsoll"):
    """Whatever is on stderr are messages of the program, not of a crash or a sanitizer."""
    return all(re.match(rf"({kinds}): ", line) for line in result.stderr.strip().splitlines()) and \
        not re.search(r"assert|Sanitizer|runtime error", result.stderr)


def file_name(words):
    return "".join(c if c.isalnum() else "_" for c in words)


def run(options, out, scene, values, *words, limit=60):
    """The result, None when it hangs, and the output."""
    try:
        result = common.call(options.program, "run", scene, "--out", out, "--quiet", *common.overrides(values), *words,
                             timeout=limit)
    except subprocess.TimeoutExpired:
        result = None
    return result, common.Output(out)


def run_odd(options, folder, scene, values, *words):
    return run(options, os.path.join(folder, "odd"), scene, values, *words)


def finite(output):
    return np.all(np.isfinite(output.stats().values)) and np.all(np.isfinite(output.probes().values))


def check(options, checks, folder, scene, case, code=2, limit=120):
    """A case is what is wrong, what is set, and what the message must say (a regular expression). Exit code 2: refused,
    nothing is written; 1: stopped on the way."""
    name, values, words = case
    out = os.path.join(folder, "out_" + file_name(name))
    result, _ = run(options, out, scene, values, limit=limit)
    if result is None:
        checks.true(name, False, "hangs")
        return
    text = result.stderr.replace(scene + ": ", "").strip()
    said = (text.splitlines() or ["(nothing on stderr)"])[0].replace("plimsoll: ", "")
    checks.true(name, result.code == code and text and clean(result) and re.search(words, text),
                f"exit {result.code}: {said[:220]}")
    if code == 2:
        left = os.listdir(out) if os.path.exists(out) else []
        checks.true(f"{name}: nothing written", not left, " ".join(sorted(left))[:60])


def check_all(options, checks, folder, scene, refused, stopped=(), limit=120):
    for case in refused:
        check(options, checks, folder, scene, case, limit=limit)
    for case in stopped:
        check(options, checks, folder, scene, case, code=1, limit=limit)


def verify(description, good, refused, stopped=(), more=(), is_fine=finite, limit=120):
    """The good scene runs, and then is_fine(its output); the cases; then each of `more`, called with options, checks,
    folder and scene."""
    options = common.arguments(description)
    checks = common.Checks()
    with common.temporary() as folder:
        scene = common.write_scene(folder, "good.yaml", good)
        result, output = run(options, os.path.join(folder, "good"), scene, None)
        checks.true("the scene itself runs", result is not None and result.code == 0 and is_fine(output),
                    "hangs" if result is None else result.last_words() if result.code else "")
        check_all(options, checks, folder, scene, refused, stopped, limit)
        for part in more:
            part(options, checks, folder, scene)
    checks.finish()
