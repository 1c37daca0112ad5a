import { h, Fragment, useState, When, Note, Dialog, useLoad } from './parts.js';
import { get, post, put, del } from './api.js';
import { t, words } from './i18n.js';

words({
  'Rules': '规则',
  'Channels': '通道',
  'New rule': '新建规则',
  'New channel': '新建通道',
  'Metric': '指标',
  'Threshold': '阈值',
  'Condition': '条件',
  'for': '持续',
  'Notify': '通知通道',
  'Reminder': '提醒间隔',
  'never': '从不',
  'Edit': '编辑',
  'Save': '保存',
  'off': '停用',
  'on': '启用',
  'Enabled': '启用',
  'every': '每',
  'Oldest undelivered event, seconds': '最久未投递事件（秒）',
  'Dead events': '死信数',
  'Failed deliveries, percent': '投递失败率（%）',
  'Silent node, seconds': '节点失联（秒）',
  'Circuit breaker is open': '熔断器打开',
  'Database is unreachable': '数据库无法访问',
  'Duration before it fires, seconds': '持续多久后触发（秒）',
  'Remind after, minutes (0: never)': '提醒间隔（分钟，0 为从不）',
  'Sent messages': '发送记录',
  'sent': '已发送',
  'Kind': '类别',
  'Destination': '目标',
  'Send test': '发送测试',
  'Test message sent.': '测试消息已发送。',
  'Webhook URL': 'Webhook 地址',
  'Signing secret': '签名密钥',
  'Mail addresses, separated by commas': '邮箱地址，逗号分隔',
  'The URL and the secret are encrypted and never shown again.': '地址与密钥加密保存，不再显示。',
  'No rules yet: no alerts are sent.': '还没有规则，任何异常都不会通知。',
  'No channels yet.': '还没有通道。',
  'Generic webhook': '通用 Webhook',
  'WeCom': '企业微信',
  'DingTalk': '钉钉',
  'Feishu': '飞书',
  'all applications': '所有应用',
});

