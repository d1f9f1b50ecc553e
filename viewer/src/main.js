// The page starts here.
import { openSource } from './data/source.js';
import { byId, say } from './ui/dom.js';
import { Inspector } from './ui/inspector.js';
import { addKeys } from './ui/keys.js';
import { drawLegends } from './ui/legend.js';
import { margins } from './ui/margins.js';
import { drawOverlay } from './ui/overlay.js';
import { RunPanel } from './ui/run_panel.js';
import { Settings } from './ui/settings.js';
import { Timeline } from './ui/timeline.js';
import { Tree } from './ui/tree.js';
import { View } from './view.js';

const CLICK = 4; // pixels that a click may move

function addPicking(view, canvas) {
  let down = null;
  canvas.addEventListener('pointerdown', (event) => (down = [event.clientX, event.clientY]));
  canvas.addEventListener('pointerup', (event) => {
    const isClick = down && event.button === 0 && Math.hypot(event.clientX - down[0], event.clientY - down[1]) < CLICK;
    if (isClick && view.isReady) view.select(view.pickAt(event.offsetX, event.offsetY));
  });
}

function start() {
  const canvas = byId('canvas'), view = new View(openSource(), canvas);
  const timeline = new Timeline(view);
  new Tree(view);
  new Settings(view);
  const inspector = new Inspector(view), panel = new RunPanel(view);
  addKeys(view, timeline);
  addPicking(view, canvas);
  for (const event of ['frame', 'objects']) view.addEventListener(event, () => drawLegends(view));
  view.addEventListener('run', () => (byId('name').textContent = view.run.name));
  view.stage.listeners.push(() => drawOverlay(view));
  const fill = () => view.stage.resize(window.innerWidth, window.innerHeight, margins());
  window.addEventListener('resize', fill);
  view.addEventListener('panels', fill);
  fill();
  window.plimsoll = { view, timeline, inspector, panel }; // for the console, and for tests
  view.open().catch((error) => say(error.message));
}

start();
