// Colours of canvases. Text is coloured by the style sheet.

const dark = window.matchMedia('(prefers-color-scheme: dark)');

// From none to all, in steps that differ in lightness: they can be told apart without seeing colours.
const LIGHT = ['#f1f5fa', '#dbe6f3', '#c0d6ec', '#9dc1e3', '#74a8d7', '#4c8cc8', '#2f70b3', '#1c5699', '#0f3f7c', '#082b5c'];
const DARK = ['#1a222c', '#1e2f41', '#213e5a', '#245076', '#296493', '#357ab0', '#4c92ca', '#6eabdf', '#98c6f0', '#c9e3fb'];

// Neighbours differ in hue and in lightness.
const PODS = [
  '#4477aa', '#ee9955', '#228833', '#cc6677', '#66ccee', '#aa7733', '#aa3377', '#88aa44', '#7755bb', '#ddcc55', '#339999', '#dd88bb',
];

export function isDark() {
  return dark.matches;
}

export function onTheme(callback) {
  dark.addEventListener('change', callback);
  return () => dark.removeEventListener('change', callback);
}

export const STEPS = LIGHT.length;

// 0: none, below 1: one of the steps between, 1: all.
export function step(fraction) {
  return fraction <= 0 ? 0 : fraction >= 1 ? STEPS - 1 : 1 + Math.floor(fraction * (STEPS - 2));
}

export function colorOfStep(index) {
  return (isDark() ? DARK : LIGHT)[index];
}

export function color(fraction) {
  return colorOfStep(step(fraction));
}

// The same for a pod wherever it is shown.
export function colorOfPod(name) {
  let hash = 7;
  for (const each of name) {
    hash = (hash * 31 + each.codePointAt(0)) % 1000003;
  }
  return PODS[hash % PODS.length];
}

// A colour of the style sheet, such as line or text.
export function named(name) {
  return getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim();
}
