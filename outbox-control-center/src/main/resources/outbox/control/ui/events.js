import { h, Fragment, useEffect, useRef, useState, Badge, When, Note } from './parts.js';
import { get, app as path } from './api.js';
import { t, time } from './i18n.js';

const TEXTS = [['type', 'Type'], ['aggregateId', 'Aggregate id'], ['tenant', 'Tenant'], ['error', 'Error']];
const AGES = [['', 'any time'], ['PT15M', 'last 15 minutes'], ['PT1H', 'last hour'], ['P1D', 'last day'], ['P7D', 'last week']];
const STATES = [['', 'All'], ['new', 'New'], ['retry', 'Retrying'], ['dead', 'Dead'], ['done', 'Delivered']];

export function Events({ app, query, go }) {
  const [pages, setPages] = useState([]);
  const [status, setStatus] = useState({ loading: true });
  const [here, setHere] = useState(0);
  const search = useRef();
  const key = query.toString();
  const rows = pages.flatMap((page) => page.events);
  const last = pages.at(-1);

  const load = async (cursor, signal) => {
    setStatus({ loading: true });
    try {
      const wanted = new URLSearchParams(query);
      if (cursor) wanted.set('cursor', cursor);
      const page = await get(`${path(app)}/events?${wanted}`, signal);
      setPages((old) => (cursor ? [...old, page] : [page]));
      setStatus({});
    } catch (error) { if (error.name !== 'AbortError') setStatus({ error }); }
  };
  useEffect(() => {
    const abort = new AbortController();
    setPages([]); setHere(0);
    load(null, abort.signal);
    return () => abort.abort();
  }, [app, key]);

  const set = (name, value) => {
    const next = new URLSearchParams(query);
    if (value) next.set(name, value); else next.delete(name);
    go(`#/${encodeURIComponent(app)}/events${next.size ? '?' + next : ''}`);
  };
  const open = (event) => go(`#/${encodeURIComponent(app)}/events/${encodeURIComponent(event.id)}`);

  useEffect(() => {
    const pressed = (e) => {
      if (e.target.closest('input, textarea, select, dialog') || e.ctrlKey || e.metaKey || e.altKey) return;
      if (e.key === '/') { e.preventDefault(); search.current?.focus(); }
      if (e.key === 'j') setHere((n) => Math.min(n + 1, rows.length - 1));
      if (e.key === 'k') setHere((n) => Math.max(n - 1, 0));
      if (e.key === 'Enter' && !e.target.closest('a, button') && rows[here]) open(rows[here]);
    };
    document.addEventListener('keydown', pressed);
    return () => document.removeEventListener('keydown', pressed);
  }, [rows.length, here, app]);
  useEffect(() => { document.querySelector('tr.here')?.scrollIntoView({ block: 'nearest' }); }, [here]);

  const field = (name, label, cls) => h('input', {
    key: name + (query.get(name) ?? ''), class: cls, type: 'search', placeholder: t(label), 'aria-label': t(label), defaultValue: query.get(name) ?? '',
    ref: name === 'id' ? search : undefined, onChange: (e) => set(name, e.target.value.trim()) });
  return h(Fragment, null,
    h('div', { class: 'top' }, h('h1', null, t('Events')), h('span', { class: 'grow' }),
      h('select', { 'aria-label': t('Order'), value: query.get('order') ?? '', onChange: (e) => set('order', e.target.value) },
        h('option', { value: '' }, t('Newest first')), h('option', { value: 'oldest' }, t('Oldest first')))),
    h('div', { class: 'filters', role: 'group', 'aria-label': t('State') },
      STATES.map(([state, label]) => h('button', { type: 'button', 'aria-pressed': String((query.get('state') ?? '') === state), onClick: () => set('state', state) }, t(label)))),
    h('form', { class: 'filters', role: 'search', onSubmit: (e) => e.preventDefault() },
      field('id', 'Event id', 'wide'), TEXTS.map(([name, label]) => field(name, label)),
      h('select', { 'aria-label': t('Age'), value: query.get('from') ?? '', onChange: (e) => set('from', e.target.value) }, AGES.map(([value, label]) => h('option', { value }, t(label)))),
      query.size ? h('button', { type: 'button', class: 'quiet', onClick: () => go(`#/${encodeURIComponent(app)}/events`) }, t('Clear')) : null),
    status.error ? h(Note, { kind: 'bad' }, status.error.message) : null,
    h('section', { class: 'card scroll', 'aria-busy': String(!!status.loading) },
      rows.length ? h('table', { class: 'table cards' },
        h('thead', null, h('tr', null, ['State', 'Type', 'Aggregate', 'Created', 'Attempts', 'Error'].map((name) => h('th', { scope: 'col' }, t(name))))),
        h('tbody', null, rows.map((event, i) => h('tr', { key: event.id, class: i === here ? 'here' : '', onClick: () => open(event) },
          h('td', null, h(Badge, event)),
          h('td', null, h('a', { href: `#/${encodeURIComponent(app)}/events/${encodeURIComponent(event.id)}`, onClick: (e) => e.stopPropagation() }, event.type), event.tenant ? h('div', { class: 'label' }, event.tenant) : null),
          h('td', null, event.aggregateId ? [event.aggregateType, ' ', h('code', null, event.aggregateId)] : h('span', { class: 'label' }, '–')),
          h('td', null, h(When, { at: event.createdAt })),
          h('td', null, event.attempts),
          h('td', null, h('div', { class: 'error', title: event.error ?? '' }, event.error ?? '')))))) :
        status.loading ? h('div', { class: 'empty' }, t('Loading…')) : status.error ? null :
          last?.partial ? null : h('div', { class: 'empty' }, query.get('state') === 'dead' ? t('Nothing has failed here.') : t('No events match.')),
      last?.next ? h('div', { class: 'more' },
        last.partial ? h('span', null, t(last.reached ? 'Looked at part of the table, back to' : 'Looked at part of the table'), ' ', last.reached ? time(last.reached) : null) : null,
        h('button', { type: 'button', disabled: status.loading, onClick: () => load(last.next) }, t(last.partial ? 'Go on searching' : 'More'))) : null));
}
