// The devices of a node as boxes: those of device plugins, and those of claims.

import { element } from './table.js';
import { count, parsed } from './format.js';
import { fill, heldIn, holding, nameOf, part } from './boxes.js';

const GPU = 'nvidia.com/gpu';

// Boxes of one kind in a picture.
const MOST = 64;

// The devices of device plugins by resource and zones. Each group gets `devices`, one entry for each that a pod holds, and `unknown`, how
// many are held by unknown pods.
function groupsOf(node, pods, after) {
  const groups = (node.devices || []).map((group) => ({
    ...group,
    free: after ? group.freeAfterReleases : group.free,
    held: after ? group.heldAfterReleases : group.held,
    devices: [],
  }));
  const add = (entry, fits) => {
    const group = groups.find((each) => each.resource === entry.resource && each.devices.length < each.held && fits(each));
    group?.devices.push(entry);
    return Boolean(group);
  };
  const named = pods.flatMap((pod) => (pod.devices || []).map((device) => ({ ...device, pod })));
  const here = (entry) => (group) => String(group.zones) === String(entry.zones);
  // The zones of a device that its plugin no longer lists are those of long ago.
  named.filter((entry) => !add(entry, here(entry))).forEach((entry) => add(entry, () => true));
  groups.filter((group) => group.zones.length === 1).forEach((group) => pods.forEach((pod) => {
    const [zone] = group.zones;
    const known = named.filter((entry) => entry.pod === pod && entry.resource === group.resource && entry.zones.includes(zone));
    for (let i = known.length; i < heldIn(zone, pod, group.resource); i++) {
      add({ resource: group.resource, pod }, (each) => each === group);
    }
  }));
  return groups.map((group) => ({ ...group, unknown: group.held - group.devices.length }));
}

// The devices that are on this zone alone. NVIDIA GPUs have numbers, if their topology is published and they are whole.
export function zoneDevices(node, zone, shown) {
  return groupsOf(node, shown.pods, shown.after)
    .filter((group) => String(group.zones) === zone.zone)
    .map((group) => part(groupTitle(group), (group.resource === GPU && namedGpus(node, zone, shown)) || groupBoxes(group, shown)));
}

// The devices that are not on one zone alone: a box for each set of zones.
export function devicesBeyondZones(node, shown) {
  const byPlace = new Map();
  const put = (place, made) => byPlace.set(place, [...(byPlace.get(place) || []), made]);
  groupsOf(node, shown.pods, shown.after)
    .filter((group) => group.zones.length !== 1)
    .sort((a, b) => b.zones.length - a.zones.length)
    .forEach((group) => put(placeOf(group), part(groupTitle(group), groupBoxes(group, shown))));
  const zones = new Set(node.zones.map((zone) => zone.zone));
  (node.draDevices || []).filter((each) => !zones.has(each.zone))
    .forEach((each) => put('Zone unknown', claimablePart(each, shown)));
  return [...byPlace].map(([place, parts]) => element('section', { class: 'zone beyond' }, element('h4', {}, place), ...parts));
}

function placeOf(group) {
  if (group.zones.length) {
    return group.zones.join(' and ');
  }
  return group.onMissingNumaNodes ? 'Only on NUMA nodes that the node lacks' : 'No NUMA node';
}

function groupTitle(group) {
  return `${group.resource}: ${group.free} of ${group.free + group.held} free`
    + (group.unhealthy ? `, and ${group.unhealthy} unhealthy` : '');
}

function groupBoxes(group, shown) {
  const held = group.devices.map(({ device, pod }) => {
    const label = shown.holders.label(pod.pod);
    const title = `${group.resource}${device ? ' ' + device : ''}: ${nameOf(pod)}`;
    const box = element('span', { class: 'gpu', title }, device ? `${short(device)} · ${label}` : label);
    fill(box, pod, shown.holders);
    return box;
  });
  return boxes(held,
    repeated(group.unknown, { class: 'gpu unknown', title: `${group.resource}: held; it is not known by whom` }, '?'),
    repeated(group.free, { class: 'gpu', title: `${group.resource}: free` }, 'free'));
}

