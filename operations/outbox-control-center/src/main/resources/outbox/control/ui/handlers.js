import { h, Fragment, useState, Top, When, Note, Dialog } from './parts.js';
import { Table } from './table.js';
import { get, post, segment, app as path } from './api.js';
import { words, number } from './i18n.js';
import { usePulse, whole } from './nodes.js';

const ONE_NODE =
  'One node creates a new secret in the application. The receiver needs it too: the result below says ' +
  'where to find it. Secrets are never shown here.';

const t = words({
  'Handler': '处理器',
  'Kind': '类别',
  'Breaker': '熔断器',
  'closed': '关闭',
  'open': '打开',
  'half_open': '半开',
  'Running': '执行中',
  'Pause': '暂停',
  'Resume': '恢复',
  'Send test': '发送测试',
  'handler': '处理器',
  'listener': '监听器',
  'webhook': 'Webhook',
  'inbox': '收件箱',
  'Failed': '失败',
  'Rotate secret': '轮换密钥',
  'Rotate the secret of this endpoint?': '轮换此端点的密钥？',
  [ONE_NODE]: '由一个节点在应用中生成新密钥。接收方也需要更新：下方的执行结果会说明在哪里获取。此处不显示密钥。',
  'Pause this handler?': '暂停这个处理器？',
  'Its events stay in the table; no attempts are counted. Takes effect within seconds.':
    '其事件留在表中，不计尝试次数，也不会丢失。数秒内生效。',
  'Takes effect at the next heartbeat of each node.': '在各节点下一次心跳时生效。',
  'No handlers yet. Nodes report their handlers with each heartbeat.': '尚无处理器。节点通过心跳上报处理器。',
  'Commands sent to nodes': '发给节点的指令',
  'waiting for a node': '等待节点执行',
  'paused by': '暂停者',
});

/** Merges the same handler of several nodes into one row, with the worst state. */
function merge(handlers, switches) {
  const byName = new Map();
  for (const one of handlers) {
    const known = byName.get(one.name);
    if (!known) byName.set(one.name, { ...one, nodes: 1 });
    else
      byName.set(one.name, {
        ...known,
        nodes: known.nodes + 1,
        running: known.running + one.running,
        delivered: known.delivered + one.delivered,
        failed: known.failed + one.failed,
        actions: [...new Set([...known.actions, ...one.actions])],
        waiting: known.waiting + one.waiting,
        paused: known.paused || one.paused,
        disabled: known.disabled || one.disabled,
        breaker: [known.breaker, one.breaker].includes('open')
          ? 'open'
          : [known.breaker, one.breaker].includes('half_open')
            ? 'half_open'
            : 'closed',
      });
  }
  for (const wanted of switches) {
    const known =
      byName.get(wanted.handler) ??
      (wanted.paused
        ? {
            name: wanted.handler,
            kind: '',
            detail: '',
            nodes: 0,
            running: 0,
            waiting: 0,
            delivered: 0,
            failed: 0,
            actions: [],
            breaker: 'closed',
          }
        : null);
    if (known) byName.set(wanted.handler, { ...known, wanted });
  }
  return [...byName.values()].sort((a, b) => a.name.localeCompare(b.name));
}

export function Handlers({ app, rights, toast }) {
  const state = usePulse((signal) => get(`${path(app)}/handlers`, signal), app);
  const [asking, setAsking] = useState(null);
  const rows = state.value ? merge(state.value.handlers, state.value.switches) : [];
  const act = (row, action, body) =>
    post(`${path(app)}/handlers/${segment(row.name)}/${action}`, body).then(
      () => {
        setAsking(null);
        toast(t('Takes effect at the next heartbeat of each node.'));
        state.reload();
      },
      (error) => toast(error.message),
    );
  const buttons = (row) => {
    const wanted = row.wanted ? row.wanted.paused : row.paused;
    const can = (action) => row.actions.includes(action);
    const button = (label, onClick) => h('button', { type: 'button', onClick }, t(label));
    return h(
      'div',
      { class: 'row' },
      wanted
        ? button('Resume', () => act(row, 'resume'))
        : can('pause')
          ? button('Pause', () => setAsking({ row, action: 'pause' }))
          : null,
      row.disabled && can('enable') ? button('Enable', () => act(row, 'enable')) : null,
      can('test') ? button('Send test', () => act(row, 'test')) : null,
      can('rotate') && rights.admin ? button('Rotate secret', () => setAsking({ row, action: 'rotate' })) : null,
    );
  };
  const commands = state.value?.commands ?? [];
  return h(
    Fragment,
    null,
    h(Top, { title: t('Handlers') }),
    state.error ? h(Note, { kind: 'bad' }, state.error.message) : null,
    h(
      'section',
      { 'class': 'card scroll', 'aria-busy': String(!state.value && !state.error) },
      rows.length
        ? h(Table, { t, columns: columns(rights.act ? buttons : () => null), rows, id: (row) => row.name })
        : h(
            'div',
            { class: 'empty' },
            t(state.value ? 'No handlers yet. Nodes report their handlers with each heartbeat.' : 'Loading…'),
          ),
    ),
    commands.length
      ? h(
          'section',
          { class: 'card scroll below' },
          h('h2', { class: 'pad' }, t('Commands sent to nodes')),
          h(Table, { t, columns: COMMANDS, rows: commands, id: (c) => c.id + (c.node ?? '') }),
        )
      : null,
    asking
      ? h(Question, {
          ...asking,
          onCancel: () => setAsking(null),
          onSend: (body) => act(asking.row, asking.action, body),
        })
      : null,
  );
}

