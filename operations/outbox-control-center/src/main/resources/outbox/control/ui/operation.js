import { h, Fragment, useState, Top, When, Note, useLoad } from './parts.js';
import { Table } from './table.js';
import { get, post, app as path } from './api.js';
import { words, number, duration } from './i18n.js';
import { Filter, OperationBadge, Progress, WORD, useWatch } from './operations.js';

const t = words({
  'Pause': '暂停',
  'Resume': '继续',
  'Cancel the operation': '取消操作',
  'Per second': '每秒',
  'Filter': '筛选',
  'Error group': '错误分组',
  'Result of each event': '每个事件的结果',
  'ok': '成功',
  'taken': '处理中',
  'All results': '全部结果',
  'Event': '事件',
  'Result': '结果',
  'No events': '没有事件',
  'Changed': '更新时间',
  'Current state of the events': '事件的当前状态',
  'dead again': '再次成为死信',
  'still pending': '仍未投递',
  'held back': '已暂缓',
  'no longer in the table': '已不在表中',
  'new event': '新事件',
  'Handler': '处理器',
  'about': '约',
  'left': '后完成',
  'Based on the first 2,000 events.': '仅查看了前 2000 个事件。',
});

export function Operation({ app, id, rights, toast }) {
  const base = `${path(app)}/operations/${encodeURIComponent(id)}`;
  const [outcome, setOutcome] = useState('');
  const [passed, setPassed] = useState([]); // the last event of each previous page
  const watched = useWatch(
    (signal) => get(base, signal),
    base,
    (o) => o.state === 'running' || o.state === 'collecting',
  );
  const o = watched.value;
  const items = useLoad(
    (signal) => get(`${base}/items?after=${encodeURIComponent(passed.at(-1) ?? '')}&outcome=${outcome}`, signal),
    `${base}|${outcome}|${passed.at(-1)}|${o ? o.succeeded + o.refused + o.total : 0}`,
  );
  const after = useWatch(
    (signal) =>
      o?.succeeded && ['retry', 'redeliver'].includes(o.action)
        ? get(`${base}/aftermath`, signal)
        : Promise.resolve(null),
    `${base}|after|${o?.succeeded ?? 0}`,
    (a) => a?.pending > 0,
  );
  const left = o?.state === 'running' ? secondsLeft(o, Date.now()) : 0;
  const tell = (what) =>
    post(`${base}/${what}`).then(watched.reload, (error) => {
      toast(error.message);
      watched.reload();
    });
  if (watched.error)
    return h(Fragment, null, h(Top, { title: t('Operations') }), h(Note, { kind: 'bad' }, watched.error.message));
  if (!o)
    return h(
      Fragment,
      null,
      h(Top, { title: t('Operations') }),
      h('div', { 'class': 'empty', 'aria-busy': 'true' }, t('Loading…')),
    );
  const open = ['collecting', 'running', 'paused', 'failed'].includes(o.state);
  const fact = (name, value) => [h('dt', null, t(name)), h('dd', null, value)];
  return h(
    Fragment,
    null,
    h(
      Top,
      { title: t(WORD[o.action]), note: h(OperationBadge, o) },
      rights.act && o.state === 'running'
        ? h('button', { type: 'button', onClick: () => tell('pause') }, t('Pause'))
        : null,
      rights.act && ['paused', 'failed'].includes(o.state)
        ? h('button', { type: 'button', class: 'primary', onClick: () => tell('resume') }, t('Resume'))
        : null,
      rights.act && open
        ? h('button', { type: 'button', class: 'danger', onClick: () => tell('cancel') }, t('Cancel the operation'))
        : null,
    ),
    o.problem ? h(Note, { kind: 'bad' }, o.problem) : null,
    h(
      'section',
      { class: 'card' },
      h(Progress, { operation: o }),
      left >= 1 ? h('span', { class: 'label' }, `${t('about')} ${duration(left)} ${t('left')}`) : null,
      after.value ? h(Aftermath, { ...after.value, refused: o.refused }) : null,
      h(
        'dl',
        { class: 'facts below' },
        fact('Reason', o.reason),
        fact('By', o.actor),
        fact('Filter', h(Filter, o)),
        o.handler ? fact('Handler', h('code', null, o.handler)) : null,
        o.errorGroup ? fact('Error group', h('code', null, o.errorGroup)) : null,
        fact('Per second', o.perSecond),
        fact('Started', h(When, { at: o.createdAt })),
        fact('Changed', h(When, { at: o.changedAt })),
      ),
    ),
    h(
      'div',
      { class: 'filters below' },
      h('h2', { class: 'inline-head' }, t('Result of each event')),
      [
        ['', 'All results'],
        ['ok', 'ok'],
        ['refused', 'refused'],
        ['waiting', 'waiting'],
      ].map(([value, label]) =>
        h(
          'button',
          {
            'type': 'button',
            'key': value,
            'aria-pressed': String(outcome === value),
            'onClick': () => {
              setOutcome(value);
              setPassed([]);
            },
          },
          t(label),
        ),
      ),
    ),
    h(
      'section',
      { class: 'card scroll' },
      items.value?.items.length
        ? h(Table, { t, columns: columns(app, o), rows: items.value.items, id: (item) => item.eventId })
        : h('div', { class: 'empty' }, t('No events')),
      passed.length || items.value?.next
        ? h(
            'div',
            { class: 'more' },
            h(
              'button',
              { type: 'button', disabled: !passed.length, onClick: () => setPassed(passed.slice(0, -1)) },
              t('Back'),
            ),
            h(
              'button',
              { type: 'button', disabled: !items.value?.next, onClick: () => setPassed([...passed, items.value.next]) },
              t('More'),
            ),
          )
        : null,
    ),
  );
}