export const METRICS = {
  oldest_age: { label: 'Oldest undelivered event, seconds', start: 300 },
  dead_count: { label: 'Dead events', start: 1 },
  failure_rate: { label: 'Failed deliveries, percent', start: 20 },
  missing_heartbeat: { label: 'Silent node, seconds', start: 60 },
  open_breaker: { label: 'Circuit breaker is open', start: 1, fixed: true },
  unreachable: { label: 'Database is unreachable', start: 1, fixed: true },
};
const KINDS = {
  dingtalk: 'DingTalk',
  feishu: 'Feishu',
  wecom: 'WeCom',
  slack: 'Slack',
  webhook: 'Generic webhook',
  mail: 'Mail',
};

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
  const condition = (r) =>
    METRICS[r.metric]?.fixed
      ? t(METRICS[r.metric].label)
      : `${t(METRICS[r.metric]?.label ?? r.metric)} ≥ ${r.threshold}`;
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
        ? h(
            'table',
            { class: 'table cards still' },
            h(
              'thead',
              null,
              h(
                'tr',
                null,
                ['Name', 'Application', 'Condition', 'Reminder', 'Notify'].map((n) => h('th', { scope: 'col' }, t(n))),
                h('th', { scope: 'col' }, h('span', { class: 'visually-hidden' }, t('Edit'))),
              ),
            ),
            h(
              'tbody',
              null,
              rules.value.rules.map((r) =>
                h(
                  'tr',
                  { key: r.id },
                  h('td', null, h('b', null, r.name), ' ', r.enabled ? null : h('span', { class: 'badge' }, t('off'))),
                  h('td', null, r.application === '*' ? t('all applications') : r.application),
                  h(
                    'td',
                    null,
                    condition(r),
                    r.forSeconds ? h('div', { class: 'label' }, `${t('for')} ${r.forSeconds} s`) : null,
                  ),
                  h(
                    'td',
                    null,
                    r.reminderMinutes
                      ? h('span', { class: 'nowrap' }, `${t('every')} ${r.reminderMinutes} min`)
                      : t('never'),
                  ),
                  h(
                    'td',
                    null,
                    r.channels
                      .map((id) => all.find((c) => c.id === id)?.name)
                      .filter(Boolean)
                      .join(', ') || '–',
                  ),
                  h(
                    'td',
                    null,
                    change
                      ? h(
                          'div',
                          { class: 'row tight' },
                          h('button', { type: 'button', onClick: () => edit(r) }, t('Edit')),
                          h(
                            'button',
                            { type: 'button', class: 'danger', onClick: () => run(del('/alerts/rules/' + r.id)) },
                            t('Delete'),
                          ),
                        )
                      : null,
                  ),
                ),
              ),
            ),
          )
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
        ? h(
            'table',
            { class: 'table cards still' },
            h(
              'thead',
              null,
              h(
                'tr',
                null,
                ['Name', 'Kind', 'Destination', 'Created'].map((n) => h('th', { scope: 'col' }, t(n))),
                h('th', { scope: 'col' }, h('span', { class: 'visually-hidden' }, t('Send test'))),
              ),
            ),
            h(
              'tbody',
              null,
              all.map((c) =>
                h(
                  'tr',
                  { key: c.id },
                  h('td', null, h('b', null, c.name)),
                  h('td', null, t(KINDS[c.kind])),
                  h('td', null, c.hint),
                  h('td', null, h(When, { at: c.createdAt }), h('div', { class: 'label' }, c.createdBy)),
                  h(
                    'td',
                    null,
                    change
                      ? h(
                          'div',
                          { class: 'row tight' },
                          h(
                            'button',
                            {
                              type: 'button',
                              onClick: () =>
                                run(post(`/alerts/channels/${c.id}/test`), (result) =>
                                  toast(result.ok ? t('Test message sent.') : result.error),
                                ),
                            },
                            t('Send test'),
                          ),
                          h(
                            'button',
                            { type: 'button', class: 'danger', onClick: () => run(del('/alerts/channels/' + c.id)) },
                            t('Delete'),
                          ),
                        )
                      : null,
                  ),
                ),
              ),
            ),
          )
        : h('div', { class: 'empty' }, t(channels.value ? 'No channels yet.' : 'Loading…')),
    ),
    (sent.value?.deliveries ?? []).length
      ? h(
          'section',
          { class: 'card scroll below' },
          h('div', { class: 'bar' }, h('h2', null, t('Sent messages'))),
          h(
            'table',
            { class: 'table cards still' },
            h(
              'tbody',
              null,
              sent.value.deliveries.map((d) =>
                h(
                  'tr',
                  { key: d.id },
                  h('td', null, h(When, { at: d.at })),
                  h('td', null, d.channel),
                  h('td', null, d.title),
                  h(
                    'td',
                    null,
                    h('span', { class: 'badge ' + (d.error ? 'dead' : 'done') }, t(d.error ? 'failed' : 'sent')),
                    d.error ? h('div', { class: 'label' }, d.error) : null,
                  ),
                ),
              ),
            ),
          ),
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

function RuleForm({ rule, channels, session, onCancel, onSave }) {
  const [metric, setMetric] = useState(rule.metric);
  const submit = (e) => {
    e.preventDefault();
    const data = new FormData(e.target);
    onSave({
      name: data.get('name'),
      application: data.get('application'),
      metric,
      threshold: METRICS[metric].fixed ? 1 : Number(data.get('threshold')),
      forSeconds: Number(data.get('forSeconds')),
      reminderMinutes: Number(data.get('reminderMinutes')),
      channels: data.getAll('channels'),
      enabled: data.get('enabled') === 'on',
    });
  };
  return h(
    Dialog,
    { label: t(rule.id ? 'Edit' : 'New rule'), onClose: onCancel },
    h(
      'form',
      { class: 'form', onSubmit: submit },
      h('h2', null, t(rule.id ? 'Edit' : 'New rule')),
      h(
        'label',
        null,
        t('Name'),
        h('input', { name: 'name', required: true, maxLength: 64, defaultValue: rule.name, autocomplete: 'off' }),
      ),
      h(
        'label',
        null,
        t('Application'),
        h(
          'select',
          { name: 'application' },
          [['*', t('all applications')], ...session.applications.map((a) => [a.name, a.name])].map(([value, label]) =>
            h('option', { value, selected: value === rule.application }, label),
          ),
        ),
      ),
      h(
        'label',
        null,
        t('Metric'),
        h(
          'select',
          { name: 'metric', value: metric, onChange: (e) => setMetric(e.target.value) },
          Object.entries(METRICS).map(([value, m]) => h('option', { value }, t(m.label))),
        ),
      ),
      METRICS[metric].fixed
        ? null
        : h(
            'label',
            null,
            t('Threshold'),
            h('input', {
              name: 'threshold',
              type: 'number',
              min: 0,
              step: 'any',
              required: true,
              key: metric,
              defaultValue: metric === rule.metric ? rule.threshold : METRICS[metric].start,
            }),
          ),
      h(
        'label',
        null,
        t('Duration before it fires, seconds'),
        h('input', {
          name: 'forSeconds',
          type: 'number',
          min: 0,
          max: 86400,
          required: true,
          defaultValue: rule.forSeconds,
        }),
      ),
      h(
        'label',
        null,
        t('Remind after, minutes (0: never)'),
        h('input', {
          name: 'reminderMinutes',
          type: 'number',
          min: 0,
          max: 43200,
          required: true,
          defaultValue: rule.reminderMinutes,
        }),
      ),
      h(
        'fieldset',
        null,
        h('legend', { class: 'label' }, t('Notify')),
        channels.length
          ? channels.map((c) =>
              h(
                'div',
                { key: c.id },
                h(
                  'label',
                  { class: 'check' },
                  h('input', {
                    type: 'checkbox',
                    name: 'channels',
                    value: c.id,
                    defaultChecked: rule.channels.includes(c.id),
                  }),
                  ' ',
                  c.name,
                ),
              ),
            )
          : h('span', { class: 'label' }, t('No channels yet.')),
      ),
      h(
        'label',
        { class: 'check' },
        h('input', { type: 'checkbox', name: 'enabled', defaultChecked: rule.enabled }),
        ' ',
        t('Enabled'),
      ),
      h(
        'div',
        { class: 'row' },
        h('button', { type: 'button', onClick: onCancel }, t('Cancel')),
        h('button', { class: 'primary' }, t('Save')),
      ),
    ),
  );
}

function ChannelForm({ mail, onCancel, onSave }) {
  const [kind, setKind] = useState('dingtalk');
  const kinds = Object.entries(KINDS).filter(([value]) => mail || value !== 'mail');
  const signs = { dingtalk: false, feishu: false, webhook: true };
  const submit = (e) => {
    e.preventDefault();
    onSave({
      kind,
      ...Object.fromEntries([...new FormData(e.target)].filter(([name, value]) => name !== 'kind' && value !== '')),
    });
  };
  return h(
    Dialog,
    { label: t('New channel'), onClose: onCancel },
    h(
      'form',
      { class: 'form', onSubmit: submit, autocomplete: 'off' },
      h('h2', null, t('New channel')),
      h(
        'label',
        null,
        t('Kind'),
        h(
          'select',
          { name: 'kind', value: kind, onChange: (e) => setKind(e.target.value) },
          kinds.map(([value, label]) => h('option', { value }, t(label))),
        ),
      ),
      h('label', null, t('Name'), h('input', { name: 'name', required: true, maxLength: 64 })),
      kind === 'mail'
        ? h(
            'label',
            null,
            t('Mail addresses, separated by commas'),
            h('input', { name: 'to', required: true, maxLength: 1000 }),
          )
        : h('label', null, t('Webhook URL'), h('input', { name: 'url', type: 'url', required: true, maxLength: 1000 })),
      kind in signs
        ? h(
            'label',
            null,
            t('Signing secret'),
            h('input', {
              name: 'secret',
              type: 'password',
              required: signs[kind],
              maxLength: 1000,
              autocomplete: 'new-password',
            }),
          )
        : null,
      kind === 'mail'
        ? null
        : h('p', { class: 'label' }, t('The URL and the secret are encrypted and never shown again.')),
      h(
        'div',
        { class: 'row' },
        h('button', { type: 'button', onClick: onCancel }, t('Cancel')),
        h('button', { class: 'primary' }, t('Create')),
      ),
    ),
  );
}
