// Room that the sums of nodes promise and no pod can use, by the sizes of reference pods.

import { element, nodeLink, table } from './table.js';
import { number } from './format.js';

// An answer about one reference pod searches for moves: not more often than this, and for at most a tenth of the time.
const PAUSE_MS = 20_000;

export async function show(root, context) {
  const name = context.argument;
  const all = element('div');
  const one = element('div');
  let next = 0;

  async function draw() {
    const { references } = await context.get('stranded');
    all.replaceChildren(...(references.length
      ? [picture(references), table('Room for reference pods', COLUMNS, rows(references))]
      : [element('p', {}, 'No node is counted: see the reference pods of the bridge.')]));
    if (name && performance.now() >= next) {
      const begin = performance.now();
      const answer = await context.get('stranded/' + encodeURIComponent(name));
      one.replaceChildren(...reference(answer));
      next = answer.unread ? 0 : performance.now() + Math.max(PAUSE_MS, 9 * (performance.now() - begin));
    }
  }

  root.append(
    element('h2', {}, 'Stranded capacity'),
    element('p', { class: 'quiet' }, 'How many more pods of a size would run as kubelets would admit them (by zones), and how many the sums of nodes promise. The difference is stranded.'),
    element('p', { class: 'legend', 'aria-hidden': 'true' },
      element('span', { class: 'swatch runs' }), 'would run', element('span', { class: 'swatch lost' }), 'stranded'),
    all, one);
  await draw();
  context.onChange((what) => (what === 'data' ? draw() : undefined));
}

// A row for each pool of a reference pod.
function rows(references) {
  return references.flatMap((each) => each.pools.map((pool) => ({ ...pool, reference: each.reference })));
}

// A bar for each reference pod: what runs, and what is stranded. The table says the same.
function picture(references) {
  const most = Math.max(1, ...references.map((each) => each.bySums));
  return element('div', { class: 'lanes', 'aria-hidden': 'true' }, ...references.map((each) => {
    const runs = element('span', { class: 'segment runs', title: `${each.reference}: ${each.byZones} run` });
    const lost = element('span', { class: 'segment lost', title: `${each.reference}: ${each.stranded} stranded` });
    runs.style.width = (100 * each.byZones) / most + '%';
    lost.style.width = (100 * each.stranded) / most + '%';
    return element('div', { class: 'row' },
      element('span', {}, link(each.reference), element('span', { class: 'quiet' }, `: ${number(each.byZones)} of ${number(each.bySums)}`)),
      element('div', { class: 'bar' }, runs, lost));
  }));
}

function link(reference) {
  return element('a', { href: '#/stranded/' + encodeURIComponent(reference) }, reference);
}

function reference(answer) {
  const parts = [element('h3', {}, answer.reference)];
  if (answer.nodes.length) {
    parts.push(table('Nodes that strand most', NODES, answer.nodes));
  } else {
    parts.push(element('p', {}, 'Nothing is stranded for it.'));
  }
  if (answer.moves.length) {
    parts.push(
      element('h4', {}, 'These moves would make room; nothing is moved'),
      element('ul', {}, ...answer.moves.map((each) => element('li', {},
        ...each.pods.flatMap((move, index) => [(index ? ' and ' : '') + move.pod + ' from ', nodeLink(move.node), ' to ', nodeLink(move.target)]),
        `: ${number(each.frees)} more`))));
  }
  if (!answer.complete) {
    parts.push(element('p', { class: 'quiet' }, 'Some nodes have changed and are not counted again yet.'));
  }
  return parts;
}

function reasons(row) {
  return Object.entries(row.reasons).map(([reason, pods]) => `${reason} ${number(pods)}`).join(', ') || '–';
}

const COLUMNS = [
  { title: 'Reference pod', cell: (row) => link(row.reference) },
  { title: 'Pool', cell: (row) => row.pool || '–' },
  { title: 'Requests', cell: (row) => row.sizes.join(' or ').replaceAll(',', ', ') },
  { title: 'Nodes', cell: (row) => number(row.nodes), number: true },
  { title: 'By sums', cell: (row) => number(row.bySums), number: true },
  { title: 'By zones', cell: (row) => number(row.byZones), number: true },
  { title: 'Stranded', cell: (row) => number(row.stranded), number: true },
  { title: 'For lack of', cell: reasons },
];

const NODES = [
  { title: 'Node', cell: (row) => nodeLink(row.node) },
  { title: 'Pool', cell: (row) => row.pool || '–' },
  { title: 'By sums', cell: (row) => number(row.bySums), number: true },
  { title: 'By zones', cell: (row) => number(row.byZones), number: true },
  { title: 'Stranded', cell: (row) => number(row.stranded), number: true },
  { title: 'For lack of', cell: (row) => row.reason || '–' },
];
