import { h, Fragment, useEffect, Top, When, Note, useLoad } from './parts.js';
import { Table } from './table.js';
import { get, del, segment, app as path } from './api.js';
import { words, current, duration, ago } from './i18n.js';

const t = words({
  'Node': '节点',
  'Last heartbeat': '最近心跳',
  'Started': '启动时间',
  'In flight': '处理中',
  'Dead': '死信',
  'Failed': '失败',
  'Clock': '时钟',
  'alive': '在线',
  'silent': '失联',
  'ahead': '快',
  'behind': '慢',
  'exact': '准确',
  'ago': '前',
  'Forget': '移除',
  'Records lost': '丢失的记录',
  'since the start': '自启动以来',
  'No node has sent a heartbeat. Add outbox-node to the application.':
    '还没有节点发送心跳。请在应用中加入 outbox-node。',
  'No node is running.': '当前没有节点在运行。',
  'The node was removed from the list.': '节点已移除。',
});

const SILENT = 30;
export const whole = (n) => new Intl.NumberFormat(current()).format(n);

/** Reloads every few seconds while the tab is visible. */
export function usePulse(load, key) {
  const state = useLoad(load, key);
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) state.reload();
    }, 5000);
    return () => clearInterval(timer);
  }, [key]);
  return state;
}

const offset = (millis) =>
  Math.abs(millis) < 1000 ? t('exact') : `${duration(Math.abs(millis) / 1000)} ${t(millis > 0 ? 'ahead' : 'behind')}`;

export function Nodes({ app, rights, toast }) {
  const state = usePulse((signal) => get(`${path(app)}/nodes`, signal), app);
  const nodes = state.value?.nodes ?? [];
  const forget = (node) =>
    del(`${path(app)}/nodes/${segment(node.name)}`).then(
      () => {
        toast(t('The node was removed from the list.'));
        state.reload();
      },
      (error) => toast(error.message),
    );
  return h(
    Fragment,
    null,
    h(Top, {
      title: t('Nodes'),
      note: nodes.length ? `${nodes.filter((n) => n.silentSeconds < SILENT).length} ${t('alive')}` : null,
    }),
    state.error ? h(Note, { kind: 'bad' }, state.error.message) : null,
    h(
      'section',
      { 'class': 'card scroll', 'aria-busy': String(!state.value && !state.error) },
      nodes.length
        ? h(Table, { t, columns: columns(rights.act ? forget : null), rows: nodes, id: (n) => n.name })
        : h(
            'div',
            { class: 'empty' },
            t(
              !state.value
                ? 'Loading…'
                : state.value.known
                  ? 'No node is running.'
                  : 'No node has sent a heartbeat. Add outbox-node to the application.',
            ),
          ),
    ),
  );
}

const isAlive = (n) => n.silentSeconds < SILENT;
const columns = (forget) => [
  {
    name: 'Node',
    title: true,
    cell: (n) => {
      const [name, incarnation] = n.name.split(/\/(?=[^/]*$)/);
      return [h('b', { class: 'nowrap' }, name), incarnation ? h('div', { class: 'label mono' }, incarnation) : null];
    },
  },
  {
    name: 'Last heartbeat',
    cell: (n) => [
      h('span', { class: 'badge ' + (isAlive(n) ? 'done' : 'dead') }, t(isAlive(n) ? 'alive' : 'silent')),
      h('div', { class: 'label nowrap' }, ago(n.silentSeconds)),
    ],
  },
  { name: 'Delivered', num: true, cell: (n) => whole(n.delivered) },
  { name: 'Failed', num: true, cell: (n) => whole(n.failed) },
  {
    name: 'Dead',
    num: true,
    cell: (n) => [
      whole(n.dead),
      n.attemptsLost ? h('div', { class: 'label' }, `${t('Records lost')}: ${n.attemptsLost}`) : null,
    ],
  },
  { name: 'In flight', num: true, cell: (n) => whole(n.inFlight) },
  {
    name: 'Clock',
    cell: (n) =>
      h(
        'span',
        { class: 'nowrap ' + (Math.abs(n.clockOffsetMillis) < 1000 ? '' : 'warn') },
        offset(n.clockOffsetMillis),
      ),
  },
  { name: 'Started', cell: (n) => [h(When, { at: n.startedAt }), h('div', { class: 'label' }, n.version)] },
  {
    name: 'Forget',
    action: true,
    cell: (n) =>
      forget && !isAlive(n) ? h('button', { type: 'button', onClick: () => forget(n) }, t('Forget')) : null,
  },
];
