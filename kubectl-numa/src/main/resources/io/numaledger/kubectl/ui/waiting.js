// Pods and groups without a node: why each waits, which nodes nearly take it, and what would have to end.

import { element, nodeLink, table } from './table.js';
import { age, count, number } from './format.js';

const FIRST_NODES = 5;

// An explanation asks for all nodes: not more often than this, and for at most a tenth of the time.
const PAUSE_MS = 20_000;

export async function show(root, context) {
  const [kind, ...rest] = (context.argument || '').split('/');
  const name = rest.join('/');
  const isExplained = kind === 'pod' || kind === 'group';
  const about = element('div');
  const lists = element('div');
  let busy = false;
  let next = 0;

  async function explain(all) {
    const begin = performance.now();
    let parts;
    let read = true;
    try {
      const answer = await context.get(`waiting/${kind}/` + encoded(name));
      read = !answer.unread;
      parts = kind === 'pod' ? pod(answer) : await groupAndPod(answer, name, context);
    } catch (error) {
      read = false;
      parts = [element('p', { class: 'bad', role: 'alert' }, error.message)];
    }
    const waits = kind === 'group' || all.pods.some((each) => each.pod === name);
    about.replaceChildren(element('h2', {}, waits ? `Why does ${name} wait?` : `Where would ${name} fit?`), ...parts);
    next = read ? performance.now() + Math.max(PAUSE_MS, 9 * (performance.now() - begin)) : 0;
  }

  async function draw() {
    if (busy) {
      return;
    }
    busy = true;
    try {
      const all = await context.get('waiting');
      if (isExplained && performance.now() >= next) {
        await explain(all);
      }
      lists.replaceChildren(...list(all));
    } finally {
      busy = false;
    }
  }

  root.append(about, lists);
  if (isExplained) {
    about.append(element('h2', {}, name), element('p', { class: 'quiet' }, 'Reading all nodes …'));
  }
  await draw();
  context.onChange((what) => (what === 'data' ? draw() : undefined));
}

// A group, and why one of its pods waits by itself.
async function groupAndPod(answer, name, context) {
  const found = (await context.get('waiting')).groups.find((each) => each.group === name);
  if (!found) {
    return group(answer);
  }
  const member = found.pods[0];
  return [...group(answer), element('h3', {}, `Why does its pod ${member} wait, by itself?`),
    ...pod(await context.get('waiting/pod/' + encoded(member)))];
}

// NAMESPACE/NAME as a part of a path.
function encoded(name) {
  return name.split('/').map(encodeURIComponent).join('/');
}

function link(kind, name) {
  return element('a', { href: `#/waiting/${kind}/` + encodeURIComponent(name) }, name);
}

function list(answer) {
  const notes = answer.notes.map((text) => element('p', { class: 'quiet' }, text));
  if (!answer.waiting) {
    return [element('h2', {}, 'Waiting'), element('p', {}, 'No pod waits for a node.'), ...notes];
  }
  return [
    element('h2', {}, 'Waiting: ' + count(answer.waiting, 'pod')),
    ...notes,
    ...(answer.groups.length ? [table('Groups, whose pods run together or not at all', GROUPS, answer.groups)] : []),
    table('Pods without a node, the oldest first' + (answer.waiting > answer.pods.length ? `: ${answer.pods.length} of them` : ''), PODS, answer.pods),
  ];
}

const GROUPS = [
  { title: 'Group', cell: (row) => link('group', row.group) },
  { title: 'Waiting', cell: (row) => number(row.waiting), number: true },
  { title: 'Have to run together', cell: (row) => (row.minMember === undefined ? 'its pods do not say' : number(row.minMember)), number: true },
  { title: 'Why one of its pods waits', cell: (row) => link('pod', row.pods[0]) },
];

const PODS = [
  { title: 'Pod', cell: (row) => link('pod', row.pod) },
  { title: 'For', cell: (row) => age(row.since), number: true },
  { title: 'Scheduler', cell: (row) => row.scheduler + (row.gates.length ? '; gates: ' + row.gates.join(', ') : '') },
  { title: 'Its scheduler says', cell: (row) => [
    row.said || (row.gates.length ? '' : 'nothing: no scheduler has tried it'),
    row.needsAlignment ? '' : 'its zones do not matter: nothing of it is aligned',
  ].filter((text) => text).join('; ') },
];

