// A run that goes on: what it does, and buttons to start, pause and step it. Asks the server only while one goes on.
import { byId, h, say } from './dom.js';

const PERIOD = 500; // ms

export class RunPanel {
  constructor(view) {
    this.view = view;
    view.addEventListener('run', () => this.draw());
    view.stage.renderer.domElement.addEventListener('pointerdown', () => (this.held = true));
    window.addEventListener('pointerup', () => (this.held = false));
    window.addEventListener('focus', () => view.run && this.look());
    setInterval(() => view.run?.running && !this.held && this.look(), PERIOD);
  }

  async look() {
    if (!this.view.source.canControl || this.looking) return;
    this.looking = true;
    try {
      await this.view.follow(await this.view.source.state());
    } catch (error) {
      this.view.run.running = false;
      say(`the server does not answer: ${error.message}`);
    }
    this.looking = false;
  }

  async act(action) {
    const { view } = this;
    if (action === 'start' && view.frames.length > 1 && !confirm(`Start anew? The ${view.frames.length} frames of this run are removed.`)) return;
    view.following = true;
    try {
      await view.follow(await view.source.control(action));
    } catch (error) {
      say(error.message);
    }
  }

  draw() {
    const { run, frames, source } = this.view, last = frames?.[frames.length - 1] ?? 0;
    if (!source.canControl) return;
    const button = (action, text, title) => h('button', { title, onclick: () => this.act(action) }, text);
    const parts = [];
    if (run.running) parts.push(h('span', { className: 'live' }, `running: frame ${last} of ${run.last ?? '?'}`));
    if (run.running && run.ours) parts.push(button('pause', 'Pause the run', 'saved; it can go on to the bit'));
    if (!run.running) {
      parts.push(h('span', {}, last < run.last ? `run to frame ${last} of ${run.last}` : 'run is done'));
      if (last < run.last) parts.push(button('resume', 'Run', 'go on to the end'));
      parts.push(button('step', 'Step', 'compute one frame more'));
      if (run.can_start) parts.push(button('start', 'Start anew', 'run the scene file from the start'));
      if (run.exit_code > 0 && run.exit_code !== 130) parts.push(h('span', { className: 'live' }, 'the run failed: see the terminal'));
    }
    byId('run').replaceChildren(...parts);
  }
}