function repeated(number, properties, text) {
  return Array.from({ length: Math.max(0, number) }, () => element('span', properties, text));
}

// Of each kind the first ones.
function boxes(...kinds) {
  return element('div', { class: 'cores' }, ...kinds.flatMap((kind) =>
    [...kind.slice(0, MOST), ...(kind.length > MOST ? [element('span', { class: 'quiet' }, `and ${kind.length - MOST} more`)] : [])]));
}

// Ids may be as long as UUIDs.
function short(id) {
  return id.length > 20 ? `${id.slice(0, 10)}…${id.slice(-6)}` : id;
}

function namedGpus(node, zone, shown) {
  const here = ((node.gpus && node.gpus.devices) || []).map((gpu, index) => ({ ...gpu, index })).filter((gpu) => gpu.zone === zone.zone);
  const byId = gpuHolders(node, shown.pods);
  if (here.length !== parsed(GPU, zone.allocatable[GPU]) || !byId) {
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
    const held = (pod.placement || []).reduce((sum, each) => sum + Number(each.amount[GPU] || 0), 0);
    const named = (pod.devices || []).filter((each) => each.resource === GPU);
    if (held !== named.length) {
      return null;
    }
    named.forEach((each) => byId.set(each.device, pod));
  }
  return byId;
}

// Devices of ResourceSlices, such as NICs, by driver.
export function claimableDevices(node, zone, shown) {
  return (node.draDevices || []).filter((each) => each.zone === zone.zone).map((each) => claimablePart(each, shown));
}

function claimablePart(counts, shown) {
  const held = claimed(counts, shown.pods).map((device) => {
    const box = element('span', { class: 'gpu', title: `${device.device}: ${device.pod.pod}, claim ${device.claim}` },
      `${device.device} · ${shown.holders.label(device.pod.pod)}`);
    fill(box, { ...device.pod, source: 'observed' }, shown.holders);
    return box;
  });
  return part(`${counts.driver} (by claims): ${counts.free} of ${counts.free + counts.claimed} free`,
    boxes(held, repeated(counts.claimed - held.length, { class: 'gpu unknown', title: 'claimed' }, 'claimed'),
      repeated(counts.free, { class: 'gpu', title: 'free' }, 'free')));
}

// The claimed devices of a driver on a zone.
function claimed(counts, pods) {
  return pods.flatMap((pod) => (pod.claims?.devices || [])
    .filter((device) => device.driver === counts.driver && device.zones[0] === counts.zone)
    .map((device) => ({ ...device, pod })))
    .slice(0, counts.claimed);
}

// Rows of the table that says the same as the picture.
export function deviceRows(node) {
  const pods = holding(node, false);
  const plugin = groupsOf(node, pods, false).flatMap((group) => {
    const row = (device, holder) => ({ resource: group.resource, zones: placeOf(group), device, holder });
    return [
      ...group.devices.map(({ device, pod }) => row(device || 'not known which', holder(pod))),
      ...counted(group.unknown, (text) => row(text, 'held; it is not known by whom')),
      ...counted(group.free, (text) => row(text, 'free')),
      ...counted(group.unhealthy, (text) => row(text, 'unhealthy')),
    ];
  });
  const claims = (node.draDevices || []).flatMap((counts) => {
    const named = claimed(counts, pods);
    const row = (device, holder) => ({ resource: counts.driver, zones: counts.zone || 'Zone unknown', device, holder });
    return [
      ...named.map((device) => row(device.device, `${holder(device.pod)}, claim ${device.claim}`)),
      ...counted(counts.claimed - named.length, (text) => row(text, 'claimed')),
      ...counted(counts.free, (text) => row(text, 'free')),
    ];
  });
  return [...plugin, ...claims];
}

function holder(pod) {
  return nameOf(pod) + (pod.terminating ? ' (terminating)' : '');
}

function counted(number, row) {
  return number > 0 ? [row(count(number, 'device'))] : [];
}
