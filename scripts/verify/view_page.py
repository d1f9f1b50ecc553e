#!/usr/bin/python3
"""The page of `plimsoll view` and the html file, in headless Chromium with software GL.

Of each scene: silhouettes against those of `render --ids` with the camera that the page copies, picks name the body whose
silhouette they hit, plots equal probes.csv, while dragging and orbiting no byte is sent and no array uploaded, no error on
the console, no request to elsewhere. A live run is followed to its end.
"""
import base64
import csv
import json
import os
import re
import sys
import tempfile
import time

from common import Checks, arguments, call, h5py, np, read_png, scene_path
from frames_before import older
from render_fit import color_of, read_ids
from view_server import served

SCENES = {"rigid": ("rigid/shapes.yaml", 6), "flow": ("fluid/vortex_street.yaml", 3), "smoke": ("fluid/plume_past_ball.yaml", 4),
          "splash": ("splash/fountain.yaml", 6), "water": ("fluid/drop_splash.yaml", 2), "float": ("float/crates.yaml", 1)}

PROBED = ("rigid", "flow", "smoke") # of bodies that are seen

LEAST = 200     # pixels of a body that is compared
OVERLAP = 0.95  # over union
FINER = 3       # pixels of `render` a pixel of the page

# What each pixel of the page shows, 0 or one more than the place in `entries`; the key that *copy camera* gives, and where
# the middle of the camera's picture is on the page.
NUMBERS = """
const view = plimsoll.view, canvas = view.stage.renderer.domElement, [w, h] = [canvas.clientWidth, canvas.clientHeight];
const picture = view.picker.draw([...view.layers.values()], w, h);
const bytes = new Uint8Array(Uint16Array.from(picture.numbers).buffer);
let text = '';
for (let i = 0; i < bytes.length; i += 32768) text += String.fromCharCode(...bytes.subarray(i, i + 32768));
const [right, down] = view.stage.offset();
return {numbers: btoa(text), width: w, height: h, key: view.camera.key(), frame: view.block.frame, flat: view.flat,
  middle: [w / 2 - right, h / 2 - down], slope: Math.tan(view.stage.camera.fov * Math.PI / 360),
  entries: picture.entries.map((e) => [e.layer.name, e.layer.objectName(e.object)])};"""

COUNT = """
const gl = WebGL2RenderingContext.prototype;
window.sent = 0;
for (const name of ['bufferData', 'bufferSubData', 'texImage2D', 'texSubImage2D', 'texImage3D', 'texSubImage3D']) {
  const real = gl[name];
  gl[name] = function (...all) { window.sent++; return real.apply(this, all); };
}"""

TOLD = """
const view = plimsoll.view;
return [view.stage.pictures, window.sent, view.source.bytes, view.source.requests];"""

ORBIT = """
const done = arguments[0], view = plimsoll.view;
// Six pictures, however long software takes for one.
const turn = (left) => {
  if (left === 0) return setTimeout(done, 500);
  const before = view.stage.pictures;
  view.camera.orbit.object.position.applyAxisAngle({x: 0, y: 1, z: 0}, 0.05);
  view.camera.orbit.update();
  view.stage.draw();
  const look = () => (view.stage.pictures > before ? turn(left - 1) : setTimeout(look, 50));
  look();
};
turn(6);"""

# The middle pixel of each body of so many pixels or more that is seen, and what a pick there finds. What is clear hides nothing.
SEEN = """
const view = plimsoll.view, canvas = view.stage.renderer.domElement, [w, h] = [canvas.clientWidth, canvas.clientHeight];
const layers = [...view.layers.values()], seen = new Map();
const pictures = [layers.filter((l) => !l.isClear), layers.filter((l) => l.isClear)].map((some) => view.picker.draw(some, w, h));
for (let i = 0; i < w * h; i++) {
  const picture = pictures.find((p) => p.numbers[i] > 0);
  if (!picture) continue;
  const entry = picture.entries[picture.numbers[i] - 1];
  if (!seen.has(entry)) seen.set(entry, []);
  seen.get(entry).push(i);
}
"""
PICKS = SEEN + """
const out = [];
for (const [meant, list] of seen) {
  if (list.length < arguments[0] || out.length > 7) continue;
  const i = list[list.length >> 1], found = view.pickAt(i % w, Math.floor(i / w));
  out.push(!!found && found.layer === meant.layer && found.object === meant.object);
}
return out;"""

