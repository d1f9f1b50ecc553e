#!/usr/bin/python3
"""What one does on the page of `plimsoll view`, in headless Chromium with software GL, by its keys and buttons.

Hide, isolate, transparent, wireframe, clip, a fixed range, a saved picture: judged by the pixels of the page and the vertices
of the frame. A run that was begun in a terminal is followed to its end; one of `view SCENE` is stepped, started, paused, ended.
"""
import base64
import os
import subprocess
import sys
import tempfile
import time

from common import Checks, arguments, call, h5py, np, write_scene
from view_page import browser, wait
from view_server import served

READY = "window.plimsoll && plimsoll.view.isReady && plimsoll.view.stage.pictures > 0"

# Which object each pixel shows, 0 or one more than its place in `names`, and the picture, from the top, as it is now.
SHOWN = """
const view = plimsoll.view, {renderer} = view.stage, canvas = renderer.domElement, [w, h] = [canvas.clientWidth, canvas.clientHeight];
const found = view.picker.draw([...view.layers.values()], w, h), bytes = new Uint8Array(4 * canvas.width * canvas.height);
renderer.shadowMap.needsUpdate = true;
view.stage.render();
const gl = renderer.getContext();
gl.readPixels(0, 0, canvas.width, canvas.height, gl.RGBA, gl.UNSIGNED_BYTE, bytes);
const pack = (from) => {
  let text = '';
  for (let i = 0; i < from.length; i += 32768) text += String.fromCharCode(...from.subarray(i, i + 32768));
  return btoa(text);
};
return {size: [h, w], numbers: pack(new Uint8Array(Uint16Array.from(found.numbers).buffer)), pixels: pack(bytes),
  names: found.entries.map((e) => e.layer.objectName(e.object))};"""


class Shown:
    def __init__(self, driver):
        told = driver.execute_script(SHOWN)
        self.names, size = told["names"], tuple(told["size"])
        self.numbers = np.frombuffer(base64.b64decode(told["numbers"]), dtype="<u2").reshape(size)
        pixels = np.frombuffer(base64.b64decode(told["pixels"]), dtype=np.uint8).reshape(*size, 4)
        self.pixels = pixels[::-1, :, :3].astype(int)

    def where(self, name):
        return self.numbers == self.names.index(name) + 1

    def count(self, name):
        return int(self.where(name).sum())


def keys(driver, text):
    from selenium.webdriver.common.keys import Keys
    driver.find_element("tag name", "body").send_keys(getattr(Keys, text, text))
    time.sleep(0.3)


def press_in_row(driver, name, title):
    """A button of the body's row in the tree."""
    done = driver.execute_script("""
const row = [...document.querySelectorAll('#tree .item')].find((r) => r.querySelector('button.name')?.textContent === arguments[0]);
const button = [...row.querySelectorAll('button')].find((b) => b.title === arguments[1]);
button?.click();
return !!button;""", name, title)
    time.sleep(0.3)
    return done


def click(driver, shown, name):
    """On the middle one of its pixels."""
    from selenium.webdriver.common.action_chains import ActionChains
    rows, columns = np.nonzero(shown.where(name))
    middle = len(rows) // 2
    canvas = driver.find_element("id", "canvas")
    height, width = shown.numbers.shape
    ActionChains(driver).move_to_element_with_offset(canvas, int(columns[middle]) - width // 2, int(rows[middle]) - height // 2
                                                     ).click().perform()
    time.sleep(0.5)
    return driver.execute_script("const s = plimsoll.view.selection; return s && s.layer.objectName(s.object)")


# ---- objects ----


def check_hidden(checks, driver, before, name):
    """By the key, by the tree, and shown again."""
    for way, act in (("key", lambda: keys(driver, "h")), ("tree", lambda: press_in_row(driver, name, "hide"))):
        act()
        after = Shown(driver)
        others = [other for other in before.names if other != name and before.count(other) > 0]
        checks.true(f"hidden by the {way}: it is gone and all others stay",
                    after.count(name) == 0 and all((after.where(other) >= before.where(other)).all() for other in others))
        keys(driver, "a")
        checks.true(f"hidden by the {way}: shown again as it was", (Shown(driver).numbers == before.numbers).all())
    return after


def check_isolated(checks, driver, before, name):
    click(driver, before, name)
    keys(driver, "i")
    after = Shown(driver)
    checks.true("isolated: nothing else is there", set(np.unique(after.numbers)) == {0, after.names.index(name) + 1}
                and (after.where(name) >= before.where(name)).all())
    keys(driver, "a")
    checks.true("isolated: all is shown again", (Shown(driver).numbers == before.numbers).all())


