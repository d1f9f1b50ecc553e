// Play, scrub, step, speed.
import { byId, h, short } from './dom.js';

const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4];

export class Timeline {
  constructor(view) {
    this.view = view;
    this.speed = 1;
    this.slider = h('input', { type: 'range', min: 0, max: 0, value: 0, 'aria-label': 'frame', oninput: () => this.go(Number(this.slider.value)) });
    this.button = h('button', { className: 'main', title: 'play or pause (space)', onclick: () => this.toggle() }, 'Play');
    this.label = h('output');
    this.speeds = h('select', { title: 'speed (+ and -)', onchange: () => (this.speed = Number(this.speeds.value)) },
      ...SPEEDS.map((s) => h('option', { value: s, selected: s === 1 }, `${s}x`)));
    byId('timeline').append(
      this.button,
      h('button', { title: 'one frame back (left)', onclick: () => this.step(-1) }, '\u25C2'),
      h('button', { title: 'one frame on (right)', onclick: () => this.step(1) }, '\u25B8'),
      this.slider, this.label, this.speeds);
    view.addEventListener('frame', () => this.update());
    view.addEventListener('run', () => this.update());
  }

  update() {
    const { view } = this, count = view.frames?.length ?? 0;
    this.slider.max = Math.max(0, count - 1);
    this.slider.value = view.index;
    const last = view.run.last > (view.frames?.[count - 1] ?? 0) ? ` of ${view.run.last}` : ` of ${view.frames?.[count - 1] ?? 0}`;
    this.label.textContent = view.block ? `frame ${view.block.frame}${last}   t = ${short(view.block.time)} s` : 'no frame yet';
  }

  go(index) {
    const last = this.view.frames.length - 1;
    this.view.following = index >= last;
    return this.view.show(Math.min(Math.max(0, index), last));
  }

  step(by) {
    this.stop();
    return this.go(this.view.index + by);
  }

  changeSpeed(by) {
    const i = Math.min(Math.max(0, SPEEDS.indexOf(this.speed) + by), SPEEDS.length - 1);
    this.speed = SPEEDS[i];
    this.speeds.value = this.speed;
  }

  toggle() {
    if (this.playing) return this.stop();
    this.playing = true;
    this.button.textContent = 'Pause';
    if (this.view.index >= this.view.frames.length - 1) this.view.index = -1;
    this.next();
  }

  stop() {
    this.playing = false;
    this.button.textContent = 'Play';
  }

  // By the clock: a frame that takes long makes the film slower, and leaves none out.
  async next() {
    const started = performance.now(), { view } = this;
    if (!this.playing) return;
    if (view.index >= view.frames.length - 1) return this.stop();
    await this.go(view.index + 1);
    view.prefetch(view.index + 1);
    view.prefetch(view.index + 2);
    const wait = 1000 / ((view.run.fps || 24) * this.speed) - (performance.now() - started);
    setTimeout(() => this.next(), Math.max(0, wait));
  }
}
