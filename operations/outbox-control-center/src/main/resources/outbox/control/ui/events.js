import { h, Fragment, useEffect, useLayoutEffect, useRef, useState, Badge, When, Note, Top, keys } from './parts.js';
import { get, app as path } from './api.js';
import { t, words, time } from './i18n.js';
import { useLive } from './live.js';
import { Bulk } from './bulk.js';
import { Views } from './views.js';

words({
  'Act on all that match': '批量处理全部符合项', 'Act on': '处理', 'selected': '已选择', 'Select': '选择', 'Select all on this page': '选择本页全部', 'new events': '个新事件', 'Show': '显示',
  'more filters': '更多筛选', 'Aggregate type': '聚合类型', 'From': '从', 'Until': '到', 'older than an hour': '早于 1 小时', 'older than a day': '早于 1 天', 'None': '取消选择',
});

const TEXTS = [['type', 'Type'], ['aggregateType', 'Aggregate type'], ['aggregateId', 'Aggregate id'], ['tenant', 'Tenant'], ['error', 'Error']];
const AGES = [['', 'any time'], ['from=PT15M', 'last 15 minutes'], ['from=PT1H', 'last hour'], ['from=P1D', 'last day'], ['from=P7D', 'last week'], ['to=PT1H', 'older than an hour'], ['to=P1D', 'older than a day']];
const STATES = [['', 'All'], ['new', 'New'], ['retry', 'Retrying'], ['dead', 'Dead'], ['done', 'Delivered']];
const FILTERS = ['state', 'id', 'type', 'aggregateType', 'aggregateId', 'tenant', 'error', 'from', 'to'];

