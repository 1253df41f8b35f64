// The frame: which view is shown, the data that views read, and the news of changes.

import { element } from './table.js';
import { dated, when } from './format.js';
import { enter, hasToken, request } from './session.js';
import { show as fleet } from './fleet.js';
import { show as node } from './node.js';
import { show as waiting } from './waiting.js';
import { show as stranded } from './stranded.js';
import { show as rehearse } from './rehearse.js';
import { show as time } from './time.js';

const views = { fleet, node, waiting, stranded, rehearse, time };
const view = document.getElementById('view');
const state = document.getElementById('state');
const resources = document.getElementById('resource');

// A report has its data in the page.
const inlined = document.getElementById('data');
const report = inlined ? unpacked(inlined.textContent) : null;
const entered = report ? null : enter();

let cleanup = null;
let callbacks = [];
let shown = 0;
let lastChange = 0;
let nodes = null;
let notified = 0;
let notifying = null;

// What is shown, and by path why what was read last is not what the cluster has now.
let about = null;
let unread = new Map();
let broken = false;

const CONNECT_AGAIN_MS = 3_000;

// A view that asks the cluster does so at most every 5 seconds.
const SOONEST_MS = 5_000;

async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), (each) => each.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Response(stream).json();
}

// The data of a path such as nodes or node/NAME, with the name encoded. Fails with the reason in words. Nodes are asked for once.
function get(path) {
  if (path !== 'nodes') {
    return read(path);
  }
  nodes ??= read(path).catch((error) => {
    nodes = null;
    throw error;
  });
  return nodes;
}

// Remembers why data is not up to date, until it is read again.
async function read(path) {
  try {
    const data = await answer(path);
    data.unread ? unread.set(path, data.unread) : unread.delete(path);
    showState();
    return data;
  } catch (error) {
    if (!report && !error.isAnswer) {
      unread.set(path, error.message);
      showState();
    }
    throw error;
  }
}

async function answer(path) {
  const [status, data] = report ? [200, (await report)[decodeURIComponent(path)]] : await fetched(path);
  if (data === undefined) {
    throw new Error('this report has no such data; open the page with kubectl numa ui');
  }
  if (status !== 200 || data.error) {
    throw Object.assign(new Error(data.error || 'the answer has no data'), { isAnswer: status === 404 || status === 200 });
  }
  return data;
}

async function fetched(path) {
  let response;
  try {
    await entered;
    response = await request('/data/' + path);
  } catch (e) {
    throw new Error('kubectl numa ui has ended; start it again');
  }
  lastChange = Number(response.headers.get('X-Change')) || lastChange;
  const text = await response.text();
  try {
    return [response.status, JSON.parse(text)];
  } catch (e) {
    throw new Error(text.trim());
  }
}

// Views get the data, the chosen resource, and calls when one of them has changed.
const context = {
  get,
  get resource() {
    return resources.value || 'cpu';
  },
  onChange(callback) {
    callbacks.push(callback);
  },
  isReport: report !== null,
};

function notify(what) {
  if (broken && what === 'data') {
    route();
    return;
  }
  callbacks.forEach((callback) => Promise.resolve(callback(what)).catch(showError));
}

// The fleet is at hand. Other views ask the cluster.
function notifyOfData() {
  const wait = view.dataset.view === 'fleet' ? 0 : notified + SOONEST_MS - Date.now();
  if (wait <= 0) {
    notified = Date.now();
    notify('data');
  } else {
    notifying ??= setTimeout(() => {
      notifying = null;
      notified = Date.now();
      notify('data');
    }, wait);
  }
}

function showError(error) {
  say(error.message, 'bad');
}

// Screen readers read the text when it changes.
function say(text, kind) {
  if (state.textContent !== text) {
    state.textContent = text;
  }
  state.className = kind;
}