const isPaused = (row) => row.paused || row.wanted?.paused;
const columns = (buttons) => [
  {
    name: 'Handler',
    title: true,
    cell: (row) => [
      h('b', null, row.name),
      row.detail ? h('div', { class: 'label error', title: row.detail }, row.detail) : null,
    ],
  },
  {
    name: 'Kind',
    cell: (row) => [t(row.kind), h('div', { class: 'label nowrap' }, `${t('Nodes')}: ${row.nodes}`)],
  },
  {
    name: 'State',
    cell: (row) => [
      h(
        'span',
        { class: 'badge ' + (row.disabled ? 'dead' : isPaused(row) ? 'retry' : 'done') },
        t(row.disabled ? 'disabled' : isPaused(row) ? 'paused' : 'active'),
      ),
      row.wanted?.paused
        ? h(
            'div',
            { class: 'label' },
            `${t('paused by')} ${row.wanted.changedBy}`,
            row.wanted.reason ? h('div', null, row.wanted.reason) : null,
          )
        : null,
    ],
  },
  {
    name: 'Breaker',
    cell: (row) =>
      h('span', { class: 'badge ' + ({ open: 'dead', half_open: 'retry' }[row.breaker] ?? 'done') }, t(row.breaker)),
  },
  { name: 'Delivered', num: true, cell: (row) => whole(row.delivered) },
  { name: 'Failed', num: true, cell: (row) => h('span', { class: row.failed ? 'warn' : '' }, whole(row.failed)) },
  { name: 'Running', num: true, cell: (row) => number(row.running) },
  { name: 'Waiting', num: true, cell: (row) => number(row.waiting) },
  { name: 'Action', action: true, cell: buttons },
];
const COMMANDS = [
  { name: 'Time', cell: (c) => h(When, { at: c.createdAt }) },
  { name: 'By', cell: (c) => c.createdBy },
  { name: 'Action', cell: (c) => [h('code', null, c.action), ' ', c.target] },
  {
    name: 'Result',
    wide: true,
    cell: (c) => [c.outcome ?? t('waiting for a node'), c.node ? h('div', { class: 'label' }, c.node) : null],
  },
];

const QUESTIONS = {
  pause: {
    title: 'Pause this handler?',
    text: 'Its events stay in the table; no attempts are counted. Takes effect within seconds.',
    button: 'Pause',
    reason: true,
  },
  rotate: {
    title: 'Rotate the secret of this endpoint?',
    text: ONE_NODE,
    button: 'Rotate secret',
  },
};

/** Actions that need a confirmation. */
function Question({ row, action, onCancel, onSend }) {
  const { title, text, button, reason } = QUESTIONS[action];
  return h(
    Dialog,
    { label: t(title), onClose: onCancel },
    h(
      'form',
      {
        class: 'stack',
        onSubmit: (e) => {
          e.preventDefault();
          onSend(reason ? { reason: new FormData(e.target).get('reason') || undefined } : {});
        },
      },
      h('h2', null, t(title)),
      h('p', null, h('b', null, row.name)),
      h('p', { class: 'label' }, t(text)),
      reason ? h('label', { class: 'label' }, t('Reason'), h('textarea', { name: 'reason', maxLength: 500 })) : null,
      h(
        'div',
        { class: 'row' },
        h('button', { type: 'button', onClick: onCancel }, t('Cancel')),
        h('button', { class: 'primary' }, t(button)),
      ),
    ),
  );
}
