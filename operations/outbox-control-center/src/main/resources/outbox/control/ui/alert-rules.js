import { h, Fragment, useState, When, Note, useLoad } from './parts.js';
import { Table } from './table.js';
import { RuleForm, ChannelForm, METRICS, KINDS } from './alert-forms.js';
import { get, post, put, del } from './api.js';
import { words, duration } from './i18n.js';

const t = words({
  'Rules': '规则',
  'Channels': '通道',
  'New rule': '新建规则',
  'New channel': '新建通道',
  'Condition': '条件',
  'for': '持续',
  'Notify': '通知通道',
  'Reminder': '提醒间隔',
  'never': '从不',
  'Edit': '编辑',
  'off': '停用',
  'on': '启用',
  'every': '每',
  'Sent messages': '发送记录',
  'Channel': '通道',
  'Message': '消息',
  'Result': '结果',
  'failed': '失败',
  'sent': '已发送',
  'Kind': '类别',
  'Destination': '目标',
  'Send test': '发送测试',
  'Test message sent.': '测试消息已发送。',
  'No rules yet: no alerts are sent.': '还没有规则，任何异常都不会通知。',
  'No channels yet.': '还没有通道。',
  'all applications': '所有应用',
});

export function Rules({ session, toast }) {
  const rules = useLoad((signal) => get('/alerts/rules', signal), 'rules');
  const channels = useLoad((signal) => get('/alerts/channels', signal), 'channels');
  const sent = useLoad((signal) => get('/alerts/deliveries', signal), 'deliveries');
  const [editing, edit] = useState(null);
  const [making, make] = useState(false);
  const all = channels.value?.channels ?? [];
  const run = (promise, after) =>
    promise.then(
      (value) => {
        edit(null);
        make(false);
        rules.reload();
        channels.reload();
        sent.reload();
        after?.(value);
      },
      (error) => toast(error.message),
    );
  const change = !session.readOnly;
  const button = (label, onClick, kind) => h('button', { type: 'button', class: kind, onClick }, t(label));
  const actions = (r) =>
    h(
      'div',
      { class: 'row tight' },
      button('Edit', () => edit(r)),
      button('Delete', () => run(del('/alerts/rules/' + r.id)), 'danger'),
    );
  const tested = (result) => toast(result.ok ? t('Test message sent.') : result.error);
  const channelActions = (c) =>
    h(
      'div',
      { class: 'row tight' },
      button('Send test', () => run(post(`/alerts/channels/${c.id}/test`), tested)),
      button('Delete', () => run(del('/alerts/channels/' + c.id)), 'danger'),
    );
  return h(
    Fragment,
    null,
    h(
      'section',
      { class: 'card scroll below' },
      h(
        'div',
        { class: 'bar' },
        h('h2', null, t('Rules')),
        change
          ? h(
              'button',
              {
                type: 'button',
                onClick: () =>
                  edit({
                    name: '',
                    application: '*',
                    metric: 'dead_count',
                    threshold: 1,
                    forSeconds: 60,
                    reminderMinutes: 240,
                    channels: [],
                    enabled: true,
                  }),
              },
              t('New rule'),
            )
          : null,
      ),
      rules.error ? h(Note, { kind: 'bad' }, rules.error.message) : null,
      (rules.value?.rules ?? []).length
        ? h(Table, {
            t,
            columns: ruleColumns(all, change ? actions : () => null),
            rows: rules.value.rules,
            id: (r) => r.id,
          })
        : h('div', { class: 'empty' }, t(rules.value ? 'No rules yet: no alerts are sent.' : 'Loading…')),
    ),
    h(
      'section',
      { class: 'card scroll below' },
      h(
        'div',
        { class: 'bar' },
        h('h2', null, t('Channels')),
        change ? h('button', { type: 'button', onClick: () => make(true) }, t('New channel')) : null,
      ),
      all.length
        ? h(Table, { t, columns: channelColumns(change ? channelActions : () => null), rows: all, id: (c) => c.id })
        : h('div', { class: 'empty' }, t(channels.value ? 'No channels yet.' : 'Loading…')),
    ),
    (sent.value?.deliveries ?? []).length
      ? h(
          'section',
          { class: 'card scroll below' },
          h('div', { class: 'bar' }, h('h2', null, t('Sent messages'))),
          h(Table, { t, columns: SENT, rows: sent.value.deliveries, id: (d) => d.id }),
        )
      : null,
    editing
      ? h(RuleForm, {
          rule: editing,
          channels: all,
          session,
          onCancel: () => edit(null),
          onSave: (body) => run(editing.id ? put('/alerts/rules/' + editing.id, body) : post('/alerts/rules', body)),
        })
      : null,
    making
      ? h(ChannelForm, {
          mail: channels.value?.mail,
          onCancel: () => make(false),
          onSave: (body) => run(post('/alerts/channels', body)),
        })
      : null,
  );
}

const condition = (r) =>
  METRICS[r.metric]?.fixed ? t(METRICS[r.metric].label) : `${t(METRICS[r.metric]?.label ?? r.metric)} ≥ ${r.threshold}`;
const ruleColumns = (channels, actions) => [
  {
    name: 'Name',
    title: true,
    cell: (r) => [h('b', null, r.name), ' ', r.enabled ? null : h('span', { class: 'badge' }, t('off'))],
  },
  { name: 'Application', cell: (r) => (r.application === '*' ? t('all applications') : r.application) },
  {
    name: 'Condition',
    cell: (r) => [
      condition(r),
      r.forSeconds ? h('div', { class: 'label' }, `${t('for')} ${duration(r.forSeconds, true)}`) : null,
    ],
  },
  {
    name: 'Reminder',
    cell: (r) =>
      r.reminderMinutes
        ? h('span', { class: 'nowrap' }, `${t('every')} ${duration(r.reminderMinutes * 60, true)}`)
        : t('never'),
  },
  {
    name: 'Notify',
    cell: (r) =>
      r.channels
        .map((id) => channels.find((c) => c.id === id)?.name)
        .filter(Boolean)
        .join(', ') || '–',
  },
  { name: 'Edit', action: true, cell: actions },
];
const channelColumns = (actions) => [
  { name: 'Name', title: true, cell: (c) => h('b', null, c.name) },
  { name: 'Kind', cell: (c) => t(KINDS[c.kind]) },
  { name: 'Destination', cell: (c) => c.hint },
  { name: 'Created', cell: (c) => [h(When, { at: c.createdAt }), h('div', { class: 'label' }, c.createdBy)] },
  { name: 'Send test', action: true, cell: actions },
];
const SENT = [
  { name: 'Time', cell: (d) => h(When, { at: d.at }) },
  { name: 'Channel', cell: (d) => d.channel },
  { name: 'Message', wide: true, cell: (d) => d.title },
  {
    name: 'Result',
    cell: (d) => [
      h('span', { class: 'badge ' + (d.error ? 'dead' : 'done') }, t(d.error ? 'failed' : 'sent')),
      d.error ? h('div', { class: 'label' }, d.error) : null,
    ],
  },
];