def check_modes(checks, driver, before, hidden, name):
    """`hidden`: without the body. Through a transparent one more of that is seen; a wireframe has it between its edges."""
    click(driver, before, name)
    keys(driver, "ESCAPE")
    inside, away = before.where(name), lambda a, b: np.abs(a.pixels - b.pixels).max(axis=2)
    checks.true("solid: what is behind is not seen", np.mean(away(before, hidden)[inside] > 8) > 0.9)
    press_in_row(driver, name, "transparent")
    clear = Shown(driver)
    nearer = np.abs(clear.pixels - hidden.pixels)[inside].mean() / np.abs(before.pixels - hidden.pixels)[inside].mean()
    checks.true("transparent: between solid and hidden", 0.1 < nearer < 0.7, f"{nearer:.2f} of the way from what is behind")
    press_in_row(driver, name, "transparent")
    checks.true("solid again", (away(Shown(driver), before)[inside] < 4).mean() > 0.98)


def names_and_triangles(folder, frame):
    with h5py.File(os.path.join(folder, f"frame_{frame:05d}.h5"), "r") as file:
        group = file["rigid"]
        names = [bytes(row).split(b"\0")[0].decode() for row in group["names"][:]]
        return names, group["objects"][:], group["vertices"][:][group["triangles"][:].ravel()]


def check_wires(checks, driver, before, folder, frame):
    """Of the body with the fewest triangles for its pixels: edges, and between them what is behind."""
    names, objects, _ = names_and_triangles(folder, frame)
    share = lambda name: np.sum(objects == names.index(name)) / before.count(name)
    name = min((name for name in names if name != "floor" and before.count(name) > 1000), key=share)
    inside, away = before.where(name), lambda a, b: np.abs(a.pixels - b.pixels).max(axis=2)
    press_in_row(driver, name, "hide")
    hidden = Shown(driver)
    press_in_row(driver, name, "show")
    press_in_row(driver, name, "wireframe")
    wires = Shown(driver)
    behind = np.mean(away(wires, hidden)[inside] < 4)
    checks.true(f"wireframe of {name}: edges, and between them what is behind", 0.2 < behind < 0.98, f"{behind:.2f} of its pixels")
    checks.true(f"wireframe of {name}: picked as ever", wires.count(name) == before.count(name))
    press_in_row(driver, name, "wireframe")
    checks.true(f"{name} is solid again", (away(Shown(driver), before)[inside] < 4).mean() > 0.98)


# ---- settings ----


def press_setting(driver, text):
    driver.execute_script("[...document.querySelectorAll('#settings button')].filter((b) => b.textContent === arguments[0])"
                          ".at(-1).click()", text)
    time.sleep(0.3)


def check_clip(checks, driver, before, folder, frame):
    """Bodies beyond the plane are gone, those before it stay, by the vertices of the frame; flipped, the other way round."""
    names, objects, corners = names_and_triangles(folder, frame)
    owner, x = np.repeat(objects, 3), corners[:, 0]
    low, high = driver.execute_script("const b = plimsoll.view.stage.box; return [b.min.x, b.max.x]")
    plane, slack = (low + high) / 2, 1e-5 * (high - low)
    press_setting(driver, "x")
    for flipped in (False, True):
        if flipped:
            press_setting(driver, "flip")
        after, good, gone, kept = Shown(driver), True, 0, 0
        for i, name in enumerate(names):
            if before.count(name) == 0:
                continue
            beyond, kept_side = x[owner == i].min() > plane + slack, x[owner == i].max() < plane - slack
            if flipped:
                beyond, kept_side = kept_side, beyond
            if beyond:
                gone, good = gone + 1, good and after.count(name) == 0
            elif kept_side:
                kept, good = kept + 1, good and (after.where(name) >= before.where(name)).all()
        checks.true(f"clipped{', flipped' if flipped else ''}: {gone} bodies are gone, {kept} are whole", good and gone and kept)
    press_setting(driver, "x")
    checks.true("not clipped any more", (Shown(driver).numbers == before.numbers).all())


