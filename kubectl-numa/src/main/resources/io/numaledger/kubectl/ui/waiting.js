import { element } from './table.js';

export async function show(root) {
  root.append(element('p', { class: 'quiet' }, 'This view is not there yet.'));
}
