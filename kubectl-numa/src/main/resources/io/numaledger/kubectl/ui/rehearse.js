// What a change of kubelets, a drain, or more or fewer nodes would do to pods. Nothing is changed.

import { element, nodeLink, table } from './table.js';
import { number } from './format.js';

const EXAMPLES = ['drain NODE', 'remove NODE NODE', 'add NODE*2', 'change NODE --kubelet-version 1.38 --by drain'];

export async function show(root, context) {
  if (context.isReport) {
    root.append(element('h2', {}, 'Rehearse'), element('p', {}, 'A report answers no questions; open the page with kubectl numa ui.'));
    return;
  }
  const answer = element('div', { role: 'status' });
  const words = element('input', { name: 'words', size: 80, value: context.argument, autocomplete: 'off', placeholder: EXAMPLES[0] });
  const form = element('form', { submit: (event) => {
    event.preventDefault();
    location.hash = '#/rehearse/' + encodeURIComponent(words.value.trim());
  } }, element('label', {}, 'kubectl numa rehearse ', words), ' ', element('button', { type: 'submit' }, 'Rehearse'));
  root.append(
    element('h2', {}, 'Rehearse'),
    element('p', { class: 'quiet' }, 'What would become of pods. Nothing is changed. Examples: ' + EXAMPLES.join('; ') + '.'),
    form, answer);
  if (context.argument) {
    answer.replaceChildren(element('p', {}, 'Reading the cluster …'));
    try {
      answer.replaceChildren(...parts(await context.get('rehearsal?words=' + encodeURIComponent(context.argument))));
    } catch (error) {
      answer.replaceChildren(element('p', { class: 'bad', role: 'alert' }, error.message));
    }
  }
}

function parts(result) {
  const made = [element('p', {}, sentence(result))];
  if (result.nodes) {
    made.push(table('Kubelets', KUBELETS, result.nodes));
  }
  const steps = result.steps || [];
  if (steps.length > 1) {
    made.push(element('p', {}, 'In this order: ' + steps.map((step) => step.nodes.join(' and ')).join(', ') + '.'));
  }
  if (result.largestAtOnce !== undefined) {
    made.push(element('p', {}, `At most ${number(result.largestAtOnce)} at once with no pod waiting.`));
  }
  made.push(table('Pods', PODS, pods(result)));
  if (result.room?.length) {
    made.push(table('Room for reference pods on these nodes', ROOM, result.room));
  }
  if (result.notConsidered) {
    made.push(element('p', { class: 'quiet' }, 'Not considered of these pods: ' + result.notConsidered + '.'));
  }
  return made;
}

function sentence(result) {
  const all = Object.entries(result.pods).filter(([, count]) => count > 0);
  const text = all.map(([fate, count]) => `${fate} ${number(count)}`).join(', ') || 'none';
  return (result.action === 'add' ? `${number(result.needed)} more nodes like ${result.like}. ` : '') + 'Pods: ' + text + '.';
}

// Pods that stay are many, and come last.
function pods(result) {
  const lists = [...(result.nodes || result.steps || []).map((each) => each.pods), result.fitting, result.added, result.waiting];
  const all = lists.flatMap((each) => each || []);
  return [...all.filter((pod) => pod.fate !== 'stays'), ...all.filter((pod) => pod.fate === 'stays')];
}

function count(fate) {
  return (node) => number(node.pods.filter((pod) => pod.fate === fate).length);
}

function starts(node) {
  if (!node.objection) {
    return node.starts ? 'yes' : 'unknown';
  }
  return node.starts ? 'without ' + node.delete.join(', ') : 'no';
}

const KUBELETS = [
  { title: 'Node', cell: (node) => nodeLink(node.node) },
  { title: 'Starts', cell: starts },
  { title: 'Stay', cell: count('stays'), number: true },
  { title: 'Uncertain', cell: count('uncertain'), number: true },
  { title: 'Move', cell: count('moves'), number: true },
  { title: 'Why not', cell: (node) => node.objection || '–' },
];

const PODS = [
  { title: 'Pod', cell: (pod) => pod.pod },
  { title: 'Node', cell: (pod) => (pod.node ? nodeLink(pod.node) : '–') },
  { title: 'Fate', cell: (pod) => pod.fate },
  { title: 'Target', cell: (pod) => pod.target || '–' },
  { title: 'Why', cell: (pod) => pod.why || '–' },
];

const ROOM = [
  { title: 'Reference pod', cell: (row) => row.reference },
  { title: 'By zones', cell: (row) => number(row.before.byZones), number: true },
  { title: 'Afterwards', cell: (row) => number(row.after.byZones), number: true },
  { title: 'By sums', cell: (row) => number(row.before.bySums), number: true },
  { title: 'Afterwards', cell: (row) => number(row.after.bySums), number: true },
];