# Picks bodies as PICKS does: their names and plots, [label, times, values] each.
PICKED = SEEN + """
const {inspector} = plimsoll, out = [];
for (const list of seen.values()) {
  if (list.length < arguments[0] || out.length > 20) continue;
  const i = list[list.length >> 1], found = view.pickAt(i % w, Math.floor(i / w));
  if (!found.layer.objectName || found.layer.isUnbounded?.(found.object)) continue;
  view.select(found);
  out.push([found.layer.objectName(found.object), inspector.plots.map((p) => [p.label, [...p.time], [...p.values]])]);
}
view.select(null);
return out;"""


def browser():
    try:
        from selenium import webdriver
        from selenium.webdriver.chrome.service import Service
    except ImportError:
        print("skipped: python3-selenium is not installed; scripts/setup --tools", file=sys.stderr)
        sys.exit(77)
    if not (os.path.exists("/usr/bin/chromium") and os.path.exists("/usr/bin/chromedriver")):
        print("skipped: chromium or chromium-driver is not installed; scripts/setup --tools", file=sys.stderr)
        sys.exit(77)
    options = webdriver.ChromeOptions()
    for word in ("--headless=new", "--no-sandbox", "--window-size=1100,760", "--use-angle=swiftshader",
                 "--enable-unsafe-swiftshader", "--disable-dev-shm-usage"):
        options.add_argument(word)
    options.binary_location = "/usr/bin/chromium"
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
    driver.set_script_timeout(120)
    return driver


def wait(driver, condition, seconds=120):
    end = time.time() + seconds
    while time.time() < end:
        if driver.execute_script(f"return !!({condition})"):
            return True
        time.sleep(0.2)
    return False


# ---- silhouettes ----


def whole(size, middle):
    """A whole number near `size` of pixels across, with which the middles of the page's pixels are middles of the picture's, too:
    else they lie between two, and edges of bodies are off by a sixth of a pixel, all to the same side."""
    other = (round(size) / 2 + FINER * (0.5 - middle)) % 1 == 0
    return round(size) + other


def rendered(options, page, folder):
    """The picture of `render --ids` with the page's camera as its numbers, and where the page's pixels are in it."""
    position, target, field = (re.search(rf"{name}: (\[[^]]*\]|[-+.e0-9]+)", page["key"]).group(1)
                               for name in ("position", "target", "field_of_view"))
    slope = np.tan(np.radians(float(field)) / 2)
    height = round(FINER * page["height"] * slope / page["slope"])
    width = whole(height * 16 / 9, page["middle"][0])
    result = call(options.program, "render", folder, "--ids", "--quiet", "--threads", 1, "--frame", page["frame"], "--width", width,
                  "--height", height, "--set", f"/camera/position={position}", "--set", f"/camera/target={target}", "--set",
                  f"/camera/field_of_view={field}")
    if result.code != 0:
        raise RuntimeError(result.last_words())
    picture = read_png(os.path.join(folder, f"frame_{page['frame']:05d}-ids.png")).astype(np.int64)
    x = (np.arange(page["width"]) + 0.5 - page["middle"][0]) * 2 * page["slope"] / page["height"]
    y = (np.arange(page["height"]) + 0.5 - page["middle"][1]) * 2 * page["slope"] / page["height"]
    if page["flat"]:
        columns, rows = in_slice(folder, page, np.array(json.loads(position)), x, y, width, height)
    else:
        columns, rows = width / 2 + x * height / (2 * slope), height / 2 + y * height / (2 * slope)
    codes = picture[:, :, 0] << 16 | picture[:, :, 1] << 8 | picture[:, :, 2]
    inside = lambda at, n: (at >= 0) & (at < n)
    known = inside(rows, height)[:, None] & inside(columns, width)[None, :]
    clip = lambda at, n: np.clip(np.floor(at).astype(int), 0, n - 1)
    return codes[np.ix_(clip(rows, height), clip(columns, width))], known


