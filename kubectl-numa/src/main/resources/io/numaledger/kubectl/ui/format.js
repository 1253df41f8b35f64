// Amounts are numbers in the model's unit: cpu in thousandths, memory and hugepages in bytes, everything else in counts.

const BINARY = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi'];
const SUFFIXES = {
  n: 1e-9, u: 1e-6, m: 1e-3, k: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15, E: 1e18,
  Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40, Pi: 2 ** 50, Ei: 2 ** 60,
};

function isBytes(resource) {
  return resource === 'memory' || resource.startsWith('hugepages-');
}

// Such as 3.5, 62 GiB, 4.
export function amount(resource, value) {
  if (value === null || value === undefined) {
    return '–';
  }
  if (resource === 'cpu') {
    return number(value / 1000);
  }
  return isBytes(resource) ? bytes(value) : number(value);
}

function bytes(value) {
  let unit = 0;
  while (Math.abs(value) >= 1024 && unit < BINARY.length - 1) {
    value /= 1024;
    unit++;
  }
  return number(value) + (unit ? ' ' + BINARY[unit] + 'B' : ' B');
}

// With thousands apart, and at most one digit after the point for large numbers, three for small ones.
export function number(value) {
  return value.toLocaleString('en', { maximumFractionDigits: Math.abs(value) < 10 ? 3 : 1 });
}

// A quantity of Kubernetes, such as 500m or 62Gi, as an amount of this resource.
export function parsed(resource, quantity) {
  const parts = /^([+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?)([a-zA-Z]*)$/.exec(String(quantity).trim());
  if (!parts) {
    return null;
  }
  const value = Number(parts[1]) * (SUFFIXES[parts[2]] || 1);
  return resource === 'cpu' ? Math.round(value * 1000) : value;
}

// The same as text for people.
export function readable(resource, quantity) {
  const value = parsed(resource, quantity);
  return value === null ? String(quantity) : amount(resource, value);
}

// 1 node, 2 nodes.
export function count(value, noun) {
  return number(value) + ' ' + noun + (value === 1 ? '' : 's');
}

// For how long, as kubectl numa writes it: 45s, 3m, 2h, 4d.
export function age(since) {
  const seconds = Math.max(0, Math.floor((Date.now() - new Date(since).getTime()) / 1000));
  if (Number.isNaN(seconds)) {
    return '';
  }
  const [unit, name] = seconds < 120 ? [1, 's'] : seconds < 7200 ? [60, 'm'] : seconds < 172800 ? [3600, 'h'] : [86400, 'd'];
  return Math.floor(seconds / unit) + name;
}

export function time(instant) {
  const date = new Date(instant);
  return Number.isNaN(date.getTime()) ? '' : date.toLocaleTimeString('en-GB');
}

// With the date, unless it is today's.
export function when(instant) {
  return new Date(instant).toDateString() === new Date().toDateString() ? time(instant) : dated(instant);
}

export function dated(instant) {
  const date = new Date(instant);
  return Number.isNaN(date.getTime()) ? '' : `${date.toLocaleDateString('en-CA')} ${time(instant)}`;
}