def check_range(checks, driver):
    """Typed in; it stays in other frames, until it is fitted again."""
    choose = """
const select = [...document.querySelectorAll('#settings select')][0];
select.value = 'velocities';
select.dispatchEvent(new Event('change'));"""
    driver.execute_script(choose)
    wait(driver, "plimsoll.view.quantity")
    fitted = driver.execute_script("return plimsoll.view.range")
    wide = Shown(driver)
    for i, value in ((1, 0.5), (0, 0.125)):
        driver.execute_script("const f = document.querySelectorAll('#settings input[type=number]')[arguments[0]];"
                              "f.value = arguments[1]; f.dispatchEvent(new Event('change'))", i, value)
        time.sleep(0.5)
    told = driver.execute_script("return [plimsoll.view.range, document.getElementById('legends').textContent]")
    checks.true("range: fixed as typed", told[0] == [0.125, 0.5] and "0.125" in told[1] and "0.5" in told[1], str(told))
    checks.true("range: colours are others", np.mean(Shown(driver).pixels != wide.pixels) > 0.01)
    keys(driver, "HOME")
    time.sleep(1)
    checks.true("range: the same in another frame", driver.execute_script("return plimsoll.view.range") == [0.125, 0.5])
    keys(driver, "END")
    time.sleep(1)
    press_setting(driver, "\u21ba")
    time.sleep(0.5)
    checks.true("range: fitted again", driver.execute_script("return plimsoll.view.range") == fitted)


def check_saved(checks, driver, root, name):
    """The file has the page's pixels."""
    driver.execute_cdp_cmd("Page.setDownloadBehavior", {"behavior": "allow", "downloadPath": root})
    shown = Shown(driver)
    keys(driver, "s")
    path, end = os.path.join(root, name), time.time() + 30
    while not os.path.exists(path) and time.time() < end:
        time.sleep(0.2)
    if not checks.true(f"saved: {name}", os.path.exists(path)):
        return
    raw = subprocess.run(["ffmpeg", "-v", "error", "-i", path, "-f", "rawvideo", "-pix_fmt", "rgb24", "-"], stdout=subprocess.PIPE,
                         check=True).stdout
    same = len(raw) == shown.pixels.size and (np.frombuffer(raw, dtype=np.uint8).reshape(shown.pixels.shape) == shown.pixels).all()
    checks.true("saved: the pixels of the page", same)


# Boxes beside one another, of few triangles: a wireframe of them has room between its edges.
BOXES = """\
plimsoll: 1
name: boxes
rigid:
  bodies:
    - {name: floor, motion: static, shape: {half_space: {}}}
    - {name: left, shape: {box: {}}, position: [-2, 1.5, 0], angular_velocity: [1, 2, 0]}
    - {name: middle, shape: {box: {size: [1, 1.5, 1]}}, position: [0, 1.2, 0.5], velocity: [0.2, 0.5, 0]}
    - {name: behind, shape: {ball: {radius: 0.6}}, position: [0.5, 1.4, -1.5]}
    - {name: right, shape: {box: {}}, position: [2, 1, 0], velocity: [0, 1, 0]}
"""


def check_use(checks, driver, options, root):
    folder, last = os.path.join(root, "use"), 3
    call(options.program, "run", write_scene(root, "boxes.yaml", BOXES), "--out", folder, "--frames", last, "--quiet")
    with served(options.program, folder) as (port, token, _):
        driver.get(f"http://127.0.0.1:{port}/?token={token}")
        if not checks.true("use: a picture is shown", wait(driver, READY)):
            return
        keys(driver, "END")
        time.sleep(1)
        before = Shown(driver)
        bodies = [n for n in dict.fromkeys(before.names) if before.count(n) > 200 and "floor" not in n and "ground" not in n]
        name = max(bodies, key=before.count)
        checks.true(f"a click chooses {name}", click(driver, before, name) == name)
        check_hidden(checks, driver, before, name)
        press_in_row(driver, name, "hide")
        keys(driver, "ESCAPE")
        hidden = Shown(driver)
        keys(driver, "a")
        check_isolated(checks, driver, before, name)
        keys(driver, "ESCAPE")
        check_modes(checks, driver, Shown(driver), hidden, name)
        check_wires(checks, driver, Shown(driver), folder, last)
        check_clip(checks, driver, Shown(driver), folder, last)
        check_range(checks, driver)
        check_saved(checks, driver, root, f"boxes_{last:05d}.png")


# ---- runs ----


FRAMES = 60
# Takes some fifteen seconds, and the page a moment for a picture.
SLOW = f"""\
plimsoll: 1
name: slow
dim: 2
duration: {FRAMES / 24}
fps: 24
fluid:
  domain: {{high: [2, 1, 1]}}
  cells: 288
  viscosity: 0.001
  sides: {{left: {{kind: inflow, velocity: [1, 0, 0]}}, right: open}}
rigid:
  bodies:
    - {{name: post, motion: static, shape: {{cylinder: {{radius: 0.1, height: 2}}}}, position: [0.5, 0.45, 0],
       orientation: {{axis: [1, 0, 0], angle: 90}}}}
probes:
  - {{name: wake, point: [1.2, 0.5, 0], quantities: [velocity]}}
"""