def in_slice(folder, page, eye, x, y, width, height):
    """Slices have no camera: the domain fills what a margin of 8 pixels leaves, and its plane is z = 0."""
    with h5py.File(os.path.join(folder, f"frame_{page['frame']:05d}.h5"), "r") as frame:
        group = next((g for g in frame.values() if g.attrs.get("dim") == 2), None)
        cells, origin = ([group.attrs[f"{name}{axis}"] for axis in "xy"] for name in ("n", "origin_"))
        spacing = group.attrs["spacing"]
    pixels = min((width - 16) / cells[0], (height - 16) / cells[1])
    columns = width / 2 + ((eye[0] + x * eye[2] - origin[0]) / spacing - cells[0] / 2) * pixels
    rows = height / 2 - ((eye[1] - y * eye[2] - origin[1]) / spacing - cells[1] / 2) * pixels
    return columns, rows


def check_silhouettes(options, checks, driver, label, folder):
    page = driver.execute_script(NUMBERS)
    numbers = np.frombuffer(base64.b64decode(page["numbers"]), dtype="<u2").reshape(page["height"], page["width"])
    codes, known = rendered(options, page, folder)
    entries = {tuple(entry): i + 1 for i, entry in enumerate(page["entries"])}
    worst, compared = (2, ""), 0
    for row in read_ids(folder):
        red, green, blue = color_of(int(row["id"]))
        here = (codes == (red << 16 | green << 8 | blue)) & known
        if here.sum() < LEAST or row["kind"] in ("unbounded", "obstacles", "smoke", "fluid"):
            continue
        if page["flat"] and row["kind"] == "liquid":
            continue
        shown = (numbers == entries.get((row["group"], row["name"]), -1)) & known
        compared += 1
        worst = min(worst, ((here & shown).sum() / (here | shown).sum(), f"{row['name']}, {here.sum()} pixels"))
    checks.true(f"{label}: silhouettes of {compared} bodies as `render --ids` has them", compared > 0 and worst[0] >= OVERLAP,
                f"least overlap {worst[0]:.3f} of {OVERLAP} ({worst[1]})" if compared else f"no body of {LEAST} pixels")


# ---- pages ----


def check_still(checks, driver, label, least, act):
    """What turns the camera sends nothing and uploads nothing."""
    before = driver.execute_script(TOLD)
    act()
    pictures, sent, size, requests = (b - a for a, b in zip(before, driver.execute_script(TOLD)))
    checks.true(f"{label} sends and uploads nothing", pictures >= least and sent == size == requests == 0,
                f"{pictures} pictures, {sent} uploads, {size} bytes, {requests} requests")


def drag(driver):
    """With the mouse, as people do, from a place beside the panels; the button is let go of at the end."""
    from selenium.webdriver.common.action_chains import ActionChains
    actions = ActionChains(driver, duration=100)
    actions.move_to_element(driver.find_element("id", "canvas")).click_and_hold()
    for by in (40, 30, -20, 50):
        actions.move_by_offset(by, 12).pause(0.3)
    actions.release().perform()
    time.sleep(1)


def check_plots(checks, driver, name, folder):
    """The number of columns that bodies had when they were picked."""
    found = 0
    with open(os.path.join(folder, "probes.csv"), encoding="ascii") as file:
        rows = list(csv.reader(file))
    column = lambda i: [float(row[i]) for row in rows[1:]]
    same = lambda i, shown: [column(0), column(i)] == [list(map(float, s)) for s in shown]
    wrong = []
    for i, label in list(enumerate(rows[0]))[1:]:
        shown = driver.execute_script(
            "plimsoll.inspector.extra = arguments[0]; plimsoll.inspector.draw();"
            "const p = plimsoll.inspector.plots.find((q) => q.label === arguments[0]); return [p.time, p.values]", label)
        if not same(i, shown):
            wrong.append(label)
    checks.true(f"{name}: the plots of {len(rows[0]) - 1} columns equal probes.csv", not wrong and len(rows[0]) > 1, ", ".join(wrong))
    driver.execute_script("plimsoll.inspector.extra = null")
    # Of a body that is picked, all of its probes and nothing else. Those of these scenes have the names of their bodies.
    for body, plots in driver.execute_script(PICKED, LEAST):
        own = [i for i, label in enumerate(rows[0]) if label.split(".")[0] == body]
        good = [label for label, _, _ in plots] == [rows[0][i] for i in own]
        good = good and all(same(i, plot[1:]) for i, plot in zip(own, plots))
        checks.true(f"{name}: picked, {body} has its {len(own)} columns plotted", good)
        found += len(own)
    return found


