// What panels cover of the window's edges, in pixels: the picture is centred in the rest.
import { byId } from './dom.js';

const GAP = 12;

export function margins() {
  const bare = document.body.classList.contains('bare');
  const box = (id) => byId(id).getBoundingClientRect();
  if (bare) return { left: 0, right: 0, top: 0, bottom: 0 };
  const left = box('left'), right = box('right'), bottom = box('bottom');
  return {
    left: left.width > 0 ? left.right + GAP : 0,
    right: right.width > 0 ? window.innerWidth - right.left + GAP : 0,
    top: box('tools').bottom + GAP,
    bottom: window.innerHeight - bottom.top + GAP,
  };
}
