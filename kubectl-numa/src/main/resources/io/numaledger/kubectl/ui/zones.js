// The zones of a node as boxes: cores with their CPUs, memory, and devices.

import { element } from './table.js';
import { parsed, readable, amount } from './format.js';
import { Holders, ids } from './holders.js';

const CERTAIN = new Set(['observed']);

// Who holds something after these pods are left out.
function holding(node, after) {
  const pods = node.pods.filter((pod) => !(after && pod.terminating));
  const hidden = node.otherPods ? [{ ...node.otherPods, pod: Holders.OTHERS, source: 'observed' }] : [];
  return [...pods, ...hidden];
}

// Rows of the table that says the same as the picture.
export function zoneRows(node) {
  return node.zones.flatMap((zone) => Object.keys(zone.allocatable).map((resource) => ({
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
  return [
    element('div', { class: 'zones', 'aria-hidden': 'true' },
      ...node.zones.map((zone) => zoneBox(node, zone, { pods, byCpu, holders, after }))),
    ...groups,
    ...elsewhere(node),
  ];
}

function zoneBox(node, zone, shown) {
  const free = shown.after ? zone.freeAfterReleases : zone.free;
  const grouped = (node.memoryGroups || []).some((group) => group.includes(zone.zone));
  return element('section', { class: 'zone' + (grouped ? ' grouped' : '') },
    element('h4', {}, zone.zone),
    ...cpuPart(zone, free, shown),
    ...bars(zone, free, shown),
    ...deviceParts(node, zone, free, shown),
    ...claimableParts(node, zone, shown));
}

function part(title, ...children) {
  return element('div', { class: 'part' }, element('p', { class: 'quiet' }, title), ...children);
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
  const names = pods.map((pod) => (pod.pod === Holders.OTHERS ? 'a pod that you may not list' : pod.pod));
  const title = `CPU ${cpu}: ${names.join(' and ') || (reserved ? 'reserved for the system' : 'free')}`;
  const box = element('span', { class: 'cpu' + (reserved ? ' reserved' : ''), title }, '');
  if (pods.length) {
    fill(box, pods[0], holders);
    box.textContent = pods.length > 1 ? '!' : holders.label(pods[0].pod);
  } else if (reserved) {
    box.textContent = '–';
  }
  return box;
}

function fill(box, pod, holders) {
  box.classList.add('held');
  box.classList.toggle('unsure', !CERTAIN.has(pod.source));
  box.classList.toggle('ending', Boolean(pod.terminating));
  box.style.backgroundColor = holders.color(pod.pod);
}

// Boxes for a resource of which only counts are known: those of the pods first, then held ones of unknown holders, then free ones.
function counted(zone, free, resource, unit, shown) {
  const total = Math.round(parsed(resource, zone.allocatable[resource]) / unit);
  const left = Math.floor(parsed(resource, free[resource] ?? '0') / unit);
  const boxes = [];
  for (const pod of shown.pods) {
    const here = (pod.placement || []).find((each) => each.zone === zone.zone);
    const held = here && here.amount[resource] ? Math.ceil(parsed(resource, here.amount[resource]) / unit) : 0;
    for (let i = 0; i < held && boxes.length < total - left; i++) {
      const box = element('span', { class: 'cpu', title: `${resource}: ${pod.pod === Holders.OTHERS ? 'a pod that you may not list' : pod.pod}` }, shown.holders.label(pod.pod));
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
        const here = (pod.placement || []).find((each) => each.zone === zone.zone);
        const held = Math.min(rest, here && here.amount[resource] ? parsed(resource, here.amount[resource]) : 0);
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

// Devices of device plugins. NVIDIA GPUs have names, if their topology is published and they are whole.
function deviceParts(node, zone, free, shown) {
  return Object.keys(zone.allocatable)
    .filter((resource) => resource !== 'cpu' && !isBytes(resource) && parsed(resource, zone.allocatable[resource]) > 0)
    .map((resource) => part(freeOf(zone, free, resource),
      (resource === 'nvidia.com/gpu' && namedGpus(node, zone, shown)) || counted(zone, free, resource, 1, shown)));
}

function namedGpus(node, zone, shown) {
  const here = ((node.gpus && node.gpus.devices) || []).map((gpu, index) => ({ ...gpu, index })).filter((gpu) => gpu.zone === zone.zone);
  const byId = gpuHolders(node, shown.pods);
  if (here.length !== parsed('nvidia.com/gpu', zone.allocatable['nvidia.com/gpu']) || !byId) {
    return null;
  }
  return element('div', { class: 'cores' }, ...here.map((gpu) => {
    const pod = byId.get(gpu.uuid);
    const box = element('span', { class: 'gpu', title: `GPU ${gpu.index}${gpu.uuid ? ' ' + gpu.uuid : ''}: ${pod ? pod.pod : 'free'}` },
      `GPU ${gpu.index}` + (pod ? ' · ' + shown.holders.label(pod.pod) : ''));
    if (pod) {
      fill(box, pod, shown.holders);
    }
    return box;
  }));
}

// UUID to pod; null if a pod holds GPUs of which it is not known which.
export function gpuHolders(node, pods) {
  const byId = new Map();
  for (const pod of pods) {
    const held = (pod.placement || []).reduce((sum, each) => sum + Number(each.amount['nvidia.com/gpu'] || 0), 0);
    const named = (pod.devices || []).filter((each) => each.resource === 'nvidia.com/gpu');
    if (held !== named.length) {
      return null;
    }
    named.forEach((each) => byId.set(each.device, pod));
  }
  return byId;
}

export function holdersNow(node, after) {
  return holding(node, after);
}

// Devices of ResourceSlices, such as NICs, by driver.
function claimableParts(node, zone, shown) {
  return (node.draDevices || []).filter((each) => each.zone === zone.zone).map((each) =>
    part(`${each.driver} (by claims): ${each.free} of ${each.free + each.claimed} free`, claimBoxes(each, zone.zone, shown)));
}

function claimBoxes(counts, zone, shown) {
  const boxes = [];
  for (const pod of shown.pods) {
    for (const device of (pod.claims && pod.claims.devices) || []) {
      if (device.driver === counts.driver && device.zones[0] === zone && boxes.length < counts.claimed) {
        const box = element('span', { class: 'gpu', title: `${device.device}: ${pod.pod}, claim ${device.claim}` },
          device.device + ' · ' + shown.holders.label(pod.pod));
        fill(box, { ...pod, source: 'observed' }, shown.holders);
        boxes.push(box);
      }
    }
  }
  while (boxes.length < Math.min(counts.claimed, 64)) {
    boxes.push(element('span', { class: 'gpu unknown', title: 'claimed' }, 'claimed'));
  }
  for (let i = 0; i < Math.min(counts.free, 64); i++) {
    boxes.push(element('span', { class: 'gpu', title: 'free' }, 'free'));
  }
  return element('div', { class: 'cores' }, ...boxes);
}

// Devices that are in none of the zones.
function elsewhere(node) {
  const zones = new Set(node.zones.map((zone) => zone.zone));
  return (node.draDevices || []).filter((each) => !zones.has(each.zone)).map((each) =>
    element('p', { class: 'quiet' }, `${each.driver}: ${each.free} of ${each.free + each.claimed} devices free on no known zone`));
}
