// Elements whose texts come from a cluster: they are set as text, and never read as markup.

const PAGE = 200;

// An element: element('p', {class: 'bad'}, 'text', otherElement). A property that is a function listens to the event of its name.
export function element(name, properties = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (typeof value === 'function') {
      made.addEventListener(key, value);
    } else if (value !== undefined && value !== false) {
      made.setAttribute(key, value === true ? '' : value);
    }
  }
  made.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return made;
}

// A link to the page of a node.
export function nodeLink(name) {
  return element('a', { href: '#/node/' + encodeURIComponent(name) }, name);
}

// A link to the explanation of a pod, NAMESPACE/NAME.
export function podLink(name) {
  return element('a', { href: '#/waiting/pod/' + encodeURIComponent(name) }, name);
}

// A table of rows. Columns: [{title, cell: row => text or element, number: true}]. Long tables show more rows on demand.
export function table(caption, columns, rows) {
  const body = element('tbody');
  const head = element('tr', {}, ...columns.map((column) =>
    element('th', { scope: 'col', class: column.number ? 'number' : undefined }, column.title)));
  const all = element('table', {}, element('caption', {}, caption), element('thead', {}, head), body);
  const more = element('button', { type: 'button', click: () => show() }, '');
  let shown = 0;
  function show() {
    const next = rows.slice(shown, shown + PAGE);
    shown += next.length;
    body.append(...next.map((row) => tableRow(columns, row)));
    more.hidden = shown >= rows.length;
    more.textContent = `Show more rows (${shown} of ${rows.length})`;
  }
  show();
  if (!rows.length) {
    body.append(element('tr', {}, element('td', { colspan: columns.length }, 'none')));
  }
  return element('div', { class: 'wide' }, all, more);
}

function tableRow(columns, row) {
  return element('tr', {}, ...columns.map((column, index) =>
    element(index === 0 ? 'th' : 'td',
      { scope: index === 0 ? 'row' : undefined, class: column.number ? 'number' : undefined },
      column.cell(row) ?? '')));
}

// The table of a picture, made when somebody opens it. Returns {root, refresh()}: refresh makes an open table again.
export function tableOnDemand(summary, make) {
  const root = element('details', {}, element('summary', {}, summary));
  function refresh() {
    [...root.children].slice(1).forEach((child) => child.remove());
    if (root.open) {
      root.append(make());
    }
  }
  root.addEventListener('toggle', refresh);
  return { root, refresh };
}
