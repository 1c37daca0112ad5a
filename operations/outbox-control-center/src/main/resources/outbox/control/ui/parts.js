import { t, time } from './i18n.js';
import { standing } from './figures.js';

export const { h, render, Fragment } = window.preact;
export const { useState, useEffect, useLayoutEffect, useRef, useMemo, useCallback } = window.preactHooks;

export const Badge = (event) => {
  const names = { new: 'New', scheduled: 'Scheduled', held: 'Held back', retry: 'Retrying', dead: 'Dead', done: 'Delivered' };
  const state = standing(event, Date.now());
  const { parked } = event;
  return h('span', { class: 'badge ' + (state === 'held' ? 'retry' : event.state) }, t(names[state] ?? state), parked ? ' · ' + t('parked') : null);
};

export const When = ({ at }) => h('time', { datetime: at ?? '', class: 'nowrap' }, time(at));

/** The head of a page: its title, what belongs to it, and at the end what can be done. */
export const Top = ({ title, note, children }) => h('div', { class: 'top' }, h('h1', null, title), note ? h('span', { class: 'label' }, note) : null, h('span', { class: 'grow' }), children);

/** Single keys, outside of fields and dialogs. @return what takes them away again */
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

/** Loads once per key; keeps the old value until the new one is there. */
export function useLoad(load, key) {
  const [state, set] = useState({ loading: true });
  const [turn, again] = useState(0);
  useEffect(() => {
    const abort = new AbortController();
    set((old) => ({ ...old, loading: true }));
    load(abort.signal).then(
      (value) => set({ value, loading: false }),
      (error) => { if (error.name !== 'AbortError') set({ error, loading: false }); },
    );
    return () => abort.abort();
  }, [key, turn]);
  return { ...state, reload: () => again((n) => n + 1) };
}

export function Dialog({ onClose, label, wide, children }) {
  const ref = useRef();
  useEffect(() => { ref.current.showModal(); }, []);
  return h('dialog', { ref, class: wide ? 'wide' : undefined, 'aria-label': label, onClose, onCancel: onClose }, children);
}

/** Lines over time. series: [{name, values, cls, format}] */
/** Values over time; `times` in milliseconds, since looks are rare while nobody watches. */
export function Chart({ title, note, series, times }) {
  const width = 600, height = 120;
  const all = series.flatMap((s) => s.values.filter((v) => v !== null && v !== undefined));
  const max = Math.max(1, ...all);
  const path = (values) => {
    let drawing = false;
    return values.map((v, i) => {
      if (v === null || v === undefined) { drawing = false; return ''; }
      const span = times[times.length - 1] - times[0];
      const x = span > 0 ? ((times[i] - times[0]) / span) * width : width;
      const y = height - 4 - (v / max) * (height - 12);
      const step = (drawing ? 'L' : 'M') + x.toFixed(1) + ' ' + y.toFixed(1);
      drawing = true;
      return step;
    }).join('');
  };
  const last = (s) => s.format(s.values.length ? s.values[s.values.length - 1] : null);
  return h('section', { class: 'card' },
    h('h2', null, title, ' ', h('span', { class: 'label' }, note)),
    h('div', { class: 'chart-box' }, all.length ? h('span', { class: 'max', 'aria-hidden': 'true' }, series[0].format(max)) : null, h('svg', { class: 'chart', viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: 'none', role: 'img', 'aria-label': title + ': ' + series.map((s) => s.name + ' ' + last(s)).join(', ') },
      h('path', { class: 'base', d: `M0 ${height - 4}H${width}` }),
      series.map((s) => h('path', { class: s.cls, d: path(s.values) })))),
    h('div', { class: 'legend' }, series.map((s) => h('span', null, h('i', { class: 'dot ' + s.cls }), s.name + ' ', h('b', null, last(s))))));
}
