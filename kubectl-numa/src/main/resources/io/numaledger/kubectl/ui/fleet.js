// All nodes as a grid of their zones.

import { element, nodeLink, table, tableOnDemand } from './table.js';
import { FleetGrid } from './grid.js';
import { STEPS, colorOfStep, onTheme, step } from './colors.js';
import { amount, count, number } from './format.js';

const MODES = [['used', 'Used'], ['free', 'Free'], ['largest', 'Largest request']];
const PROBLEMS = [
  ['', 'All'],
  ['any', 'Any problem'],
  ['NotReady', 'Not ready'],
  ['SchedulingDisabled', 'Cordoned'],
  ['unknown', 'Zones unknown'],
  ['inexact', 'Confidence below exact'],
];

// Labels that name pools. The first one that a node has is chosen until another one is.
const POOL_LABELS = [
  'karpenter.sh/nodepool', 'cloud.google.com/gke-nodepool', 'eks.amazonaws.com/nodegroup', 'kubernetes.azure.com/agentpool',
  'node-pool', 'nodepool', 'pool', 'node.kubernetes.io/instance-type',
];

// A label with more values names no pools.
const MOST_POOLS = 100;

// What is chosen stays when another view was shown in between.
const chosen = { mode: 'used', name: '', label: '', poolLabel: '', pool: '', policy: '', problem: '' };

export async function show(root, context) {
  const fleet = new FleetView(root, context);
  await fleet.read();
  context.onChange((what) => (what === 'resource' ? fleet.value() : fleet.read()));
  return () => fleet.close();
}

class FleetView {
  constructor(root, context) {
    this.context = context;
    this.card = element('section', { class: 'card', 'aria-live': 'polite', 'aria-label': 'Node' },
      element('p', { class: 'quiet' }, 'Point at a node, or move with the arrow keys. Enter or a click opens it.'));
    this.summary = element('p', { id: 'summary', role: 'status' });
    this.low = element('span');
    this.high = element('span');
    this.scale = element('canvas', { width: STEPS * 16, height: 12, 'aria-hidden': 'true' });
    this.grid = new FleetGrid((node) => this.showNode(node), (node) => {
      location.hash = '#/node/' + encodeURIComponent(node.node);
    });
    this.rows = tableOnDemand('The same as a table', () => this.table());
    this.filters = element('form', { class: 'filters', submit: (event) => event.preventDefault() });
    root.append(
      element('h2', {}, 'Fleet'), this.filters, this.summary,
      element('p', { class: 'legend' }, this.low, this.scale, this.high,
        element('span', {}, 'A marked corner: a problem. A bar below: takes no pods, cordoned or not ready. Empty: none of the resource, or zones unknown.')),
      element('div', { class: 'fleet' }, this.grid.root, this.card), this.rows.root);
    this.endTheme = onTheme(() => this.draw());
  }

  close() {
    this.endTheme();
    this.grid.close();
  }

  async read() {
    this.data = await this.context.get('nodes');
    this.poolLabels = poolLabels(this.data.labels);
    this.showFilters();
    this.value();
  }

  // Works out what is drawn of each node for the chosen resource.
  value() {
    const index = this.data.resources.indexOf(this.context.resource);
    let most = 0;
    this.data.nodes.forEach((node) => node.zones.forEach((zone) => {
      most = Math.max(most, zone.all[index] ?? 0);
    }));
    this.index = index;
    this.most = most;
    this.data.nodes.forEach((node) => {
      node.steps = steps(node, index, most);
      node.closed = takesNoPods(node);
      node.problem = node.problems.length > 0 || node.status.includes('NotReady');
      node.texts = this.texts(node);
    });
    this.filter();
  }

  // What stands in the parts of a large tile.
  texts(node) {
    const resource = this.context.resource;
    const zones = node.zones.filter((zone) => zone.all[this.index]);
    if (chosen.mode === 'largest') {
      return zones.length ? [amount(resource, Math.max(...zones.map((zone) => largestRequest(zone, this.index))))] : [];
    }
    return zones.map((zone) => `${amount(resource, zone.free[this.index])} of ${amount(resource, zone.all[this.index])} free`);
  }