def check_page(options, checks, driver, name, folder, address):
    driver.get_log("browser"), driver.get_log("performance")
    driver.get(address)
    ready = wait(driver, "window.plimsoll && plimsoll.view.isReady && plimsoll.view.stage.pictures > 0")
    if not checks.true(f"{name}: a picture is shown", ready):
        return
    driver.execute_async_script("const f = arguments[0]; plimsoll.view.show(plimsoll.view.frames.length - 1).then(() => setTimeout(f, 800))")
    check_silhouettes(options, checks, driver, name, folder)
    picks = driver.execute_script(PICKS, LEAST)
    checks.true(f"{name}: {len(picks)} picks name the right body", len(picks) > 0 and all(picks))
    driver.execute_script(COUNT)
    check_still(checks, driver, f"{name}: orbiting", 6, lambda: driver.execute_async_script(ORBIT))
    check_still(checks, driver, f"{name}: dragging", 1, lambda: drag(driver))
    if not driver.execute_script("return plimsoll.view.flat"):
        check_silhouettes(options, checks, driver, f"{name}, turned", folder)
    plotted = check_plots(checks, driver, name, folder)
    if name.split(",")[0] in PROBED:
        checks.true(f"{name}: bodies with probes were picked", plotted > 0)
    errors = [line["message"] for line in driver.get_log("browser") if line["level"] == "SEVERE"]
    checks.true(f"{name}: no error on the console", not errors, "; ".join(errors)[:300])
    own = address.split("?")[0].rstrip("/")
    foreign = [line["message"] for line in driver.get_log("performance") if '"Network.requestWillBeSent"' in line["message"]
               and own not in line["message"] and '"url":"data:' not in line["message"] and '"url":"blob:' not in line["message"]]
    checks.true(f"{name}: no request to elsewhere", not foreign, "; ".join(foreign)[:300])


def check_before(checks, driver, options, root):
    """Frames without names, kinds and poses of bodies."""
    folder = older(options, root).folder
    driver.get_log("browser")
    with served(options.program, folder) as (port, token, _):
        driver.get(f"http://127.0.0.1:{port}/?token={token}")
        checks.true("frames of before: a picture is shown", wait(
            driver, "window.plimsoll && plimsoll.view.isReady && plimsoll.view.stage.pictures > 0"))
        # Without kinds the ground counts as a body: all is small until one looks at another body.
        driver.execute_script("""
const view = plimsoll.view, layer = [...view.layers.values()].find((l) => l.name === 'rigid');
view.select({layer, object: layer.table.count - 1});
view.fit(true);
view.select(null);""")
        time.sleep(1)
        picks = driver.execute_script(PICKS, 50)
        checks.true(f"frames of before: {len(picks)} picks name the right body", len(picks) > 1 and all(picks))
    errors = [line["message"] for line in driver.get_log("browser") if line["level"] == "SEVERE"]
    checks.true("frames of before: no error on the console", not errors, "; ".join(errors)[:300])


# Chooses arrows, and tells how many are drawn, how long the longest vector is, where the first begins, what can be chosen.
POINT = """
const [kind, done] = arguments, view = plimsoll.view, place = new view.arrows.root.position.constructor();
view.settings.arrows = kind;
view.show(view.frames.length - 1).then(() => {
  const { shafts } = view.arrows, matrix = shafts.matrix.clone(), starts = [];
  for (let i = 0; i < shafts.count; i++) {
    shafts.getMatrixAt(i, matrix);
    starts.push(place.setFromMatrixPosition(matrix).toArray());
  }
  done({starts, longest: view.longestArrow, kinds: view.arrowKinds(), legend: document.getElementById('legends').textContent});
});"""