def frames_in(folder):
    return sorted(int(name[6:11]) for name in os.listdir(folder) if name.startswith("frame_") and name.endswith(".h5"))


AT_END = ("!plimsoll.view.run.running && plimsoll.view.frames.at(-1) === plimsoll.view.run.last && "
          "plimsoll.view.block.frame === plimsoll.view.run.last")


def check_terminal(checks, driver, options, root):
    """Begun in a terminal, before the page is there."""
    scene = write_scene(root, "slow.yaml", SLOW)
    folder = os.path.join(root, "terminal")
    process = subprocess.Popen([options.program, "run", scene, "--out", folder, "--threads", "1", "--quiet"])
    end = time.time() + 60
    while not os.path.exists(os.path.join(folder, "frame_00001.h5")) and time.time() < end:
        time.sleep(0.05)
    with served(options.program, folder) as (port, token, _):
        driver.get(f"http://127.0.0.1:{port}/?token={token}")
        wait(driver, READY)
        seen = driver.execute_script("return [plimsoll.view.run.running, plimsoll.view.frames.length]")
        checks.true("a run of a terminal: the page knows that it goes on", seen[0] and seen[1] <= FRAMES, str(seen))
        done = wait(driver, AT_END, 300)
        checks.true("a run of a terminal: followed to its end", done and process.wait(timeout=60) == 0)
        with open(os.path.join(folder, "probes.csv"), encoding="ascii") as file:
            rows = sum(1 for _ in file) - 1
        wait(driver, f"plimsoll.view.probes.time.length === {rows}", 10)
        told = driver.execute_script("return [plimsoll.view.frames, plimsoll.view.probes.time.length]")
        checks.true("a run of a terminal: all frames and rows are there", told == [frames_in(folder), rows] and rows > 100,
                    f"{len(told[0])} frames of {len(frames_in(folder))}, {told[1]} rows of {rows}")


def check_scene(checks, driver, options, root):
    """`view SCENE`: nothing is run before one asks for it; stepped, run, paused, run to its end, started anew."""
    scene = write_scene(root, "scene.yaml", SLOW)
    folder = os.path.join(root, "scene")
    act = lambda action: driver.execute_script("window.confirm = () => true; plimsoll.panel.act(arguments[0])", action)
    count = lambda: driver.execute_script("return plimsoll.view.frames.length")
    stopped = "!plimsoll.view.run.running && !plimsoll.panel.looking"
    with served(options.program, scene, "--out", folder, "--threads", "1") as (port, token, _):
        driver.get(f"http://127.0.0.1:{port}/?token={token}")
        checks.true("view SCENE: its start is shown, nothing is run", wait(driver, READY) and count() == 1)
        act("step")
        checks.true("view SCENE: a step", wait(driver, f"{stopped} && plimsoll.view.frames.length === 2"))
        act("resume")
        wait(driver, "plimsoll.view.run.running && plimsoll.view.frames.length > 3")
        act("pause")
        time.sleep(0.5)
        checks.true("view SCENE: paused", wait(driver, stopped) and 3 < count() <= FRAMES, f"{count()} frames of {FRAMES + 1}")
        at = count()
        time.sleep(1.5)
        checks.true("view SCENE: nothing goes on then", len(frames_in(folder)) == at)
        act("resume")
        checks.true("view SCENE: run to its end and followed", wait(driver, AT_END, 300) and count() == FRAMES + 1)
        time.sleep(1)
        act("start")
        checks.true("view SCENE: started anew", wait(driver, "plimsoll.view.run.running && plimsoll.view.frames.length <= 9"))
        checks.true("view SCENE: to its end again", wait(driver, AT_END, 300) and count() == FRAMES + 1)


def main():
    options = arguments(__doc__)
    if options.quickest:
        print("skipped: belongs to make check", file=sys.stderr)
        sys.exit(77)
    checks = Checks()
    driver = browser()
    try:
        with tempfile.TemporaryDirectory() as root:
            for check in (check_use, check_terminal, check_scene):
                driver.get_log("browser")
                check(checks, driver, options, root)
                errors = [line["message"] for line in driver.get_log("browser") if line["level"] == "SEVERE"]
                checks.true(f"{check.__name__}: no error on the console", not errors, "; ".join(errors)[:300])
    finally:
        driver.quit()
    checks.finish()


if __name__ == "__main__":
    main()