function pod(answer) {
  const fitting = answer.fitting;
  return [
    answer.scheduler ? element('p', { class: 'bad' }, answer.scheduler) : null,
    element('p', {}, fitting.count
      ? `${count(fitting.count, 'node')} of ${number(answer.nodes)} would take it now, as far as zones, requests, labels and taints decide: `
      : `None of ${count(answer.nodes, 'node')} takes it.`,
    ...(fitting.count ? [nodeNames(fitting)] : [])),
    answer.classes.length ? reasons(answer) : null,
    ...nearest(answer),
  ].filter((each) => each);
}

function nearest(answer) {
  if (!answer.nearest.length && answer.fitting.count) {
    return [];
  }
  return [element('h3', {}, 'Nearest misses'), answer.nearest.length
    ? table('What would have to change, as the model has confirmed. This page changes nothing.', NEAREST, answer.nearest)
    : element('p', {}, 'On no node would a small change help: not the end of one or two pods, no smaller request, and no uncordoning.')];
}

function reasons(answer) {
  return table('Why nodes refuse it: nodes with the same reason together', [
    { title: 'Reason', cell: (row) => row.sentence },
    { title: 'Nodes', cell: (row) => number(row.count), number: true },
    { title: '', cell: (row) => share(row.count / answer.nodes) },
    { title: 'Which', cell: nodeNames },
  ], answer.classes);
}

// As long as the part of the nodes; the number stands beside it.
function share(fraction) {
  const bar = element('span', { class: 'share', 'aria-hidden': 'true' });
  bar.style.width = Math.max(2, Math.round(100 * fraction)) + 'px';
  return bar;
}

function nodeNames(nodes) {
  const all = nodes.names.map((name) => element('span', {}, nodeLink(name), ' '));
  if (nodes.count <= FIRST_NODES) {
    return element('span', {}, ...all);
  }
  const beyond = nodes.count - nodes.names.length;
  return element('details', { class: 'names' }, element('summary', {}, `${nodes.names[0]} and ${count(nodes.count - 1, 'other')}`),
    ...all, beyond > 0 ? ` and ${number(beyond)} more` : '');
}

const NEAREST = [
  { title: 'Node', cell: (row) => nodeLink(row.node) },
  { title: 'Why it refuses', cell: (row) => [row.message, ...row.nodeReasons].filter((text) => text).join('; ') },
  { title: 'What would have to change', cell: (row) => row.advice },
  { title: 'Confidence', cell: (row) => row.confidence },
];

function group(answer) {
  const enough = answer.waiting >= answer.needed;
  return [
    element('p', {}, `${number(answer.needed)} of its ${count(answer.waiting, 'waiting pod')} have to run together; `
      + `${answer.cutOff ? 'at least ' : ''}${number(answer.placeable)} fit now.`),
    enough ? null : element('p', { class: 'bad' }, `It has too few pods: ${number(answer.needed - answer.waiting)} more have to be created.`),
    answer.notConsidered ? element('p', {}, 'Not considered, so that no eviction is proposed: ' + answer.notConsidered) : null,
    ...moves(answer),
    answer.nodes.length
      ? table(answer.fits ? 'Where its pods would run now' : 'Where its pods would run then', PLAN, answer.nodes)
      : null,
  ].filter((each) => each);
}

const PLAN = [
  { title: 'Node', cell: (row) => nodeLink(row.node) },
  { title: 'Pods', cell: (row) => row.pods.join(', ') },
];

function moves(answer) {
  if (answer.fits) {
    return [];
  }
  return answer.evictions.length
    ? [element('h3', {}, 'Nearest miss'),
      table('It would fit if these pods moved. The model has confirmed it; disruption budgets are not considered. This page moves nothing.', MOVES, answer.evictions)]
    : [element('p', {}, 'No moves of other pods were found that make room for it.')];
}

const MOVES = [
  { title: 'Pod', cell: (row) => row.pod },
  { title: 'From', cell: (row) => nodeLink(row.node) },
  { title: 'To', cell: (row) => nodeLink(row.target) },
];
