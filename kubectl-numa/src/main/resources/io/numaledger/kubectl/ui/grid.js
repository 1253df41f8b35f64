// The grid of nodes on a canvas. Only the rows that can be seen are drawn.

import { element } from './table.js';
import { STEPS, colorOfStep, named } from './colors.js';

const GAP = 3;

// A node of this width has its name on top.
const NAMED_WIDTH = 180;
const NAME_HEIGHT = 18;

// A node of this width has numbers in it.
const NUMBERED_WIDTH = 270;
const MARK_HEIGHT = 3;

// Few nodes fill the picture up to this size.
const LARGEST = [540, 190];

// Width and height of a node; the largest that needs no scrolling is taken.
const SIZES = [[360, 128], [270, 96], [180, 64], [96, 44], [64, 32], [44, 24], [32, 18], [22, 14], [14, 12]];

export class FleetGrid {
  // focused(node) is called when one is pointed at, opened(node) when it is chosen.
  constructor(focused, opened) {
    this.focused = focused;
    this.opened = opened;
    this.nodes = [];
    this.focus = -1;
    this.canvas = element('canvas', {
      tabindex: '0', role: 'application', 'aria-roledescription': 'grid of nodes',
      'aria-label': 'Nodes: arrow keys move, Enter opens the node',
      keydown: (event) => this.key(event),
      pointermove: (event) => event.pointerType === 'mouse' && this.point(event),
      click: (event) => this.click(event),
      focus: () => this.focus < 0 && this.nodes.length && this.move(0),
    });
    this.space = element('div', { class: 'space' });
    this.root = element('div', { class: 'scroll', scroll: () => this.draw() }, this.canvas, this.space);
    this.resized = new ResizeObserver(() => this.layout());
    this.resized.observe(this.root);
  }

  close() {
    this.resized.disconnect();
  }

  show(nodes) {
    const before = this.nodes[this.focus];
    this.nodes = nodes;
    this.focus = before ? nodes.findIndex((node) => node.node === before.node) : -1;
    this.layout();
    if (this.focus >= 0) {
      this.focused(nodes[this.focus]);
    }
  }

  layout() {
    this.width = this.root.clientWidth;
    this.height = this.root.clientHeight;
    [this.w, this.h] = SIZES.find(([w, h]) => this.rows(w) * (h + GAP) + GAP <= this.height) ?? SIZES.at(-1);
    this.columns = this.inRow(this.w);
    if (this.w >= NAMED_WIDTH && this.nodes.length) {
      this.columns = Math.min(this.columns, this.nodes.length);
      const rows = Math.ceil(this.nodes.length / this.columns);
      [this.w, this.h] = [[this.width, this.columns], [this.height, rows]]
        .map(([room, count], index) => Math.max([this.w, this.h][index], Math.min(LARGEST[index], Math.floor((room - GAP) / count) - GAP)));
    }
    this.space.style.height = Math.max(this.height, Math.ceil(this.nodes.length / this.columns) * (this.h + GAP) + GAP) + 'px';
    const ratio = window.devicePixelRatio || 1;
    this.canvas.width = this.width * ratio;
    this.canvas.height = this.height * ratio;
    this.canvas.style.width = this.width + 'px';
    this.canvas.style.height = this.height + 'px';
    this.draw();
  }

  inRow(w) {
    return Math.max(1, Math.floor((this.width - GAP) / (w + GAP)));
  }

  rows(w) {
    return Math.ceil(this.nodes.length / this.inRow(w));
  }

  // Several reasons to draw within one frame are one.
  draw() {
    this.frame ??= requestAnimationFrame(() => {
      this.frame = null;
      this.paint();
    });
  }