const columns = (app, o) => [
  {
    name: 'Result',
    cell: (item) =>
      h('span', { class: 'badge ' + ({ ok: 'done', refused: 'dead' }[item.outcome] ?? '') }, t(item.outcome)),
  },
  {
    name: 'Event',
    cell: (item) =>
      h(
        'a',
        { href: `#/${encodeURIComponent(app)}/events/${encodeURIComponent(item.eventId)}` },
        h('code', null, item.eventId),
      ),
  },
  { name: 'Created', cell: (item) => h(When, { at: item.eventCreatedAt }) },
  { name: 'Time', cell: (item) => h(When, { at: item.at }) },
  {
    name: 'Detail',
    cell: (item) => (o.handler && item.outcome === 'ok' ? h(Copy, { app, id: item.detail }) : (item.detail ?? '')),
  },
];

/** The new event of a redelivery. */
const Copy = ({ app, id }) =>
  h(
    Fragment,
    null,
    t('new event'),
    ' ',
    h('a', { href: `#/${encodeURIComponent(app)}/events/${encodeURIComponent(id)}` }, h('code', null, id)),
  );

/** Time until the last event is processed, by the rate so far and at most the allowed one. */
export function secondsLeft(o, now) {
  const done = o.succeeded + o.refused;
  const elapsed = Math.max(1, (now - Date.parse(o.createdAt)) / 1000);
  const rate = done ? Math.min(o.perSecond, done / elapsed) : o.perSecond;
  return (o.total - done) / rate;
}

/** The current state of the events: an accepted retry is not yet a delivery. */
const Aftermath = ({ delivered, dead, pending, held, gone, refused, more }) =>
  h(
    'p',
    { class: 'below' },
    h('b', null, t('Current state of the events'), ': '),
    [
      [delivered, 'delivered', 'done'],
      [dead, 'dead again', 'dead'],
      [pending - held, 'still pending', 'new'],
      [held, 'held back', 'held'],
      [gone, 'no longer in the table', ''],
      [refused, 'refused', 'dead'],
    ]
      .filter(([n]) => n > 0)
      .map(([n, label, cls]) => [h('span', { class: 'badge ' + cls }, number(n), ' ', t(label)), ' ']),
    more ? h('span', { class: 'label' }, t('Based on the first 2,000 events.')) : null,
  );
