#!/usr/bin/python3
"""The page of `plimsoll view` and the html file, in headless Chromium with software GL.

Of each scene: no error on the console, no request to elsewhere, picks name the body whose silhouette they hit, plots
equal probes.csv, and while orbiting no byte is sent and no array uploaded. A live run is followed to its end. Silhouettes
against `render --ids` are not compared here yet.
"""
import csv
import os
import sys
import tempfile
import time

from common import Checks, arguments, call, scene_path
from view_server import served

SCENES = {"rigid": ("rigid/shapes.yaml", 6), "flow": ("fluid/vortex_street.yaml", 3), "smoke": ("fluid/plume_past_ball.yaml", 4),
          "splash": ("splash/fountain.yaml", 6), "water": ("fluid/drop_splash.yaml", 2), "float": ("float/crates.yaml", 1)}

COUNT = """
const gl = WebGL2RenderingContext.prototype;
window.sent = 0;
for (const name of ['bufferData', 'bufferSubData', 'texImage2D', 'texSubImage2D', 'texImage3D', 'texSubImage3D']) {
  const real = gl[name];
  gl[name] = function (...all) { window.sent++; return real.apply(this, all); };
}"""

ORBIT = """
const done = arguments[0], view = plimsoll.view;
const start = {sent: window.sent, bytes: view.source.bytes, requests: view.source.requests, pictures: view.stage.pictures};
// Six pictures, however long software takes for one.
const turn = (left) => {
  if (left === 0) return setTimeout(() => done([window.sent - start.sent, view.source.bytes - start.bytes,
    view.source.requests - start.requests, view.stage.pictures - start.pictures]), 500);
  const before = view.stage.pictures;
  view.camera.orbit.object.position.applyAxisAngle({x: 0, y: 1, z: 0}, 0.05);
  view.camera.orbit.update();
  view.stage.draw();
  const look = () => (view.stage.pictures > before ? turn(left - 1) : setTimeout(look, 50));
  look();
};
turn(6);"""

# The middle pixel of each body of 200 pixels or more that is drawn, and what a pick there finds.
PICKS = """
const view = plimsoll.view, canvas = view.stage.renderer.domElement, [w, h] = [canvas.clientWidth, canvas.clientHeight];
const picture = view.picker.draw([...view.layers.values()].filter((l) => !l.isClear), w, h), pixels = new Map();
picture.numbers.forEach((n, i) => { if (n) pixels.set(n, [...(pixels.get(n) ?? []), i]); });
const out = [];
for (const [n, list] of pixels) {
  if (list.length < 200 || out.length > 7) continue;
  const i = list[list.length >> 1], found = view.pickAt(i % w, Math.floor(i / w)), meant = picture.entries[n - 1];
  out.push(found && found.layer === meant.layer && found.object === meant.object);
}
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
    for word in ("--headless=new", "--no-sandbox", "--window-size=960,640", "--use-angle=swiftshader",
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


def check_page(checks, driver, name, folder, address):
    driver.get_log("browser"), driver.get_log("performance")
    driver.get(address)
    ready = wait(driver, "window.plimsoll && plimsoll.view.isReady && plimsoll.view.stage.pictures > 0")
    if not checks.true(f"{name}: a picture is shown", ready):
        return
    driver.execute_async_script("const f = arguments[0]; plimsoll.view.show(plimsoll.view.frames.length - 1).then(() => setTimeout(f, 800))")
    picks = driver.execute_script(PICKS)
    if picks:
        checks.true(f"{name}: {len(picks)} picks name the right body", all(picks))
    else:
        checks.note(f"{name}: no body to pick")
    driver.execute_script(COUNT)
    sent, size, requests, pictures = driver.execute_async_script(ORBIT)
    checks.true(f"{name}: orbiting sends and uploads nothing", pictures >= 6 and sent == 0 and size == 0 and requests == 0,
                f"{pictures} pictures, {sent} uploads, {size} bytes, {requests} requests")
    path = os.path.join(folder, "probes.csv")
    with open(path, encoding="ascii") as file:
        rows = list(csv.reader(file))
    if len(rows[0]) > 1:
        column = rows[0][1]
        shown = driver.execute_script(
            "plimsoll.inspector.extra = arguments[0]; plimsoll.inspector.draw();"
            "const p = plimsoll.inspector.plots.find((q) => q.label === arguments[0]); return [p.time, p.values]", column)
        same = [[float(row[0]) for row in rows[1:]], [float(row[1]) for row in rows[1:]]] == [list(map(float, s)) for s in shown]
        checks.true(f"{name}: the plot of {column} equals probes.csv", same)
    errors = [line["message"] for line in driver.get_log("browser") if line["level"] == "SEVERE"]
    checks.true(f"{name}: no error on the console", not errors, "; ".join(errors)[:300])
    own = address.split("?")[0].rstrip("/")
    foreign = [line["message"] for line in driver.get_log("performance") if '"Network.requestWillBeSent"' in line["message"]
               and own not in line["message"] and '"url":"data:' not in line["message"] and '"url":"blob:' not in line["message"]]
    checks.true(f"{name}: no request to elsewhere", not foreign, "; ".join(foreign)[:300])


def check_live(checks, driver, options, root):
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
                    check_page(checks, driver, name, folder, f"http://127.0.0.1:{port}/?token={token}")
                call(options.program, "export", folder, "--to", "html")
                check_page(checks, driver, f"{name}, file", folder, f"file://{folder}/export/run.html")
            check_live(checks, driver, options, root)
    finally:
        driver.quit()
    checks.finish()


if __name__ == "__main__":
    main()