  paint() {
    const pen = this.canvas.getContext('2d');
    const ratio = window.devicePixelRatio || 1;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, this.width, this.height);
    pen.font = '13px system-ui, sans-serif';
    const colors = { line: named('line'), bad: named('bad'), text: named('text'), ground: named('ground') };
    const first = Math.max(0, Math.floor((this.root.scrollTop - GAP) / (this.h + GAP))) * this.columns;
    const last = (Math.ceil((this.root.scrollTop + this.height) / (this.h + GAP)) + 1) * this.columns;
    for (let index = first; index < Math.min(last, this.nodes.length); index++) {
      this.paintNode(pen, index, colors);
    }
    if (this.focus >= 0) {
      const [x, y] = this.place(this.focus);
      pen.strokeStyle = colors.text;
      pen.lineWidth = 2;
      pen.strokeRect(x - 1.5, y - 1.5, this.w + 3, this.h + 3);
    }
  }

  paintNode(pen, index, colors) {
    const node = this.nodes[index];
    const [x, y] = this.place(index);
    const top = this.w >= NAMED_WIDTH ? NAME_HEIGHT : 0;
    const count = node.steps.length;
    for (let zone = 0; zone < count; zone++) {
      const left = Math.round((zone * this.w) / count);
      const right = Math.round(((zone + 1) * this.w) / count) - (zone < count - 1 && this.w / count > 3 ? 1 : 0);
      pen.fillStyle = colorOfStep(node.steps[zone]);
      pen.fillRect(x + left, y + top, right - left, this.h - top);
      if (this.w >= NUMBERED_WIDTH) {
        pen.fillStyle = node.steps[zone] < STEPS / 2 ? colors.text : colors.ground;
        pen.fillText(node.texts[zone], x + left + 6, y + (top + this.h) / 2 + 5, right - left - 12);
      }
    }
    if (count === 0 || node.steps.includes(0)) {
      pen.strokeStyle = colors.line;
      pen.lineWidth = 1;
      pen.strokeRect(x + 0.5, y + top + 0.5, this.w - 1, this.h - top - 1);
    }
    if (node.closed) {
      pen.fillStyle = colors.text;
      pen.fillRect(x, y + this.h - MARK_HEIGHT, this.w, MARK_HEIGHT);
    }
    if (top) {
      pen.fillStyle = colors.text;
      pen.fillText(node.node, x, y + NAME_HEIGHT - 5, this.w - 10);
    }
    if (node.problem) {
      pen.fillStyle = colors.bad;
      pen.beginPath();
      pen.moveTo(x + this.w - 7, y);
      pen.lineTo(x + this.w, y);
      pen.lineTo(x + this.w, y + 7);
      pen.fill();
    }
  }

  // Where a node is on the canvas.
  place(index) {
    const row = Math.floor(index / this.columns);
    return [GAP + (index % this.columns) * (this.w + GAP), GAP + row * (this.h + GAP) - this.root.scrollTop];
  }

  at(event) {
    const box = this.canvas.getBoundingClientRect();
    const column = Math.floor((event.clientX - box.left - GAP) / (this.w + GAP));
    const row = Math.floor((event.clientY - box.top + this.root.scrollTop - GAP) / (this.h + GAP));
    const index = row * this.columns + column;
    return column >= 0 && column < this.columns && row >= 0 && index < this.nodes.length ? index : -1;
  }

  point(event) {
    const index = this.at(event);
    if (index >= 0 && index !== this.focus) {
      this.focusOn(index);
    }
  }

  click(event) {
    const index = this.at(event);
    if (index >= 0 && index === this.focus) {
      this.opened(this.nodes[index]);
    } else if (index >= 0) {
      this.focusOn(index);
    }
  }

  focusOn(index) {
    this.focus = index;
    this.focused(this.nodes[index]);
    this.draw();
  }

  key(event) {
    const page = this.columns * Math.max(1, Math.floor(this.height / (this.h + GAP)));
    const steps = {
      ArrowRight: 1, ArrowLeft: -1, ArrowDown: this.columns, ArrowUp: -this.columns,
      PageDown: page, PageUp: -page, Home: -this.nodes.length, End: this.nodes.length,
    };
    if (event.key === 'Enter' && this.focus >= 0) {
      this.opened(this.nodes[this.focus]);
    } else if (event.key in steps && this.nodes.length) {
      this.move(this.focus + steps[event.key]);
    } else {
      return;
    }
    event.preventDefault();
  }

  move(index) {
    this.focusOn(Math.min(this.nodes.length - 1, Math.max(0, index)));
    const [, y] = this.place(this.focus);
    if (y < GAP) {
      this.root.scrollTop += y - GAP;
    } else if (y + this.h + GAP > this.height) {
      this.root.scrollTop += y + this.h + GAP - this.height;
    }
  }
}