function showState() {
  if (!about) {
    return;
  }
  const [why] = about.problem ? [about.problem] : unread.values();
  const kind = report ? 'a report of ' + dated(about.at) : about.dump ? 'a dump of ' + dated(about.at) : 'live';
  const text = why ? `not up to date, last read at ${when(about.at)}: ${why}` : kind;
  say(about.name ? `${about.name}: ${text}` : text, why ? 'bad' : 'quiet');
}

async function readState() {
  try {
    about = await answer('state');
    showState();
  } catch (error) {
    showError(error);
  }
}

// The server still speaks. What could not be read is asked for again.
async function alive() {
  await readState();
  if (unread.size && !about?.problem) {
    nodes = null;
    notifyOfData();
  }
}

async function route() {
  const [asked, ...rest] = location.hash.replace(/^#\//, '').split('/');
  const name = asked in views ? asked : 'fleet';
  const root = element('div');
  const turn = ++shown;
  if (cleanup) {
    cleanup();
  }
  cleanup = null;
  callbacks = [];
  broken = false;
  unread = new Map();
  document.querySelectorAll('nav a').forEach((link) =>
    link.getAttribute('href') === '#/' + name ? link.setAttribute('aria-current', 'page') : link.removeAttribute('aria-current'));
  view.replaceChildren(root);
  view.dataset.view = name;
  resources.parentElement.hidden = name !== 'fleet';
  try {
    const argument = decodeURIComponent(rest.join('/'));
    document.title = [argument, name, 'kubectl numa'].filter((part) => part).join(' – ');
    await chosen;
    const ended = await views[name](root, contextFor(argument));
    requestAnimationFrame(() => performance.mark('shown'));
    if (turn === shown) {
      cleanup = ended || null;
    } else if (ended) {
      ended();
    }
  } catch (error) {
    if (turn === shown) {
      broken = true;
      root.replaceChildren(element('p', { class: 'bad', role: 'alert' }, error.message));
    }
  }
}

// The argument is what follows the view's name, such as the node of #/node/NAME.
function contextFor(argument) {
  return Object.create(context, { argument: { value: argument } });
}

async function chooseResource() {
  let names = [];
  try {
    names = (await get('nodes')).resources;
  } catch (error) {
    showError(error);
  }
  const before = sessionStorageOr('resource', names.find((each) => each.endsWith('/gpu')) || names.find((each) => each.includes('/')) || 'cpu');
  resources.replaceChildren(...names.map((each) => element('option', { value: each }, each)));
  resources.value = names.includes(before) ? before : 'cpu';
}

function sessionStorageOr(key, otherwise) {
  try {
    return sessionStorage.getItem(key) || otherwise;
  } catch (e) {
    return otherwise;
  }
}

// Each line is the number of a change, or empty as a sign of life.
async function listen() {
  for (;;) {
    try {
      const response = await request('/events');
      if (!response.ok) {
        throw new Error((await response.text()).trim());
      }
      await readLines(response.body.pipeThrough(new TextDecoderStream()).getReader());
    } catch (error) {
      about = null;
      showError(error instanceof TypeError ? new Error('not connected to kubectl numa ui') : error);
    }
    await new Promise((done) => setTimeout(done, CONNECT_AGAIN_MS));
  }
}

async function readLines(reader) {
  let text = '';
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    const lines = (text + next.value).split('\n');
    text = lines.pop();
    lines.forEach((line) => (line ? changed(Number(line)) : alive()));
  }
  throw new TypeError('the server has ended');
}

function changed(number) {
  readState();
  if (number !== lastChange) {
    lastChange = number;
    nodes = null;
    notifyOfData();
  }
}

resources.addEventListener('change', () => {
  try {
    sessionStorage.setItem('resource', resources.value);
  } catch (e) {
    // Of a file, some browsers store nothing.
  }
  notify('resource');
});
window.addEventListener('hashchange', () => {
  // The address of a new server at the same port.
  if (hasToken()) {
    location.reload();
    return;
  }
  route();
  view.focus();
});

const chosen = chooseResource();
route();
if (report) {
  readState();
} else {
  chosen.then(listen);
}
