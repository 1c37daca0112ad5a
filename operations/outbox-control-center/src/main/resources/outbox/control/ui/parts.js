import { t, time, exactTime, relative } from './i18n.js';

export const { h, render, Fragment } = window.preact;
export const { useState, useEffect, useLayoutEffect, useRef, useMemo, useCallback } = window.preactHooks;

const STATES = {
  new: 'New',
  scheduled: 'Scheduled',
  held: 'Held back',
  retry: 'Retrying',
  dead: 'Dead',
  done: 'Delivered',
};
export const Badge = ({ state, parked }) =>
  h('span', { class: 'badge ' + state }, t(STATES[state] ?? state), parked ? ' · ' + t('parked') : null);

/** The current time, every few seconds, for relative times. One timer for the whole page. */
const listeners = new Set();
setInterval(() => listeners.forEach((listener) => listener()), 5000);
export function useNow() {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const listener = () => setNow(Date.now());
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, []);
  return now;
}

/** How long ago; the exact time and its zone on hover. With `full` the time is written out too. */
export function When({ at, full }) {
  const now = useNow();
  if (!at) return '–';
  return h(
    'time',
    { datetime: at, class: full ? '' : 'nowrap', title: exactTime(at) },
    full ? `${time(at)} · ` : null,
    relative(at, now),
  );
}

/** The header of a page: title, details, actions. */
export const Top = ({ title, note, children }) =>
  h(
    'div',
    { class: 'top' },
    h('h1', null, title),
    note ? h('span', { class: 'label' }, note) : null,
    h('span', { class: 'grow' }),
    children,
  );

/** Registers single-key shortcuts, inactive in fields and dialogs. @return a function that removes them */
export function keys(actions) {
  const pressed = (e) => {
    const action = actions[e.key];
    if (!action || e.ctrlKey || e.metaKey || e.altKey || e.target.closest?.('input, textarea, select, dialog')) return;
    if (e.key === 'Enter' && e.target.closest('a, button, summary')) return;
    e.preventDefault();
    action();
  };
  document.addEventListener('keydown', pressed);
  return () => document.removeEventListener('keydown', pressed);
}

export function Note({ kind, children }) {
  return h('div', { class: 'note ' + (kind ?? ''), role: kind === 'bad' ? 'alert' : 'status' }, children);
}

/** Loads once per key; keeps the old value until the new one has arrived. */
export function useLoad(load, key) {
  const [state, set] = useState({ loading: true });
  const [turn, again] = useState(0);
  useEffect(() => {
    const abort = new AbortController();
    set((old) => ({ ...old, loading: true }));
    load(abort.signal).then(
      (value) => set({ value, loading: false }),
      (error) => {
        if (error.name !== 'AbortError') set({ error, loading: false });
      },
    );
    return () => abort.abort();
  }, [key, turn]);
  return { ...state, reload: () => again((n) => n + 1) };
}

export function Dialog({ onClose, label, wide, children }) {
  const ref = useRef();
  useEffect(() => {
    ref.current.showModal();
  }, []);
  return h(
    'dialog',
    { ref, 'class': wide ? 'wide' : undefined, 'aria-label': label, onClose, 'onCancel': onClose },
    children,
  );
}