export function Events({ app, query, go, rights, session, toast }) {
  const [pages, setPages] = useState([]);
  const [status, setStatus] = useState({ loading: true });
  const [here, setHere] = useState(0);
  const [picked, setPicked] = useState(new Set());
  const [fresh, setFresh] = useState(0);
  const [bulk, setBulk] = useState(null);
  const [turn, again] = useState(0);
  const search = useRef();
  const key = query.toString();
  const rows = pages.flatMap((page) => page.events);
  const last = pages.at(-1);
  const newest = (query.get('order') ?? 'newest') !== 'oldest';
  const list = (cursor, signal) => {
    const wanted = new URLSearchParams(query);
    if (cursor) wanted.set('cursor', cursor);
    return get(`${path(app)}/events?${wanted}`, signal);
  };
  const load = async (cursor, signal) => {
    setStatus({ loading: true });
    try {
      const page = await list(cursor, signal);
      setPages((old) => (cursor ? [...old, page] : [page]));
      setStatus({});
    } catch (error) { if (error.name !== 'AbortError') setStatus({ error }); }
  };
  const asking = useRef(); // ends what was asked with another filter
  useEffect(() => {
    const abort = asking.current = new AbortController();
    setPages([]); setHere(0); setFresh(0); setPicked(new Set());
    load(null, abort.signal);
    return () => abort.abort();
  }, [app, key, turn]);

  // Rows on the screen change their state where they are; what is new is counted and waits to be asked for.
  const shown = useRef([]);
  shown.current = pages;
  const looked = useRef(0);
  const away = useRef(false); // the database did not answer: the list comes by itself when it does
  away.current = status.error?.status === 503 && !pages.length;
  const live = useLive(app, () => {
    if (away.current) { again((n) => n + 1); return; }
    const now = Date.now();
    if (!newest || now - looked.current < 2500 || !shown.current.length) return;
    looked.current = now;
    list(null, asking.current.signal).then((page) => {
      const known = new Set(shown.current.flatMap((p) => p.events.map((e) => e.id)));
      const changed = new Map(page.events.map((e) => [e.id, e]));
      setPages((old) => old.map((p) => ({ ...p, events: p.events.map((e) => changed.get(e.id) ?? e) })));
      setFresh(page.events.filter((e) => !known.has(e.id)).length);
    }, () => {});
  });

  const open = (event) => go(`#/${encodeURIComponent(app)}/events/${encodeURIComponent(event.id)}`);
  const change = (next) => go(`#/${encodeURIComponent(app)}/events${next.size ? '?' + next : ''}`);
  const set = (name, value) => {
    const next = new URLSearchParams(query);
    if (value) next.set(name, value); else next.delete(name);
    change(next);
  };
  const setAge = (value) => {
    const next = new URLSearchParams(query);
    next.delete('from'); next.delete('to');
    if (value) next.set(...value.split('='));
    change(next);
  };
  const pick = (id) => setPicked((old) => { const next = new Set(old); if (!next.delete(id)) next.add(id); return next; });
  const filter = () => Object.fromEntries(FILTERS.filter((name) => query.get(name)).map((name) => [name, query.get(name)]));
  const onPicked = (first) => setBulk({ scope: { ids: [...picked] }, about: `${picked.size} ${t('picked events')}`, first });
  const onAll = () => setBulk({ scope: { filter: filter() }, about: `${t('all events of the filter')}: ${FILTERS.filter((n) => query.get(n)).map((n) => `${n}=${query.get(n)}`).join(' ')}` });

  useLayoutEffect(() => keys({ // at once: who types fast means the row he sees
    '/': () => search.current?.focus(),
    j: () => setHere((n) => Math.min(n + 1, rows.length - 1)),
    k: () => setHere((n) => Math.max(n - 1, 0)),
    x: () => { if (rights.act && rows[here]) pick(rows[here].id); },
    r: () => { if (!rights.act) return; if (picked.size) onPicked('retry'); else if (rows[here]) setBulk({ scope: { ids: [rows[here].id] }, about: rows[here].type, first: 'retry' }); },
    Enter: () => { if (rows[here]) open(rows[here]); },
  }), [rows.length, here, app, picked, rights.act, pages]);
  useEffect(() => { document.querySelector('tr.here')?.scrollIntoView({ block: 'nearest' }); }, [here]);

  const field = (name, label, cls) => h('input', {
    key: name + (query.get(name) ?? ''), class: cls, type: 'search', placeholder: t(label), 'aria-label': t(label), defaultValue: query.get(name) ?? '',
    ref: name === 'id' ? search : undefined, onChange: (e) => set(name, e.target.value.trim()) });
  const age = query.get('from') ? 'from=' + query.get('from') : query.get('to') ? 'to=' + query.get('to') : '';
  const hasFilter = FILTERS.some((name) => query.get(name));
  const everyOne = rows.length > 0 && rows.every((event) => picked.has(event.id));
  return h(Fragment, null,
    h(Top, { title: t('Events'), note: h('span', { class: 'live ' + (live ? 'on' : '') }, h('i'), t(live ? 'live' : 'paused')) },
      h(Views, { app, query, change, rights, session, toast }),
      rights.act && hasFilter ? h('button', { type: 'button', onClick: onAll }, t('Act on all that match')) : null,
      h('select', { 'aria-label': t('Order'), value: query.get('order') ?? '', onChange: (e) => set('order', e.target.value) },
        h('option', { value: '' }, t('Newest first')), h('option', { value: 'oldest' }, t('Oldest first')))),
    h('div', { class: 'filters', role: 'group', 'aria-label': t('State') },
      STATES.map(([state, label]) => h('button', { type: 'button', key: state, 'aria-pressed': String((query.get('state') ?? '') === state), onClick: () => set('state', state) }, t(label)))),
    h('form', { class: 'filters', role: 'search', onSubmit: (e) => e.preventDefault() },
      field('id', 'Event id', 'wide'), TEXTS.map(([name, label]) => field(name, label)),
      h('select', { 'aria-label': t('Age'), value: age, onChange: (e) => setAge(e.target.value) },
        AGES.map(([value, label]) => h('option', { value }, t(label))), AGES.some(([value]) => value === age) ? null : h('option', { value: age }, age)),
      query.size ? h('button', { type: 'button', class: 'quiet', onClick: () => change(new URLSearchParams()) }, t('Clear')) : null),
    status.error ? h(Note, { kind: 'bad' }, status.error.message) : null,
    picked.size ? h('div', { class: 'selection', role: 'status' }, h('b', null, picked.size), ' ', t('selected'), h('span', { class: 'grow' }),
      h('button', { type: 'button', class: 'primary', onClick: () => onPicked('retry') }, t('Act on'), ' ', picked.size), h('button', { type: 'button', class: 'quiet', onClick: () => setPicked(new Set()) }, t('None'))) : null,
    fresh ? h('button', { type: 'button', class: 'fresh', onClick: () => again((n) => n + 1) }, `${fresh}${fresh >= 50 ? '+' : ''} ${t('new events')} · ${t('Show')}`) : null,
    h('section', { class: 'card scroll', 'aria-busy': String(!!status.loading) },
      rows.length ? h('table', { class: 'table cards' },
        h('thead', null, h('tr', null,
          rights.act ? h('th', { scope: 'col', class: 'pick' }, h('input', { type: 'checkbox', 'aria-label': t('Select all on this page'), checked: everyOne, onChange: () => setPicked(everyOne ? new Set() : new Set(rows.map((e) => e.id))) })) : null,
          ['State', 'Type', 'Aggregate', 'Created', 'Attempts', 'Error'].map((name) => h('th', { scope: 'col', key: name }, t(name))))),
        h('tbody', null, rows.map((event, i) => h('tr', { key: event.id, class: (i === here ? 'here' : '') + (picked.has(event.id) ? ' picked' : ''), onClick: () => open(event) },
          rights.act ? h('td', { class: 'pick', onClick: (e) => e.stopPropagation() }, h('input', { type: 'checkbox', 'aria-label': t('Select') + ' ' + event.id, checked: picked.has(event.id), onChange: () => pick(event.id) })) : null,
          h('td', null, h(Badge, event)),
          h('td', null, h('a', { href: `#/${encodeURIComponent(app)}/events/${encodeURIComponent(event.id)}`, onClick: (e) => e.stopPropagation() }, event.type), event.tenant ? h('div', { class: 'label' }, event.tenant) : null),
          h('td', null, event.aggregateId ? [h('code', null, event.aggregateId), h('div', { class: 'label' }, event.aggregateType)] : h('span', { class: 'label' }, '–')),
          h('td', null, h(When, { at: event.createdAt })),
          h('td', null, event.attempts),
          h('td', { class: 'rest' }, h('div', { class: 'error', title: event.error ?? '' }, short(event.error ?? ''))))))) :
        status.loading ? h('div', { class: 'empty' }, t('Loading…')) : status.error ? null :
          last?.partial ? null : h('div', { class: 'empty' }, query.get('state') === 'dead' ? t('No dead events.') : t('No events match.')),
      last?.next ? h('div', { class: 'more' },
        last.partial ? h('span', null, t(last.reached ? 'Searched part of the table, back to' : 'Searched part of the table'), ' ', last.reached ? time(last.reached) : null) : null,
        h('button', { type: 'button', disabled: status.loading, onClick: () => load(last.next, asking.current.signal) }, t(last.partial ? 'Continue searching' : 'More'))) : null),
    bulk ? h(Bulk, { app, ...bulk, onClose: () => setBulk(null), onStart: (operation) => { setBulk(null); go(`#/${encodeURIComponent(app)}/operations/${operation.id}`); } }) : null);
}

/** Without the package in front: the rest of the line matters more. */
const short = (error) => error.replace(/^([a-z_][\w$]*\.)+(?=[A-Z])/, '');
