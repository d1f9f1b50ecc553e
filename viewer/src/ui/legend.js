// Legends: the scale of each quantity that is shown, its name, unit and range.
import { scaleColor } from '../scene/colors.js';
import { ARROWS } from '../scene/quantity.js';
import { byId, h, short } from './dom.js';

export function drawLegends(view) {
  const parts = view.legends().map(legend), kind = ARROWS[view.settings.arrows];
  if (kind?.unit) parts.push(h('div', { className: 'legend' }, `${kind.label}: longest ${short(view.longestArrow)} ${kind.unit}`));
  byId('legends').replaceChildren(...parts);
}

function legend({ quantity, range }) {
  const canvas = h('canvas', { width: 240, height: 1 }), pen = canvas.getContext('2d');
  for (let i = 0; i < 240; i++) {
    pen.fillStyle = `rgb(${scaleColor(quantity.scale, i / 239).map((c) => Math.round(255 * c))})`;
    pen.fillRect(i, 0, 1, 1);
  }
  const unit = quantity.unit ? `, ${quantity.unit}` : '';
  return h('div', { className: 'legend' }, `${quantity.label}${unit}`, canvas,
    h('div', {}, h('span', {}, short(range[0])), h('span', {}, short((range[0] + range[1]) / 2)), h('span', {}, short(range[1]))));
}
