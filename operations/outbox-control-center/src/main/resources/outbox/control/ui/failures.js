import { h, Fragment, useState, Top, When, Note, useLoad } from './parts.js';
import { Table } from './table.js';
import { get, app as path } from './api.js';
import { words, number, duration } from './i18n.js';

const t = words({
  'Failures': '失败记录',
  'Failed deliveries, newest first': '投递失败，最新的在前',
  'All failures': '全部失败',
  'Will be retried': '将重试',
  'Permanent': '永久失败',
  'Last hour': '最近一小时',
  'Last day': '最近一天',
  'Last 7 days': '最近 7 天',
  'Any time': '任意时间',
  'Event type, exactly': '事件类型（精确）',
  'Result': '结果',
  'Duration': '耗时',
  'No failed deliveries.': '没有投递失败。',
  'This application does not record failed deliveries.': '该应用不记录投递失败。',
  'failed deliveries could not be recorded by running nodes; counters and dead events are complete.':
    '次投递失败未能被运行中的节点记录；计数和死信仍然完整。',
});

const ACTIONS = [
  ['', 'All failures'],
  ['outbox-send-failed', 'Will be retried'],
  ['outbox-failed-permanent', 'Permanent'],
];
const AGES = [
  ['', 'Any time'],
  ['PT1H', 'Last hour'],
  ['P1D', 'Last day'],
  ['P7D', 'Last 7 days'],
];

/** Every failed delivery, whatever became of its event. */
export function Failures({ app }) {
  const [action, setAction] = useState('');
  const [type, setType] = useState('');
  const [age, setAge] = useState('');
  const [turn, again] = useState(0);
  const query = new URLSearchParams(Object.entries({ action, type, from: age }).filter(([, value]) => value));
  return h(
    Fragment,
    null,
    h(
      Top,
      { title: t('Failures'), note: t('Failed deliveries, newest first') },
      h('button', { type: 'button', onClick: () => again((n) => n + 1) }, t('Refresh')),
    ),
    h(
      'div',
      { class: 'filters' },
      h(
        'span',
        { class: 'segmented' },
        ACTIONS.map(([value, label]) =>
          h(
            'button',
            {
              'type': 'button',
              'key': value,
              'aria-pressed': String(action === value),
              'onClick': () => setAction(value),
            },
            t(label),
          ),
        ),
      ),
      h(
        'select',
        { 'aria-label': t('Time'), 'value': age, 'onChange': (e) => setAge(e.target.value) },
        AGES.map(([value, label]) => h('option', { value, key: value }, t(label))),
      ),
      h('input', {
        'type': 'search',
        'placeholder': t('Event type, exactly'),
        'aria-label': t('Event type, exactly'),
        'value': type,
        'onChange': (e) => setType(e.target.value.trim()),
      }),
    ),
    h(List, { app, query, key: `${app}|${query}|${turn}` }),
  );
}

/** The failures of one filter: another filter begins a new list. */
function List({ app, query }) {
  const base = `${path(app)}/failures`;
  const first = useLoad((signal) => get(`${base}?${query}`, signal), base);
  const [older, setOlder] = useState([]);
  const pages = first.value ? [first.value, ...older] : [];
  const rows = pages.flatMap((page) => page.failures);
  const next = pages.at(-1)?.next;
  const more = () =>
    get(`${base}?${new URLSearchParams([...query, ['cursor', next]])}`).then((page) =>
      setOlder((known) => [...known, page]),
    );
  return h(
    Fragment,
    null,
    first.error ? h(Note, { kind: 'bad' }, first.error.message) : null,
    first.value && !first.value.recorded
      ? h(Note, null, t('This application does not record failed deliveries.'))
      : null,
    first.value?.lost
      ? h(
          Note,
          { kind: 'bad' },
          number(first.value.lost),
          ' ',
          t('failed deliveries could not be recorded by running nodes; counters and dead events are complete.'),
        )
      : null,
    h(
      'section',
      { 'class': 'card scroll', 'aria-busy': String(!first.value && !first.error) },
      rows.length
        ? h(Table, { t, columns: columns(app), rows, id: (one) => `${one.eventId} ${one.attempts} ${one.at}` })
        : h('div', { class: 'empty' }, t(first.value ? 'No failed deliveries.' : 'Loading…')),
      next ? h('div', { class: 'more' }, h('button', { type: 'button', onClick: more }, t('More'))) : null,
    ),
  );
}

const permanent = (one) => one.action === 'outbox-failed-permanent';
const columns = (app) => [
  {
    name: 'Time',
    cell: (one) => [h(When, { at: one.at }), one.node ? h('div', { class: 'label nowrap' }, one.node) : null],
  },
  {
    name: 'Result',
    cell: (one) =>
      h(
        'span',
        { class: 'badge ' + (permanent(one) ? 'dead' : 'retry'), title: one.action },
        t(permanent(one) ? 'Permanent' : 'Will be retried'),
      ),
  },
  {
    name: 'Event',
    cell: (one) => [
      one.type,
      h(
        'div',
        { class: 'label' },
        h(
          'a',
          { href: `#/${encodeURIComponent(app)}/events/${encodeURIComponent(one.eventId)}` },
          h('code', null, one.eventId),
        ),
      ),
    ],
  },
  { name: 'Attempts', num: true, cell: (one) => one.attempts },
  {
    name: 'Duration',
    num: true,
    cell: (one) => (one.durationMicros === null ? '–' : duration(one.durationMicros / 1e6)),
  },
  { name: 'Error', rest: true, cell: (one) => h('div', { class: 'error', title: one.error }, one.error) },
];
