// The tree of objects: hide, isolate, transparent, wireframe.
import { CLEAR, SOLID, WIRE } from '../scene/object_table.js';
import { byId, h } from './dom.js';

const MOST = 400; // objects listed of a mesh

export class Tree {
  constructor(view) {
    this.view = view;
    for (const event of ['objects', 'selection', 'ready', 'tables']) view.addEventListener(event, () => this.draw());
  }

  draw() {
    const rows = [...this.view.layers.values()].flatMap((layer) => this.layerRows(layer));
    byId('tree').replaceChildren(...rows);
    byId('left').classList.toggle('short', byId('tree').querySelectorAll('.item').length < 12);
  }

  layerRows(layer) {
    const items = layer.items?.() ?? [];
    if (items.length === 1) return [this.objectRow(layer, 0, items[0].label)];
    const head = h('div', { className: `item${layer.visible ? '' : ' off'}` }, this.eye(layer),
      h('span', { className: 'name' }, layer.name));
    const nested = items.slice(0, MOST).map((item) => this.objectRow(layer, item.object, item.label));
    if (items.length > MOST) nested.push(h('div', { className: 'item' }, `and ${items.length - MOST} more`));
    return [head, h('div', { className: 'nested' }, ...nested)];
  }

  eye(layer, object) {
    const on = object === undefined ? layer.visible : !!layer.table.visible[object];
    return h('button', { title: on ? 'hide' : 'show', onclick: () => this.view.setVisible(layer, object, !on) }, on ? '\u25C9' : '\u25CB');
  }

  objectRow(layer, object, label) {
    const { table } = layer, { selection } = this.view;
    const chosen = selection?.layer === layer && selection.object === object;
    const color = [0, 1, 2].map((c) => Math.round(255 * table.data[4 * object + c] ** (1 / 2.2)));
    const dot = h('span', { className: 'dot' });
    dot.style.background = `rgb(${color})`;
    return h('div', { className: `item${chosen ? ' chosen' : ''}${table.visible[object] ? '' : ' off'}` },
      this.eye(layer, object), dot,
      h('button', { className: 'name', title: label, onclick: () => this.view.select(chosen ? null : { layer, object }) }, label),
      this.mode(layer, object, CLEAR, 'T', 'transparent'), this.mode(layer, object, WIRE, 'W', 'wireframe'),
      h('button', { title: 'isolate', onclick: () => this.view.isolate(layer, object) }, '\u25CE'));
  }

  mode(layer, object, mode, text, title) {
    const on = layer.table.mode[object] === mode;
    return h('button', { title, className: on ? 'on' : '', onclick: () => this.view.setMode(layer, object, on ? SOLID : mode) }, text);
  }
}
