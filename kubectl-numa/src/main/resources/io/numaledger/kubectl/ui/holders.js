// A number and a colour for each pod of a node. Both stay as long as the view is open.

import { element } from './table.js';
import { readable } from './format.js';

export class Holders {
  constructor() {
    this.numbers = new Map();
  }

  static get OTHERS() {
    return '\u0000others';
  }

  number(name) {
    if (!this.numbers.has(name)) {
      this.numbers.set(name, this.numbers.size + 1);
    }
    return this.numbers.get(name);
  }

  label(name) {
    return name === Holders.OTHERS ? '?' : String(this.number(name));
  }

  // Neighbouring numbers differ in hue, and every other one in lightness. Dark text is read on all of them.
  color(name) {
    if (name === Holders.OTHERS) {
      return 'hsl(0 0% 70%)';
    }
    const number = this.number(name);
    return `hsl(${Math.round(number * 137.5) % 360} 62% ${number % 2 ? 66 : 76}%)`;
  }

  swatch(name) {
    const made = element('span', { class: 'cpu held', 'aria-hidden': 'true' }, this.label(name));
    made.style.backgroundColor = this.color(name);
    return made;
  }
}

// The ids of a kernel list such as 0-3,8.
export function ids(list) {
  return (list || '').split(',').filter((part) => part).flatMap((part) => {
    const [first, last] = part.split('-').map(Number);
    return Array.from({ length: (last ?? first) - first + 1 }, (_, index) => first + index);
  });
}

// What a pod holds, zone by zone.
export function placement(zones) {
  const texts = (zones || []).map((each) => each.zone + ': '
    + Object.entries(each.amount).map(([resource, amount]) => readable(resource, amount) + ' ' + resource).join(', '));
  return texts.join('; ') || 'nothing of a zone';
}
