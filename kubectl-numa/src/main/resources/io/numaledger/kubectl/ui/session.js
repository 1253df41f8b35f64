// The right to read. The printed address has a token after its #, which works once: it is exchanged for the secret of this session. The
// secret is kept for the page's address with its port. A cookie would go to the servers of all ports of this machine.

const TOKEN = /^#token=([\w-]+)$/;
const KEY = 'session';

let session = '';

export function hasToken() {
  return TOKEN.test(location.hash);
}

// Takes the token out of the address at once, so that neither the history nor a bookmark has it.
export async function enter() {
  const [, token] = location.hash.match(TOKEN) || [];
  if (!token) {
    return;
  }
  history.replaceState(null, '', location.pathname);
  const response = await send('/session', token, { method: 'POST' });
  if (response.ok) {
    session = (await response.text()).trim();
    keep();
  }
}

export function request(path) {
  return send(path, session || kept(), {});
}

function send(path, secret, options) {
  return fetch(path, { ...options, credentials: 'omit', headers: { Authorization: 'Bearer ' + secret } });
}

// Other tabs use it, and this one after it is loaded again.
function keep() {
  try {
    localStorage.setItem(KEY, session);
  } catch (e) {
    // Some browsers are set to store nothing: this tab works until it is loaded again.
  }
}

function kept() {
  try {
    return localStorage.getItem(KEY) || '';
  } catch (e) {
    return '';
  }
}
