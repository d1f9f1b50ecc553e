// How it is shown: colours by quantity, arrows, slices and volumes, a clipping plane.
import { ARROWS } from '../scene/quantity.js';
import { byId, h, short } from './dom.js';

function row(label, ...parts) {
  return h('div', { className: 'row' }, h('label', {}, label), ...parts);
}

function choice(options, value, change) {
  return h('select', { onchange: (event) => change(event.target.value) },
    ...options.map(([key, text]) => h('option', { value: key, selected: key === value }, text)));
}

function check(text, value, change) {
  return h('button', { className: value ? 'on' : '', onclick: () => change(!value) }, text);
}

function slider(value, change) {
  return h('input', { type: 'range', min: 0, max: 1, step: 0.005, value, oninput: (event) => change(Number(event.target.value)) });
}

export class Settings {
  constructor(view) {
    this.view = view;
    view.addEventListener('ready', () => this.draw());
    view.addEventListener('objects', () => this.draw());
  }

  // Changes, fetches what that needs, and shows what can be set now.
  async apply(change) {
    change();
    await this.view.refresh();
    this.draw();
  }

  draw() {
    const { view } = this, { settings } = view;
    const parts = [h('h2', {}, 'Show')];
    const quantities = view.quantities();
    if (quantities.length > 0)
      parts.push(row('colour by', choice([['own', 'own colours'], ...quantities.map((q) => [q.array, q.label])], settings.color,
        (value) => this.apply(() => { settings.color = value; settings.range = null; }))));
    if (view.quantity) parts.push(this.rangeRow(settings, view.range));
    parts.push(row('arrows', choice([['', 'none'], ...view.arrowKinds().map((name) => [name, ARROWS[name].label])], settings.arrows,
      (name) => this.apply(() => (settings.arrows = name)))));
    for (const layer of view.layers.values()) if (layer.kind === 'volume' && layer.group) parts.push(...this.volumeRows(layer));
    parts.push(...this.clipRows());
    byId('settings').replaceChildren(...parts);
  }

  // Lowest and highest colour; fixed once something is typed.
  rangeRow(target, shown) {
    const field = (i) => h('input', {
      type: 'number', step: 'any', value: Number(shown[i].toPrecision(4)), title: `fix the range (now ${short(shown[i])})`,
      onchange: (event) => this.apply(() => {
        const range = [...shown];
        range[i] = Number(event.target.value);
        if (range[0] < range[1]) target.range = range;
      }),
    });
    return row(target.range ? 'range fixed' : 'range', field(0), field(1),
      target.range ? h('button', { title: 'fit the range again', onclick: () => this.apply(() => (target.range = null)) }, '\u21BA') : null);
  }

  volumeRows(layer) {
    const { options } = layer, set = (change) => this.apply(() => Object.assign(options, change));
    const parts = [h('h2', {}, layer.name)];
    if (layer.dim === 3) {
      parts.push(row('show', check('slice', options.slice, (slice) => set({ slice })), check('volume', options.smoke, (smoke) => set({ smoke }))));
      const scalars = layer.group.arrays.filter((a) => a.type === 'f32' && a.columns === 1).map((a) => [a.name, a.name]);
      if (!scalars.some(([name]) => name === options.source)) options.source = scalars[0]?.[0];
      if (options.smoke) parts.push(row('volume of', choice(scalars, options.source, (source) => set({ source }))),
        row('thickness', slider(options.thickness / 3, (part) => set({ thickness: 3 * part }))));
    }
    if (!options.slice) return parts;
    parts.push(row('quantity', choice(layer.quantities(layer.group).map((q) => [q.array, q.label]), options.quantity,
      (quantity) => set({ quantity, range: null }))));
    if (layer.range) parts.push(this.rangeRow(options, layer.range));
    if (layer.dim === 3) parts.push(row('across', choice([['x', 'x'], ['y', 'y'], ['z', 'z']], options.axis, (axis) => set({ axis })),
      h('input', { type: 'range', min: 0, max: 1, step: 0.005, value: options.at, oninput: (e) => { options.at = Number(e.target.value); this.view.refresh(); } })));
    return parts;
  }

  clipRows() {
    const { clip } = this.view.settings;
    const set = (change) => { this.view.setClip(change); this.draw(); };
    const parts = [h('h2', {}, 'Clip'), row('plane', ...['x', 'y', 'z'].map((name, axis) =>
      check(name, clip?.axis === axis, (on) => set(on ? { axis, at: 0.5, flip: false } : null))),
      clip ? check('flip', clip.flip, (flip) => set({ ...clip, flip })) : null)];
    if (clip) parts.push(row('at', h('input', { type: 'range', min: 0, max: 1, step: 0.002, value: clip.at,
      oninput: (event) => this.view.setClip({ ...this.view.settings.clip, at: Number(event.target.value) }) })));
    return parts;
  }
}