  filter() {
    const accepted = this.data.nodes.filter(acceptedBy(this.data.labels));
    // Nodes that have the resource come first.
    this.shown = [...accepted.filter((node) => node.steps.length), ...accepted.filter((node) => !node.steps.length)];
    this.draw();
    this.summary.textContent = this.sentence();
    this.rows.refresh();
  }

  draw() {
    this.grid.show(this.shown);
    const pen = this.scale.getContext('2d');
    for (let each = 0; each < STEPS; each++) {
      pen.fillStyle = colorOfStep(each);
      pen.fillRect(each * 16, 0, 16, 12);
    }
    const used = chosen.mode === 'used';
    this.low.textContent = used ? '0 % used' : amount(this.context.resource, 0) + (chosen.mode === 'free' ? ' free' : ' for one container');
    this.high.textContent = used ? '100 %' : amount(this.context.resource, this.most);
  }

  sentence() {
    let free = 0;
    let all = 0;
    let largest = 0;
    let closed = 0;
    this.shown.forEach((node) => node.zones.forEach((zone) => {
      all += zone.all[this.index] ?? 0;
      if (node.closed) {
        closed += zone.free[this.index] ?? 0;
      } else {
        free += zone.free[this.index] ?? 0;
        largest = Math.max(largest, largestRequest(zone, this.index));
      }
    }));
    const resource = this.context.resource;
    const closedNodes = this.shown.filter((node) => node.closed && node.zones.some((zone) => zone.free[this.index])).length;
    return `${number(this.shown.length)} of ${count(this.data.nodes.length, 'node')}; ${resource}: `
      + `${amount(resource, free)} of ${amount(resource, all)} free, at most ${amount(resource, largest)} in one zone`
      + (closed ? `; ${amount(resource, closed)} more on ${count(closedNodes, 'node')} that ${closedNodes === 1 ? 'is' : 'are'} cordoned or not ready` : '');
  }

  showNode(node) {
    const resource = this.context.resource;
    const zones = node.zones.map((zone) => element('li', {}, this.zoneText(zone)));
    this.card.replaceChildren(
      element('h3', {}, nodeLink(node.node)),
      element('p', { class: node.problem ? 'bad' : undefined },
        [node.status, node.policy, node.confidence, count(node.pods, 'pod')].filter((text) => text).join(', ')),
      element('p', { class: 'quiet' }, resource),
      element('ul', {}, ...zones),
      ...node.problems.map((text) => element('p', { class: 'bad' }, text)));
  }

  zoneText(zone) {
    const resource = this.context.resource;
    const [free, later, all] = [zone.free, zone.later, zone.all].map((amounts) => amounts[this.index]);
    const largest = largestRequest(zone, this.index);
    return all
      ? `${zone.zone}: ${amount(resource, free)} of ${amount(resource, all)} free`
        + (largest < free ? `, at most ${amount(resource, largest)} for one container` : '')
        + (later > free ? `, ${amount(resource, later)} after releases` : '')
      : `${zone.zone}: none`;
  }

  table() {
    const resource = this.context.resource;
    const rows = this.shown.flatMap((node) =>
      (node.zones.length ? node.zones : [null]).map((zone) => ({ node, zone })));
    const amounts = (key) => (row) => (row.zone ? amount(resource, row.zone[key][this.index]) : '–');
    return table(`${resource} by zone`, [
      { title: 'Node', cell: (row) => nodeLink(row.node.node) },
      { title: 'Zone', cell: (row) => row.zone?.zone ?? 'unknown' },
      { title: 'Free', number: true, cell: amounts('free') },
      { title: 'After releases', number: true, cell: amounts('later') },
      { title: 'Allocatable', number: true, cell: amounts('all') },
      { title: 'Largest request', number: true, cell: (row) => (row.zone?.all[this.index] ? amount(resource, largestRequest(row.zone, this.index)) : '–') },
      { title: 'Status', cell: (row) => row.node.status },
      { title: 'Policy', cell: (row) => row.node.policy },
      { title: 'Confidence', cell: (row) => row.node.confidence },
      { title: 'Problems', cell: (row) => row.node.problems.join('; ') },
    ], rows);
  }

  showFilters() {
    if (!this.filters.contains(document.activeElement)) {
      this.makeFilters();
    }
  }

