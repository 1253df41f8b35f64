// What happens while the page is open: refusals by kubelets, predictions that missed, groups, and what is known of nodes.

import { element, nodeLink, table } from './table.js';
import { number, time, when } from './format.js';
import { placement } from './holders.js';

const KINDS = {
  refusal: 'Refusals by kubelets',
  prediction: 'Predictions that missed',
  group: 'Groups',
  drift: 'Drift: what is known of nodes',
  event: 'Other warnings of the bridge',
};

// Not every change of the cluster changes a node: plans and Events of groups do not.
const PERIOD_MS = 30_000;

export async function show(root, context) {
  const chosen = new Set(Object.keys(KINDS));
  const body = element('div');
  const failure = element('p', { class: 'bad', role: 'status' });
  let busy = false;
  let answer = await context.get('time');

  function draw() {
    const entries = answer.entries.filter((entry) => chosen.has(entry.kind));
    body.replaceChildren(
      lanes(answer),
      entries.length ? table('What has happened, the latest first', COLUMNS, entries)
        : element('p', {}, 'Nothing of these kinds has happened.'),
      element('h3', {}, 'What this view cannot see'),
      element('ul', {}, ...answer.notes.map((text) => element('li', {}, text))));
  }

  // A failure is shown until a reading succeeds.
  async function read() {
    if (busy || document.hidden) {
      return;
    }
    busy = true;
    try {
      answer = await context.get('time');
      failure.textContent = '';
      draw();
    } catch (error) {
      failure.textContent = error.message;
    } finally {
      busy = false;
    }
  }

  const filters = Object.entries(KINDS).map(([kind, title]) => {
    const box = element('input', { type: 'checkbox', checked: true, change: () => {
      box.checked ? chosen.add(kind) : chosen.delete(kind);
      draw();
    } });
    return element('label', {}, box, title);
  });
  root.append(
    element('h2', {}, 'Time'),
    element('p', { class: 'quiet' }, `Since ${time(answer.since)}, and what can still be seen from before: refused pods that exist, and misses in the audit of the bridge.`),
    element('div', { class: 'kinds' }, ...filters),
    failure, body);
  draw();
  context.onChange((what) => (what === 'data' ? read() : undefined));
  if (context.isReport) {
    return null;
  }
  const timer = setInterval(read, PERIOD_MS);
  return () => clearInterval(timer);
}

// A lane for each kind, and a mark for each entry, from the first to the last. The table says the same.
function lanes(answer) {
  const times = answer.entries.map((entry) => new Date(entry.at).getTime()).filter((at) => !Number.isNaN(at));
  const first = Math.min(new Date(answer.since).getTime(), ...times);
  const span = Math.max(1, new Date(answer.readAt).getTime() - first);
  const axis = element('div', { class: 'row' }, element('span'),
    element('div', { class: 'axis quiet' }, element('span', {}, when(first)), element('span', {}, time(answer.readAt))));
  return element('div', { class: 'lanes', 'aria-hidden': 'true' }, ...Object.entries(KINDS).map(([kind, title]) => {
    const entries = answer.entries.filter((entry) => entry.kind === kind);
    const lane = element('div', { class: 'lane' });
    entries.forEach((entry) => {
      const mark = element('span', { class: 'mark ' + kind, title: `${when(entry.at)} ${entry.object}` });
      mark.style.left = Math.min(100, (100 * (new Date(entry.at).getTime() - first)) / span) + '%';
      lane.append(mark);
    });
    return element('div', { class: 'row' }, element('span', { class: 'quiet' }, `${title}: ${number(entries.length)}`), lane);
  }), axis);
}

const COLUMNS = [
  { title: 'When', cell: (row) => when(row.at) },
  { title: 'What', cell: (row) => KINDS[row.kind] || row.kind },
  { title: 'Object', cell: (row) => row.object },
  { title: 'Node', cell: (row) => (row.node ? nodeLink(row.node) : '') },
  { title: 'Sentence', cell: (row) => row.text + (row.predicted && row.kind === 'prediction' ? `; predicted ${placement(row.predicted)}; observed ${placement(row.observed)}` : '') },
];
