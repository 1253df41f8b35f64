// The NVLinks between the GPUs of a node, as a graph: zones from left to right, a line for each pair with links.

import { element } from './table.js';
import { holding } from './boxes.js';
import { gpuHolders } from './devices.js';

const SVG = 'http://www.w3.org/2000/svg';
const RADIUS = 22;

function svg(name, attributes, ...children) {
  const made = document.createElementNS(SVG, name);
  Object.entries(attributes).forEach(([key, value]) => made.setAttribute(key, value));
  made.append(...children);
  return made;
}

export function linkRows(node) {
  return node.gpus.devices.map((gpu, index) => ({
    name: 'GPU ' + index,
    zone: gpu.zone || 'unknown',
    uuid: gpu.uuid || 'unknown',
    links: node.gpus.links[index].map((links, other) => (other === index ? '–' : links)),
  }));
}

export function linksPicture(node, holders, after) {
  if (!node.gpus) {
    return [];
  }
  const pairs = node.gpus.links.flatMap((row, a) => row.map((links, b) => ({ a, b, links }))).filter((pair) => pair.b < pair.a);
  const linked = pairs.filter((pair) => pair.links > 0);
  if (!linked.length) {
    return [element('h3', {}, 'NVLinks'), element('p', {}, 'There is no NVLink between its GPUs.')];
  }
  const uniform = linked.length === pairs.length && linked.every((pair) => pair.links === linked[0].links);
  const words = uniform
    ? `Every two of its ${node.gpus.devices.length} GPUs have ${linked[0].links} NVLinks${node.gpus.kind === 'switch' ? ', through switches' : ''}.`
    : 'A line is an NVLink between two GPUs, with the number of links. GPUs without a line between them reach each other over PCIe.';
  return [element('h3', {}, 'NVLinks'), element('p', {}, words), graph(node, linked, uniform, holders, after)];
}

// On a circle, those of one zone side by side.
function places(node) {
  const order = node.gpus.devices.map((gpu, index) => ({ index, zone: gpu.zone || '~' }))
    .sort((a, b) => a.zone.localeCompare(b.zone) || a.index - b.index);
  const radius = Math.max(70, (order.length * (2 * RADIUS + 36)) / (2 * Math.PI));
  const at = [];
  order.forEach((gpu, place) => {
    const angle = ((place + 0.5) / order.length) * 2 * Math.PI - Math.PI / 2;
    at[gpu.index] = { x: radius * Math.cos(angle), y: radius * Math.sin(angle) };
  });
  return { at, size: 2 * (radius + RADIUS + 20) };
}

function graph(node, linked, uniform, holders, after) {
  const { at, size } = places(node);
  const byId = gpuHolders(node, holding(node, after)) || new Map();
  const picture = svg('svg', { viewBox: [-size / 2, -size / 2, size, size].join(' '), width: size, height: size, class: 'links', 'aria-hidden': 'true' });
  const most = Math.max(...linked.map((pair) => pair.links));
  for (const { a, b, links } of linked) {
    picture.append(svg('line', { x1: at[a].x, y1: at[a].y, x2: at[b].x, y2: at[b].y, class: 'link', 'stroke-width': 1 + (4 * links) / most }));
    if (!uniform) {
      // Not in the middle, where lines cross.
      picture.append(svg('text', { x: at[a].x + (at[b].x - at[a].x) * 0.36, y: at[a].y + (at[b].y - at[a].y) * 0.36, class: 'link-count' }, String(links)));
    }
  }
  node.gpus.devices.forEach((gpu, index) => picture.append(gpuMark(gpu, index, at[index], byId.get(gpu.uuid), holders)));
  return element('div', { class: 'wide' }, picture);
}

function gpuMark(gpu, index, { x, y }, pod, holders) {
  const title = svg('title', {}, `GPU ${index}${gpu.uuid ? ' ' + gpu.uuid : ''}, ${gpu.zone || 'zone unknown'}: ${pod ? pod.pod : 'not known to be held'}`);
  const circle = svg('circle', { cx: x, cy: y, r: RADIUS, class: pod ? 'gpu-mark held' : 'gpu-mark' });
  if (pod) {
    circle.style.fill = holders.color(pod.pod);
  }
  return svg('g', {}, title, circle,
    svg('text', { x, y: y - 1, class: pod ? 'gpu-name held' : 'gpu-name' }, 'GPU ' + index),
    svg('text', { x, y: y + 12, class: pod ? 'gpu-zone held' : 'gpu-zone' }, pod ? 'pod ' + holders.label(pod.pod) : gpu.zone || ''));
}
