// The zones of a node as boxes: cores with their CPUs, memory, and devices.

import { element } from './table.js';
import { parsed, readable, amount } from './format.js';
import { Holders, ids } from './holders.js';
import { fill, heldIn, holding, nameOf, part } from './boxes.js';
import { claimableDevices, devicesBeyondZones, zoneDevices } from './devices.js';

// Rows of the table that says the same as the picture.
export function zoneRows(node) {
  return node.zones.flatMap((zone) => Object.keys(zone.allocatable).filter((resource) => zone.allocatable[resource] !== '0').map((resource) => ({
    zone: zone.zone,
    resource,
    allocatable: zone.allocatable[resource],
    free: zone.free[resource],
    largest: zone.largestRequest?.[resource] ?? zone.free[resource],
    after: zone.freeAfterReleases[resource],
  })));
}

export function zonesPicture(node, holders, after) {
  if (!node.zones.length) {
    return [element('p', { class: 'bad' }, 'The zones of this node are not known.')];
  }
  const pods = holding(node, after);
  pods.forEach((pod) => pod.pod === Holders.OTHERS || holders.number(pod.pod));
  const byCpu = new Map();
  pods.forEach((pod) => ids(pod.cpus).forEach((cpu) => byCpu.set(cpu, [...(byCpu.get(cpu) || []), pod])));
  const groups = (node.memoryGroups || []).map((group) =>
    element('p', { class: 'memory-group' }, 'Memory group: pods that run have memory of ' + group.join(' and ')
      + ' together. Until they end, the kubelet gives memory of these zones only together.'));
  const shown = { pods, byCpu, holders, after };
  return [
    element('div', { class: 'zones', 'aria-hidden': 'true' },
      ...node.zones.map((zone) => zoneBox(node, zone, shown)), ...devicesBeyondZones(node, shown)),
    ...groups,
  ];
}

function zoneBox(node, zone, shown) {
  const free = shown.after ? zone.freeAfterReleases : zone.free;
  const grouped = (node.memoryGroups || []).some((group) => group.includes(zone.zone));
  return element('section', { class: 'zone' + (grouped ? ' grouped' : '') },
    element('h4', {}, zone.zone),
    ...cpuPart(zone, free, shown),
    ...bars(zone, free, shown),
    ...devices(node, zone, free, shown),
    ...claimableDevices(node, zone, shown));
}

function freeOf(zone, free, resource) {
  const largest = free === zone.free && zone.largestRequest?.[resource];
  return `${resource}: ${readable(resource, free[resource] ?? '0')} of ${readable(resource, zone.allocatable[resource])} free`
    + (largest ? `, at most ${readable(resource, largest)} for one container` : '');
}

function cpuPart(zone, free, shown) {
  if (zone.cores) {
    const reserved = new Set(ids(zone.reservedCpus));
    const cores = zone.cores.map((core) => element('span', { class: 'core' },
      ...ids(core).map((cpu) => cpuBox(cpu, shown.byCpu.get(cpu) || [], reserved.has(cpu), shown.holders))));
    return [part(zone.allocatable.cpu ? freeOf(zone, free, 'cpu') : 'cpu: not given exclusively', element('div', { class: 'cores' }, ...cores))];
  }
  if (!zone.allocatable.cpu) {
    return [];
  }
  return [part(freeOf(zone, free, 'cpu'), counted(zone, free, 'cpu', 1000, shown))];
}

function cpuBox(cpu, pods, reserved, holders) {
  const title = `CPU ${cpu}: ${pods.map(nameOf).join(' and ') || (reserved ? 'reserved for the system' : 'free')}`;
  const box = element('span', { class: 'cpu' + (reserved ? ' reserved' : ''), title }, '');
  if (pods.length) {
    fill(box, pods[0], holders);
    box.textContent = pods.length > 1 ? '!' : holders.label(pods[0].pod);
  } else if (reserved) {
    box.textContent = '–';
  }
  return box;
}

// Boxes for a resource of which only counts are known: those of the pods first, then held ones of unknown holders, then free ones.
function counted(zone, free, resource, unit, shown) {
  const total = Math.round(parsed(resource, zone.allocatable[resource]) / unit);
  const left = Math.floor(parsed(resource, free[resource] ?? '0') / unit);
  const boxes = [];
  for (const pod of shown.pods) {
    const held = Math.ceil(heldIn(zone.zone, pod, resource) / unit);
    for (let i = 0; i < held && boxes.length < total - left; i++) {
      const box = element('span', { class: 'cpu', title: `${resource}: ${nameOf(pod)}` }, shown.holders.label(pod.pod));
      fill(box, pod, shown.holders);
      boxes.push(box);
    }
  }
  while (boxes.length < total - left) {
    boxes.push(element('span', { class: 'cpu unknown', title: resource + ': held; it is not known by whom' }, '?'));
  }
  while (boxes.length < total) {
    boxes.push(element('span', { class: 'cpu', title: resource + ': free' }, ''));
  }
  return element('div', { class: 'cores' }, ...boxes);
}

function isBytes(resource) {
  return resource === 'memory' || resource.startsWith('hugepages-');
}

// Memory and hugepages: a bar with a part for each pod.
function bars(zone, free, shown) {
  return Object.keys(zone.allocatable)
    .filter((resource) => isBytes(resource) && parsed(resource, zone.allocatable[resource]) > 0)
    .map((resource) => {
      const total = parsed(resource, zone.allocatable[resource]);
      let rest = total - parsed(resource, free[resource] ?? '0');
      const bar = element('div', { class: 'bar' });
      for (const pod of shown.pods) {
        const held = Math.min(rest, heldIn(zone.zone, pod, resource));
        rest -= held;
        if (held > 0) {
          const name = pod.pod === Holders.OTHERS ? 'pods that you may not list' : pod.pod;
          bar.append(segment(held / total, `${name}: ${amount(resource, held)}`, (box) => fill(box, pod, shown.holders), shown.holders.label(pod.pod)));
        }
      }
      if (rest > 0) {
        bar.append(segment(rest / total, `held; it is not known by whom: ${amount(resource, rest)}`, (box) => box.classList.add('unknown'), '?'));
      }
      return part(freeOf(zone, free, resource), bar);
    });
}

function segment(fraction, title, dress, label) {
  const box = element('span', { class: 'segment', title }, label);
  box.style.width = 100 * fraction + '%';
  dress(box);
  return box;
}

// Devices of device plugins. Older bridges only count them.
function devices(node, zone, free, shown) {
  if (node.devices) {
    return zoneDevices(node, zone, shown);
  }
  return Object.keys(zone.allocatable)
    .filter((resource) => resource !== 'cpu' && !isBytes(resource) && parsed(resource, zone.allocatable[resource]) > 0)
    .map((resource) => part(freeOf(zone, free, resource), counted(zone, free, resource, 1, shown)));
}
