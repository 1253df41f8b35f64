// What the pictures of zones and devices have in common.

import { element } from './table.js';
import { parsed } from './format.js';
import { Holders } from './holders.js';

const CERTAIN = new Set(['observed']);

// Who holds something now, or after the terminating pods have ended.
export function holding(node, after) {
  const pods = node.pods.filter((pod) => !(after && pod.terminating));
  const hidden = node.otherPods ? [{ ...node.otherPods, pod: Holders.OTHERS, source: 'observed' }] : [];
  return [...pods, ...hidden];
}

export function nameOf(pod) {
  return pod.pod === Holders.OTHERS ? 'a pod that you may not list' : pod.pod;
}

// How much of a resource the pod holds in a zone.
export function heldIn(zone, pod, resource) {
  const here = (pod.placement || []).find((each) => each.zone === zone);
  return here && here.amount[resource] ? parsed(resource, here.amount[resource]) : 0;
}

export function part(title, ...children) {
  return element('div', { class: 'part' }, element('p', { class: 'quiet' }, title), ...children);
}

// Gives a box the colour of a pod.
export function fill(box, pod, holders) {
  box.classList.add('held');
  box.classList.toggle('unsure', !CERTAIN.has(pod.source));
  box.classList.toggle('ending', Boolean(pod.terminating));
  box.style.backgroundColor = holders.color(pod.pod);
}
