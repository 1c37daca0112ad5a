import { h, Fragment, useEffect, useLayoutEffect, useRef, useState, Note, Top, keys } from './parts.js';
import { get, app as path } from './api.js';
import { words, time } from './i18n.js';
import { useLive } from './live.js';
import { Bulk } from './bulk.js';
import { Views } from './views.js';
import { QueryBar } from './querybar.js';
import { FILTERS, AgeField, ExportMenu, StateTabs, TypeField } from './events-filters.js';
import { ColumnMenu, EventTable, useColumns } from './events-table.js';

const t = words({
  'Act on all matching events': '批量处理全部符合项',
  'Act on': '处理',
  'selected': '已选择',
  'new events': '个新事件',
  'Show': '显示',
  'None': '取消选择',
  'Stop': '停止',
  'Searching, back to': '正在搜索，直到',
  'Searching…': '正在搜索…',
});

/** A search without an index continues by itself for as many pages as this. */
const SEARCHES = 50;

export function Events({ app, query, go, rights, session, toast }) {
  const [pages, setPages] = useState([]);
  const [status, setStatus] = useState({ loading: true });
  const [here, setHere] = useState(0);
  const [picked, setPicked] = useState(new Set());
  const [fresh, setFresh] = useState(0);
  const [bulk, setBulk] = useState(null);
  const [turn, again] = useState(0);
  const [counts, setCounts] = useState(null);
  const [columns, setColumns] = useColumns();
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
  /** Loads a page; a search that found nothing yet continues until it finds something or is stopped. */
  const load = async (cursor, signal) => {
    const wanted = asking.current;
    setStatus({ loading: true });
    try {
      let page = await list(cursor, signal);
      const first = !cursor;
      for (let n = 0; page.partial && !page.events.length && page.next && n < SEARCHES; n++) {
        setStatus({ loading: true, reached: page.reached, searching: true });
        page = await list(page.next, signal);
      }
      setPages((old) => (first ? [page] : [...old, page]));
      setStatus({});
    } catch (error) {
      if (error.name !== 'AbortError') setStatus({ error });
      else if (asking.current === wanted) setStatus({});
    }
  };
  const asking = useRef(); // aborts requests of a previous filter
  useEffect(() => {
    const abort = (asking.current = new AbortController());
    setPages([]);
    setHere(0);
    setFresh(0);
    setPicked(new Set());
    load(null, abort.signal);
    return () => abort.abort();
  }, [app, key, turn]);

  // Visible rows are updated in place; new events are only counted until the user asks for them.
  const shown = useRef([]);
  shown.current = pages;
  const looked = useRef(0);
  const away = useRef(false); // the database was unreachable: reload the list when it is back
  away.current = status.error?.status === 503 && !pages.length;
  const live = useLive(app, (sample) => {
    setCounts(sample);
    if (away.current) {
      again((n) => n + 1);
      return;
    }
    const now = Date.now();
    if (!newest || now - looked.current < 2500 || !shown.current.length) return;
    looked.current = now;
    list(null, asking.current.signal).then(
      (page) => {
        const known = new Set(shown.current.flatMap((p) => p.events.map((e) => e.id)));
        const changed = new Map(page.events.map((e) => [e.id, e]));
        setPages((old) => old.map((p) => ({ ...p, events: p.events.map((e) => changed.get(e.id) ?? e) })));
        setFresh(page.events.filter((e) => !known.has(e.id)).length);
      },
      () => {},
    );
  });

  const href = (event) => `#/${encodeURIComponent(app)}/events/${encodeURIComponent(event.id)}`;
  const open = (event) => go(href(event));
  const change = (next) => go(`#/${encodeURIComponent(app)}/events${next.size ? '?' + next : ''}`);
  const set = (name, value) => {
    const next = new URLSearchParams(query);
    if (value) next.set(name, value);
    else next.delete(name);
    change(next);
  };
  const setAge = (value) => {
    const next = new URLSearchParams(query);
    next.delete('from');
    next.delete('to');
    if (value) next.set(...value.split('='));
    change(next);
  };
  /** The filter of the query bar; the order of the list stays. */
  const setFilter = (params) => {
    const next = new URLSearchParams(params);
    if (query.get('order')) next.set('order', query.get('order'));
    if (next.toString() === key) again((n) => n + 1);
    else change(next);
  };
  const pick = (id) =>
    setPicked((old) => {
      const next = new Set(old);
      if (!next.delete(id)) next.add(id);
      return next;
    });
  const filter = () =>
    Object.fromEntries(FILTERS.filter((name) => query.get(name)).map((name) => [name, query.get(name)]));
  const onPicked = (first) =>
    setBulk({ scope: { ids: [...picked] }, about: `${picked.size} ${t('selected events')}`, first });
  const onAll = () =>
    setBulk({
      scope: { filter: filter() },
      about: `${t('all events that match the filter')}: ${FILTERS.filter((n) => query.get(n))
        .map((n) => `${n}=${query.get(n)}`)
        .join(' ')}`,
    });

  useLayoutEffect(
    () =>
      keys({
        // before the paint: keys must act on the visible row
        '/': () => search.current?.focus(),
        'j': () => setHere((n) => Math.min(n + 1, rows.length - 1)),
        'k': () => setHere((n) => Math.max(n - 1, 0)),
        'x': () => {
          if (rights.act && rows[here]) pick(rows[here].id);
        },
        'r': () => {
          if (!rights.act) return;
          if (picked.size) onPicked('retry');
          else if (rows[here]) setBulk({ scope: { ids: [rows[here].id] }, about: rows[here].type, first: 'retry' });
        },
        'Enter': () => {
          if (rows[here]) open(rows[here]);
        },
      }),
    [rows.length, here, app, picked, rights.act, pages],
  );
  useEffect(() => {
    document.querySelector('tr.here')?.scrollIntoView({ block: 'nearest' });
  }, [here]);

  const hasFilter = FILTERS.some((name) => query.get(name));
  return h(
    Fragment,
    null,
    h(
      Top,
      {
        title: t('Events'),
        note: h('span', { class: 'live ' + (live ? 'on' : '') }, h('i'), t(live ? 'live' : 'paused')),
      },
      rights.act && hasFilter ? h('button', { type: 'button', onClick: onAll }, t('Act on all matching events')) : null,
      h(Views, { app, query, change, rights, session, toast }),
      h(ColumnMenu, { chosen: columns, onChange: setColumns }),
      h(ExportMenu, { app, query }),
      h(
        'select',
        {
          'aria-label': t('Order'),
          'value': query.get('order') ?? '',
          'onChange': (e) => set('order', e.target.value),
        },
        h('option', { value: '' }, t('Newest first')),
        h('option', { value: 'oldest' }, t('Oldest first')),
      ),
    ),
    h(StateTabs, { query, counts, onChange: (state) => set('state', state) }),
    h(
      'div',
      { class: 'filters' },
      h(QueryBar, { app, query, onChange: setFilter, input: search }),
      h(TypeField, { query, onChange: (value) => set('type', value) }),
      h(AgeField, { query, onChange: setAge }),
      query.size
        ? h('button', { type: 'button', class: 'quiet', onClick: () => change(new URLSearchParams()) }, t('Clear'))
        : null,
    ),
    status.error ? h(Note, { kind: 'bad' }, status.error.message) : null,
    picked.size
      ? h(
          'div',
          { class: 'selection', role: 'status' },
          h('b', null, picked.size),
          ' ',
          t('selected'),
          h('span', { class: 'grow' }),
          h(
            'button',
            { type: 'button', class: 'primary', onClick: () => onPicked('retry') },
            t('Act on'),
            ' ',
            picked.size,
          ),
          h('button', { type: 'button', class: 'quiet', onClick: () => setPicked(new Set()) }, t('None')),
        )
      : null,
    fresh
      ? h(
          'button',
          { type: 'button', class: 'fresh', onClick: () => again((n) => n + 1) },
          `${fresh}${fresh >= 50 ? '+' : ''} ${t('new events')} · ${t('Show')}`,
        )
      : null,
    h(
      'section',
      { 'class': 'card scroll', 'aria-busy': String(!!status.loading) },
      rows.length
        ? h(EventTable, {
            rows,
            columns,
            href,
            open,
            here,
            picked,
            onPick: rights.act ? pick : null,
            onPickAll: (all) => setPicked(all ? new Set(rows.map((e) => e.id)) : new Set()),
          })
        : status.loading
          ? h('div', { class: 'empty' }, status.searching ? null : t('Loading…'))
          : status.error || last?.partial
            ? null
            : h(
                'div',
                { class: 'empty' },
                query.get('state') === 'dead' ? t('No dead events.') : t('No events match.'),
              ),
      status.searching
        ? h(
            'div',
            { class: 'more', role: 'status' },
            status.reached ? `${t('Searching, back to')} ${time(status.reached)}` : t('Searching…'),
            h('button', { type: 'button', onClick: () => stop() }, t('Stop')),
          )
        : null,
      last?.next && !status.searching
        ? h(
            'div',
            { class: 'more' },
            last.partial
              ? h(
                  'span',
                  null,
                  t(last.reached ? 'Searched part of the table, back to' : 'Searched part of the table'),
                  ' ',
                  last.reached ? time(last.reached) : null,
                )
              : null,
            h(
              'button',
              { type: 'button', disabled: status.loading, onClick: () => load(last.next, asking.current.signal) },
              t(last.partial ? 'Continue searching' : 'More'),
            ),
          )
        : null,
    ),
    bulk
      ? h(Bulk, {
          app,
          ...bulk,
          onClose: () => setBulk(null),
          onStart: (operation) => {
            setBulk(null);
            go(`#/${encodeURIComponent(app)}/operations/${operation.id}`);
          },
        })
      : null,
  );

  function stop() {
    asking.current.abort();
    asking.current = new AbortController();
    setStatus({});
  }
}
