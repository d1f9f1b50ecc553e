// Buttons of the toolbar and keys, one table for both and for the help.
import license from 'three-license';
import { CLEAR, SOLID, WIRE } from '../scene/object_table.js';
import { byId, h, say } from './dom.js';

export function addKeys(view, timeline) {
  const chosen = (act) => () => view.selection && act(view.selection.layer, view.selection.object);
  const mode = (m) => chosen((layer, object) => view.setMode(layer, object, layer.table?.mode[object] === m ? SOLID : m));
  const look = (direction) => () => view.fit(false, direction);
  const keys = [
    [' ', 'Space', 'play or pause', () => timeline.toggle()],
    ['ArrowLeft', '\u2190', 'one frame back', () => timeline.step(-1)],
    ['ArrowRight', '\u2192', 'one frame on', () => timeline.step(1)],
    ['Home', 'Home', 'first frame', () => timeline.go(0)],
    ['End', 'End', 'last frame', () => timeline.go(view.frames.length - 1)],
    ['+', '+', 'faster', () => timeline.changeSpeed(1)],
    ['-', '-', 'slower', () => timeline.changeSpeed(-1)],
    ['f', 'f', 'fit to what is chosen, or to all', () => view.fit(true), 'Fit'],
    ['0', '0', 'the view of the start', () => view.camera.reset()],
    ['1', '1', 'from the front', look('front'), 'Front'],
    ['!', 'Shift 1', 'from the back', look('back')],
    ['3', '3', 'from the right', look('right'), 'Right'],
    ['#', 'Shift 3', 'from the left', look('left')],
    ['7', '7', 'from the top', look('top'), 'Top'],
    ['&', 'Shift 7', 'from below', look('bottom')],
    ['h', 'h', 'hide what is chosen', chosen((layer, object) => view.setVisible(layer, object, false))],
    ['i', 'i', 'isolate it', chosen((layer, object) => view.isolate(layer, object))],
    ['t', 't', 'make it transparent', mode(CLEAR)],
    ['w', 'w', 'make it a wireframe', mode(WIRE)],
    ['a', 'a', 'show all', () => view.showAll()],
    ['Escape', 'Esc', 'choose nothing', () => view.select(null)],
    ['g', 'g', 'ground on or off', () => { view.stage.ground.visible = !view.stage.ground.visible; view.stage.draw(); }],
    ['p', 'p', 'panels on or off', () => { document.body.classList.toggle('bare'); view.tell('panels'); }],
    ['s', 's', 'save the picture', () => savePicture(view), 'Save picture'],
    ['c', 'c', 'copy the camera as a key of a scene', () => copyCamera(view), 'Copy camera'],
    ['?', '?', 'this help', () => byId('help').showModal(), '?'],
  ];
  byId('tools').append(...keys.filter((key) => key[4]).map(([, shown, title, act, text]) =>
    h('button', { title: `${title} (${shown})`, onclick: act }, text)));
  addHelp(keys);
  window.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || byId('help').open) return;
    if (/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) && event.target.type !== 'range') return;
    const key = keys.find(([name]) => name === event.key || (name === '+' && event.key === '='));
    if (!key) return;
    event.preventDefault();
    key[3]();
  });
}

function addHelp(keys) {
  byId('help').append(
    h('h2', {}, 'Mouse'), h('p', {}, 'Left button: turn. Right button, or with Shift: move. Wheel: nearer, farther. Click: choose a body.'),
    h('h2', {}, 'Keys'), h('table', {}, ...keys.map(([, shown, text]) => h('tr', {}, h('td', {}, h('kbd', {}, shown)), h('td', {}, text)))),
    h('h2', {}, 'Made with'), h('p', {}, 'three.js, under this licence:'), h('pre', {}, license),
    h('button', { onclick: () => byId('help').close() }, 'Close'));
}

async function savePicture(view) {
  const address = URL.createObjectURL(await view.stage.picture());
  h('a', { href: address, download: `${view.run.name}_${String(view.block?.frame ?? 0).padStart(5, '0')}.png` }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

async function copyCamera(view) {
  const key = view.camera.key();
  try {
    await navigator.clipboard.writeText(key);
    say(`copied: ${key}`);
  } catch {
    say(key); // to be copied by hand
  }
}
