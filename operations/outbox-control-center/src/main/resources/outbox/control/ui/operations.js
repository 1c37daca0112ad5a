import { h, Fragment, useEffect, useState, Top, When, Note, useLoad } from './parts.js';
import { Table } from './table.js';
import { get, app as path } from './api.js';
import { words } from './i18n.js';

const t = words({
  'collecting': '收集中',
  'running': '进行中',
  'cancelled': '已取消',
  'done': '完成',
  'Progress': '进度',
  'Started': '开始时间',
  'By': '操作者',
  'No operations yet. Filter events and act on all matches, or replay an error group.':
    '暂无批量操作。可筛选事件后批量处理，或重放一个错误分组。',
  'of': '/',
  'refused': '被拒绝',
  'selected individually': '逐个选择',
  'Redeliver': '重新投递',
});

const OPEN = ['collecting', 'running'];

/** Reloads while an operation is active and the tab is visible. */
export function useWatch(load, key, isOpen) {
  const state = useLoad(load, key);
  const open = state.value && isOpen(state.value);
  useEffect(() => {
    if (!open) return undefined;
    const timer = setInterval(() => {
      if (!document.hidden) state.reload();
    }, 1000);
    return () => clearInterval(timer);
  }, [open, key]);
  return state;
}

export const OperationBadge = ({ state }) =>
  h(
    'span',
    {
      class:
        'badge ' + ({ done: 'done', failed: 'dead', running: 'new', collecting: 'new', paused: 'retry' }[state] ?? ''),
    },
    t(state),
  );

export function Progress({ operation }) {
  const done = operation.succeeded + operation.refused;
  const collecting = operation.state === 'collecting';
  return h(
    'div',
    { class: 'progress' },
    h('progress', {
      'max': Math.max(1, operation.total),
      'value': collecting ? undefined : done,
      'aria-label': t('Progress'),
    }),
    h(
      'span',
      { class: 'label nowrap' },
      collecting ? `${operation.total} …` : `${done} ${t('of')} ${operation.total}`,
      operation.refused ? ` · ${operation.refused} ${t('refused')}` : '',
    ),
  );
}

export function Operations({ app, go }) {
  const [older, setOlder] = useState([]);
  const first = useWatch(
    (signal) => get(`${path(app)}/operations`, signal),
    app,
    (v) => v.operations.some((o) => OPEN.includes(o.state)),
  );
  const pages = first.value ? [first.value, ...older] : [];
  const rows = pages.flatMap((page) => page.operations);
  const next = pages.at(-1)?.next;
  const more = () => get(`${path(app)}/operations?before=${next}`).then((page) => setOlder((old) => [...old, page]));
  return h(
    Fragment,
    null,
    h(Top, { title: t('Operations') }),
    first.error ? h(Note, { kind: 'bad' }, first.error.message) : null,
    h(
      'section',
      { 'class': 'card scroll', 'aria-busy': String(!first.value && !first.error) },
      rows.length
        ? h(Table, {
            t,
            columns: columns(app),
            rows,
            id: (o) => o.id,
            open: (o) => go(`#/${encodeURIComponent(app)}/operations/${o.id}`),
          })
        : first.value
          ? h(
              'div',
              { class: 'empty' },
              t('No operations yet. Filter events and act on all matches, or replay an error group.'),
            )
          : h('div', { class: 'empty' }, t('Loading…')),
      next ? h('div', { class: 'more' }, h('button', { type: 'button', onClick: more }, t('More'))) : null,
    ),
  );
}

const columns = (app) => [
  { name: 'State', cell: (o) => h(OperationBadge, o) },
  {
    name: 'Action',
    cell: (o) => [
      h(
        'a',
        { href: `#/${encodeURIComponent(app)}/operations/${o.id}`, onClick: (e) => e.stopPropagation() },
        t(WORD[o.action]),
      ),
      o.handler ? h('div', { class: 'label' }, o.handler) : null,
    ],
  },
  { name: 'Progress', cell: (o) => h(Progress, { operation: o }) },
  {
    name: 'Reason',
    rest: true,
    cell: (o) => [h('div', { class: 'error', title: o.reason }, o.reason), h('div', { class: 'error' }, h(Filter, o))],
  },
  { name: 'By', cell: (o) => h('span', { class: 'nowrap' }, o.actor) },
  { name: 'Started', cell: (o) => h(When, { at: o.createdAt }) },
];

/** Describes the events of an operation. */
export const Filter = ({ filter }) =>
  filter ? h('code', null, decodeURIComponent(filter.replaceAll('+', ' '))) : t('selected individually');

export const WORD = { retry: 'Retry', skip: 'Skip', park: 'Park', delete: 'Delete', redeliver: 'Redeliver' };