  makeFilters() {
    const nodes = this.data.nodes;
    const labels = element('datalist', { id: 'labels' },
      ...this.data.labels.slice(0, 1000).map((text) => element('option', { value: text })));
    const pools = this.poolLabels.map((key) => [key, key]);
    if (!this.poolLabels.includes(chosen.poolLabel)) {
      chosen.poolLabel = POOL_LABELS.find((key) => this.poolLabels.includes(key)) ?? this.poolLabels[0] ?? '';
    }
    const prefix = chosen.poolLabel + '=';
    const pool = (text) => (text.startsWith(prefix) ? text.slice(prefix.length) : '');
    this.filters.replaceChildren(
      this.select('Show', 'mode', MODES),
      this.input('Name', 'name', {}),
      this.input('Label', 'label', { list: 'labels' }), labels,
      this.select('Pools by', 'poolLabel', pools),
      this.select('Pool', 'pool', options(this.data.labels.map(pool))),
      this.select('Policy', 'policy', options(nodes.map((node) => node.policy))),
      this.select('Problem', 'problem', PROBLEMS));
  }

  select(title, key, choices) {
    const made = element('select', { name: key, change: () => this.choose(key, made.value) },
      ...choices.map(([value, text]) => element('option', { value }, text)));
    made.value = choices.some(([value]) => value === chosen[key]) ? chosen[key] : '';
    chosen[key] = made.value;
    return element('label', {}, title, made);
  }

  input(title, key, properties) {
    const made = element('input', { type: 'search', name: key, ...properties, input: () => this.choose(key, made.value) });
    made.value = chosen[key];
    return element('label', {}, title, made);
  }

  choose(key, value) {
    chosen[key] = value;
    if (key === 'mode') {
      this.value();
    } else if (key === 'poolLabel') {
      this.makeFilters();
      this.filters.elements.poolLabel.focus();
      this.filter();
    } else {
      this.filter();
    }
  }
}

function options(values) {
  const different = [...new Set(values)].filter((value) => value).sort();
  return [['', 'All'], ...different.map((value) => [value, value])];
}

// The keys of labels that have few values.
function poolLabels(labels) {
  const counts = new Map();
  labels.forEach((text) => {
    const key = text.slice(0, text.indexOf('='));
    counts.set(key, (counts.get(key) ?? 0) + 1);
  });
  const few = [...counts.keys()].filter((key) => counts.get(key) <= MOST_POOLS).sort();
  const isOld = (key) => key.startsWith('beta.');
  return [...few.filter((key) => !isOld(key)), ...few.filter(isOld)];
}

// The colour of each zone that has the resource; with the largest of all zones, one colour.
function steps(node, index, most) {
  const zones = node.zones.filter((zone) => zone.all[index]);
  if (chosen.mode === 'used') {
    return zones.map((zone) => step(1 - zone.free[index] / zone.all[index]));
  }
  if (chosen.mode === 'free') {
    return zones.map((zone) => step(zone.free[index] / most));
  }
  return zones.length ? [step(Math.max(...zones.map((zone) => largestRequest(zone, index))) / most)] : [];
}

// As kube-scheduler treats it. A node that has not said whether it is ready counts as ready.
function takesNoPods(node) {
  return node.status.includes('NotReady') || node.status.includes('SchedulingDisabled');
}

// The most that one container gets from a zone. It is given where it is less than what is free.
function largestRequest(zone, index) {
  return zone.largest?.[index] ?? zone.free[index] ?? 0;
}

function acceptedBy(labels) {
  const name = chosen.name.trim().toLowerCase();
  const wanted = chosen.label.trim().toLowerCase();
  const matching = new Set();
  if (wanted) {
    labels.forEach((text, index) => text.toLowerCase().includes(wanted) && matching.add(index));
  }
  const pool = chosen.pool ? labels.indexOf(chosen.poolLabel + '=' + chosen.pool) : -1;
  return (node) => node.node.toLowerCase().includes(name)
    && (!wanted || node.labels.some((index) => matching.has(index)))
    && (!chosen.pool || node.labels.includes(pool))
    && (!chosen.policy || node.policy === chosen.policy)
    && (!chosen.problem || has(node, chosen.problem));
}

function has(node, problem) {
  switch (problem) {
    case 'any': return node.problem;
    case 'unknown': return node.zones.length === 0;
    case 'inexact': return node.confidence !== 'exact';
    default: return node.status.split(',').includes(problem);
  }
}
