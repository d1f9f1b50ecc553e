// What is chosen: name, mass, speed, its probes as curves; and any other column of the tables.
import { byId, h, short } from './dom.js';
import { Plot } from './plot.js';

export class Inspector {
  constructor(view) {
    this.view = view;
    this.extra = null; // a column asked for by name
    this.plots = [];
    for (const event of ['selection', 'tables']) view.addEventListener(event, () => this.draw());
    view.addEventListener('frame', () => this.update());
  }

  draw() {
    const { view } = this, { selection, probes } = view;
    this.plots = [];
    const parts = [];
    this.facts = h('dl', { className: 'facts' });
    if (selection) parts.push(h('h2', {}, selection.layer.objectName(selection.object)), this.facts);
    for (const column of this.columns()) this.plots.push(new Plot(column, probes.time, probes.column(column)));
    if (probes.names.length > 1)
      parts.push(h('h2', {}, 'Probes'), h('div', { className: 'row' },
        h('select', { onchange: (event) => { this.extra = event.target.value; this.draw(); } },
          h('option', { value: '' }, 'plot a column...'),
          ...probes.names.slice(1).map((name) => h('option', { value: name, selected: name === this.extra }, name)))));
    byId('inspector').replaceChildren(...parts, ...this.plots.map((plot) => plot.root));
    this.update();
  }

  // Columns of probes of the chosen object, or named after it.
  columns() {
    const { selection, probes, run } = this.view, all = probes.names.slice(1);
    const name = selection?.layer.objectName(selection.object);
    const names = new Set([name, ...(run.probes ?? []).filter((p) => p.object === name).map((p) => p.name)]);
    const own = name ? all.filter((column) => names.has(column.split('.')[0])) : [];
    return this.extra && all.includes(this.extra) && !own.includes(this.extra) ? [...own, this.extra] : own;
  }

  update() {
    const { selection, block } = this.view;
    for (const plot of this.plots) plot.draw(block?.time ?? 0);
    if (!selection || !this.facts) return;
    const motion = selection.layer.motion?.(selection.object), mass = selection.layer.masses?.[selection.object];
    const rows = [];
    const add = (name, text) => rows.push(h('dt', {}, name), h('dd', {}, text));
    if (mass > 0) add('mass', `${short(mass)} kg`);
    if (motion?.velocity) add('speed', `${short(Math.hypot(...motion.velocity))} m/s`);
    if (motion) add('place', `${motion.place.map(short).join(', ')} m`);
    this.facts.replaceChildren(...rows);
  }
}