def check_arrows(checks, driver, options, root):
    """Arrows of contacts stand where the frame's contacts are and have their forces."""
    folder = os.path.join(root, "arrows")
    call(options.program, "run", scene_path("rigid/arch.yaml"), "--out", folder, "--frames", "6", "--quiet", "--set",
         "/output/contacts=true")
    with h5py.File(os.path.join(folder, "frame_00006.h5"), "r") as frame:
        points, forces = frame["rigid/contact_points"][:], np.linalg.norm(frame["rigid/contact_forces"][:], axis=1)
    with served(options.program, folder) as (port, token, _):
        driver.get(f"http://127.0.0.1:{port}/?token={token}")
        wait(driver, "window.plimsoll && plimsoll.view.isReady")
        told = driver.execute_async_script(POINT, "contact_forces")
        shown = points[forces > 1e-3 * forces.max()]
        starts = np.array(told["starts"]).reshape(-1, 3)
        checks.true(f"arrows: {len(shown)} contacts of {len(points)} are drawn", len(shown) == len(starts) > 10)
        checks.below("arrows: places against the frame's, m", np.abs(starts - shown).max(), 1e-6)
        checks.below("arrows: the longest force against the frame's", abs(told["longest"] / forces.max() - 1), 1e-12)
        checks.true("arrows: the legend tells of it", "contact forces: longest" in told["legend"], told["legend"])
        told = driver.execute_async_script(POINT, "velocities")
        checks.true("arrows: velocities can be chosen, too", told["kinds"] == ["velocities", "contact_forces", "contact_normals"])


def check_stepped(checks, driver, options, root):
    """A run that the page starts, steps and follows."""
    folder = os.path.join(root, "live")
    call(options.program, "run", scene_path("rigid/throw.yaml"), "--out", folder, "--frames", "2", "--quiet")
    with served(options.program, folder) as (port, token, _):
        driver.get(f"http://127.0.0.1:{port}/?token={token}")
        if not checks.true("live: a picture is shown", wait(driver, "window.plimsoll && plimsoll.view.isReady")):
            return
        driver.execute_script("plimsoll.panel.act('step')")
        checks.true("live: a step makes one frame", wait(driver, "!plimsoll.view.run.running && plimsoll.view.frames.length === 4"))
        driver.execute_script("plimsoll.panel.act('resume')")
        done = wait(driver, "!plimsoll.view.run.running && plimsoll.view.frames.at(-1) === plimsoll.view.run.last && "
                            "plimsoll.view.block.frame === plimsoll.view.run.last")
        checks.true("live: followed to its end", done)


def main():
    options = arguments(__doc__, lambda parser: parser.add_argument("--scenes", nargs="*", choices=sorted(SCENES), help="only these"))
    if options.quickest:
        print("skipped: belongs to make check", file=sys.stderr)
        sys.exit(77)
    checks = Checks()
    chosen = {name: SCENES[name] for name in options.scenes or SCENES}
    driver = browser()
    try:
        with tempfile.TemporaryDirectory() as root:
            for name, (scene, frames) in chosen.items():
                folder = os.path.join(root, name)
                call(options.program, "run", scene_path(scene), "--out", folder, "--frames", str(frames), "--quiet")
                with served(options.program, folder) as (port, token, _):
                    check_page(options, checks, driver, name, folder, f"http://127.0.0.1:{port}/?token={token}")
                call(options.program, "export", folder, "--to", "html")
                check_page(options, checks, driver, f"{name}, file", folder, f"file://{folder}/export/run.html")
            check_stepped(checks, driver, options, root)
            if not options.scenes:
                check_before(checks, driver, options, root)
                check_arrows(checks, driver, options, root)
    finally:
        driver.quit()
    checks.finish()


if __name__ == "__main__":
    main()
