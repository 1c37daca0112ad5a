import { h, When } from './parts.js';
import { Table } from './table.js';
import { get, app as path } from './api.js';
import { words, number, bytes, ago } from './i18n.js';
import { usePulse } from './nodes.js';

const t = words({
  'CDC relay': 'CDC 中继',
  'Relay': '中继',
  'Offset': '偏移量',
  'stored': '保存于',
  'Lag': '落后',
  'Retained log': '保留的日志',
  'Dead letters': '死信',
  'reads the log': '正在读取日志',
  'nobody reads its slot': '没有进程读取其复制槽',
  'No relay has stored an offset in this database.': '该数据库中还没有中继保存过偏移量。',
});

const WARN_BYTES = 1024 ** 3;

/** How far the CDC relays are: what the rows of the table do not show. */
export function Relay({ app }) {
  const { value } = usePulse((signal) => get(`${path(app)}/relay`, signal), app);
  if (!value) return null;
  return h(
    'section',
    { class: 'card scroll' },
    h('h2', { class: 'pad' }, t('CDC relay')),
    value.relays.length
      ? h(Table, { t, columns: RELAYS, rows: value.relays, id: (relay) => relay.name })
      : h('div', { class: 'empty' }, t('No relay has stored an offset in this database.')),
    value.deadLetters.length
      ? h(Table, { t, columns: LETTERS, rows: value.deadLetters, id: (letter) => letter.eventId })
      : null,
  );
}

const RELAYS = [
  { name: 'Relay', title: true, cell: (relay) => h('b', null, relay.name) },
  {
    name: 'State',
    cell: (relay) => [
      relay.active === null
        ? '–'
        : h(
            'span',
            { class: 'badge ' + (relay.active ? 'done' : 'dead') },
            t(relay.active ? 'reads the log' : 'nobody reads its slot'),
          ),
      relay.slotState ? h('span', { class: 'label' }, ' ', relay.slotState) : null,
    ],
  },
  {
    name: 'Offset',
    wide: true,
    cell: (relay) => [
      h('code', null, relay.offset),
      h('div', { class: 'label' }, `${t('stored')} ${ago(relay.offsetAgeSeconds)}`),
    ],
  },
  { name: 'Lag', num: true, cell: (relay) => bytes(relay.lagBytes) },
  {
    name: 'Retained log',
    num: true,
    cell: (relay) => h('span', { class: relay.retainedBytes > WARN_BYTES ? 'warn' : '' }, bytes(relay.retainedBytes)),
  },
  {
    name: 'Dead letters',
    num: true,
    cell: (relay) => h('span', { class: relay.deadLetters ? 'bad' : '' }, number(relay.deadLetters)),
  },
];

const LETTERS = [
  { name: 'Dead letters', title: true, cell: (letter) => h('code', null, letter.eventId) },
  { name: 'Type', cell: (letter) => letter.type },
  { name: 'Time', cell: (letter) => h(When, { at: letter.deadAt }) },
  { name: 'Attempts', num: true, cell: (letter) => letter.attempts },
  { name: 'Error', rest: true, cell: (letter) => h('div', { class: 'error', title: letter.error }, letter.error) },
];
