// One node: its zones as boxes, what each pod holds of them, and how certain that is.

import { element, podLink, table, tableOnDemand } from './table.js';
import { count, readable } from './format.js';
import { zonesPicture, zoneRows } from './zones.js';
import { deviceRows } from './devices.js';
import { linksPicture, linkRows } from './links.js';
import { Holders, placement } from './holders.js';

const CONFIDENCE = {
  exact: 'Exact: everything that decides is published or observed.',
  predicted: 'Predicted: some of it is worked out, because it is not published or not observed yet.',
  aggregate: 'Aggregate: only sums are known of some pods. What they hold may be elsewhere in the node.',
};

const SOURCES = {
  observed: 'observed',
  'observed-amounts': 'amounts observed; which CPUs and devices is assumed',
  reserved: 'reserved: bound, and not observed yet',
  predicted: 'predicted when it was bound',
  expected: 'expected: it has no record',
  aggregate: 'what is missing from the published amounts',
  claims: 'known by its claims only',
};

export async function show(root, context) {
  const holders = new Holders();
  let node = await context.get('node/' + encodeURIComponent(context.argument));
  const body = element('div');
  const tables = [
    tableOnDemand('Zones as a table', () => table('Zones of ' + node.node, ZONE_COLUMNS, zoneRows(node))),
    tableOnDemand('Devices as a table', () => table('Devices of ' + node.node, DEVICE_COLUMNS, deviceRows(node))),
    tableOnDemand('NVLinks as a table', () => linkTable(node)),
  ];
  const after = element('input', { type: 'checkbox', id: 'after', change: () => draw() });

  function draw() {
    body.replaceChildren(
      facts(node),
      element('p', {}, element('label', {}, after, ' After releases: without the pods that are terminating'),
        element('span', { class: 'quiet' }, ' ' + releases(node))),
      element('p', { class: 'quiet' }, reading(node)),
      ...zonesPicture(node, holders, after.checked),
      tables[0].root,
      ...(node.devices || node.draDevices ? [tables[1].root] : []),
      ...linksPicture(node, holders, after.checked),
      ...(node.gpus ? [tables[2].root] : []),
      element('h3', {}, 'Pods'),
      podTable(node, holders));
    tables.forEach((each) => each.refresh());
  }

  root.append(element('h2', {}, node.node), body);
  draw();
  context.onChange(async (what) => {
    if (what === 'data') {
      node = await context.get('node/' + encodeURIComponent(context.argument));
      draw();
    }
  });
}

function releases(node) {
  const ending = node.pods.filter((pod) => pod.terminating).length;
  return ending ? `(${count(ending, 'pod')})` : '(none is)';
}

function reading(node) {
  return node.zones.some((zone) => zone.cores)
    ? 'A box is a CPU, and CPUs side by side in a frame share a core. A number names the pod, as in the table of pods. Hatched: predicted or assumed. Dashed: its pod is terminating. –: reserved for the system.'
    : node.zones.length
      ? 'A box is a CPU. Which CPUs a pod has is not published: they are counted only. A number names the pod, as in the table of pods.'
      : '';
}

function facts(node) {
  const status = [node.ready === true ? 'Ready' : node.ready === false ? 'NotReady' : 'Unknown'];
  if (node.kubelet) {
    status.push('its kubelet restarts: it may refuse pods for what ended pods held');
  }
  if (node.unschedulable) {
    status.push('cordoned: it takes no new pods');
  }
  const taints = (node.taints || []).map((taint) => element('code', {}, taint));
  return element('div', { class: 'card node-facts' },
    line('Status', status.join('; ')),
    line('Taints', taints.length ? spaced(taints) : 'none that keep pods away'),
    line('Topology Manager', node.topologyManagerPolicy
      ? `policy ${node.topologyManagerPolicy}, scope ${node.topologyManagerScope}` : 'unknown'),
    line('Confidence', CONFIDENCE[node.confidence] || node.confidence),
    assumptions(node),
    ...(node.warnings || []).map((text) => element('p', { class: 'bad' }, text)),
    node.slowAdmission ? element('p', { class: 'bad' }, node.slowAdmission) : null);
}

function spaced(elements) {
  return element('span', {}, ...elements.flatMap((each) => [each, ' ']));
}

function line(name, value) {
  return element('p', {}, element('b', {}, name + ': '), value);
}

function assumptions(node) {
  const texts = node.assumptions.map((each) => each.text + (each.about ? ': ' + each.about : ''));
  if (!texts.length && node.confidenceReason) {
    texts.push(node.confidenceReason);
  }
  return texts.length ? element('ul', {}, ...texts.map((text) => element('li', {}, text))) : null;
}

const ZONE_COLUMNS = [
  { title: 'Zone', cell: (row) => row.zone },
  { title: 'Resource', cell: (row) => row.resource },
  { title: 'Allocatable', cell: (row) => readable(row.resource, row.allocatable), number: true },
  { title: 'Free now', cell: (row) => readable(row.resource, row.free), number: true },
  { title: 'Free after releases', cell: (row) => readable(row.resource, row.after), number: true },
  { title: 'Largest request', cell: (row) => readable(row.resource, row.largest), number: true },
];

const DEVICE_COLUMNS = [
  { title: 'Resource or driver', cell: (row) => row.resource },
  { title: 'Zones', cell: (row) => row.zones },
  { title: 'Device', cell: (row) => row.device },
  { title: 'Held by', cell: (row) => row.holder },
];

function linkTable(node) {
  const names = node.gpus.devices.map((_, index) => 'GPU ' + index);
  return table('NVLinks of each pair of GPUs',
    [{ title: '', cell: (row) => row.name }, { title: 'Zone', cell: (row) => row.zone }, { title: 'UUID', cell: (row) => row.uuid },
      ...names.map((name, index) => ({ title: name, cell: (row) => row.links[index], number: true }))],
    linkRows(node));
}

function podTable(node, holders) {
  const columns = [
    { title: 'Pod', cell: (pod) => element('span', {}, holders.swatch(pod.pod), ' ', podLink(pod.pod)) },
    { title: 'Holds', cell: (pod) => placement(pod.placement) },
    { title: 'CPUs', cell: (pod) => idList(pod.cpus || '') },
    { title: 'Devices', cell: (pod) => devices(pod) },
    { title: 'Known by', cell: (pod) => (SOURCES[pod.source] || pod.source) + (pod.terminating ? '; terminating' : '') },
  ];
  const hidden = node.otherPods;
  return element('div', {},
    table('Pods that hold something of ' + node.node, columns, node.pods),
    hidden ? element('p', {}, holders.swatch(Holders.OTHERS), ` ${count(hidden.count, 'pod')} that you may not list: ${placement(hidden.placement)}`) : null);
}

// It is broken after a comma only.
function idList(text) {
  return element('span', { class: 'ids' }, ...text.split(',').flatMap((part, index) => (index ? [',', element('wbr'), part] : [part])));
}

function devices(pod) {
  const texts = (pod.devices || []).map((each) => each.resource + ' ' + each.device);
  const claims = pod.claims;
  if (claims) {
    claims.devices.forEach((each) =>
      texts.push(`${each.driver}/${each.device} on ${each.zones.join(', ') || 'an unknown zone'} (claim ${each.claim})`));
    if (claims.devicesLeftOut) {
      texts.push(`and ${claims.devicesLeftOut} more`);
    }
    texts.push(`claims ${claims.alignment}${claims.text ? ': ' + claims.text : ''}`);
  }
  return texts.join('; ');
}
