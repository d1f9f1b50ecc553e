// Curves over time, with a mark at the time that is shown.
import { h, short } from './dom.js';

export class Plot {
  constructor(label, time, values) {
    this.canvas = h('canvas');
    this.value = h('span');
    Object.assign(this, { label, time, values });
    this.root = h('div', { className: 'plot' }, h('div', {}, h('span', {}, label), this.value), this.canvas);
  }

  draw(now) {
    const ratio = window.devicePixelRatio, width = 250, height = 84, pen = this.canvas.getContext('2d');
    this.canvas.width = width * ratio;
    this.canvas.height = height * ratio;
    pen.scale(ratio, ratio);
    const { time, values } = this, n = Math.min(time.length, values.length);
    if (n === 0) return;
    let low = Infinity, high = -Infinity;
    for (let i = 0; i < n; i++) if (Number.isFinite(values[i])) [low, high] = [Math.min(low, values[i]), Math.max(high, values[i])];
    if (!(high > low)) [low, high] = [low - 1, low + 1];
    const end = time[n - 1] || 1, x = (t) => 4 + (t / end) * (width - 8), y = (v) => height - 6 - ((v - low) / (high - low)) * (height - 12);
    pen.strokeStyle = '#1466b8';
    pen.lineWidth = 1.5;
    pen.beginPath();
    const stride = Math.max(1, Math.floor(n / 2000));
    for (let i = 0; i < n; i += stride) pen.lineTo(x(time[i]), y(values[i]));
    pen.stroke();
    pen.fillStyle = '#5a6876';
    pen.font = '10px sans-serif';
    pen.fillText(short(high), 4, 11);
    pen.fillText(short(low), 4, height - 3);
    let at = 0;
    while (at < n - 1 && time[at + 1] <= now + 1e-9) at++;
    this.value.textContent = short(values[at]);
    pen.strokeStyle = '#c85a00';
    pen.beginPath();
    pen.moveTo(x(time[at]), 0);
    pen.lineTo(x(time[at]), height);
    pen.stroke();
  }
}
