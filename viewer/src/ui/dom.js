// Elements in one call: h('button', {class: 'x', onclick}, 'text', child...).
export function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (name in element && name !== 'list') element[name] = value;
    else element.setAttribute(name === 'className' ? 'class' : name, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

export function byId(id) {
  return document.getElementById(id);
}

// A number as people write it, four digits.
export function short(value) {
  if (!Number.isFinite(value)) return '-';
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e5 || size < 1e-3) return value.toExponential(2);
  return String(Number(value.toPrecision(4)));
}

// A line at the bottom that goes away again.
export function say(text) {
  const line = byId('message');
  line.textContent = text;
  line.classList.add('shown');
  clearTimeout(line.timer);
  line.timer = setTimeout(() => line.classList.remove('shown'), 4000);
}
