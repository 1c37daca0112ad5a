import { h, useState, Dialog } from './parts.js';
import { words } from './i18n.js';

const t = words({
  'Metric': '指标',
  'Threshold': '阈值',
  'Duration before it fires, seconds': '持续多久后触发（秒）',
  'Remind after, minutes (0: never)': '提醒间隔（分钟，0 为从不）',
  'Webhook URL': 'Webhook 地址',
  'Signing secret': '签名密钥',
  'Mail addresses, separated by commas': '邮箱地址，逗号分隔',
  'The URL and the secret are encrypted and never shown again.': '地址与密钥加密保存，不再显示。',
  'Enabled': '启用',
  'Save': '保存',
  'Generic webhook': '通用 Webhook',
  'WeCom': '企业微信',
  'DingTalk': '钉钉',
  'Feishu': '飞书',
  'Oldest undelivered event, seconds': '最久未投递事件（秒）',
  'Dead events': '死信数',
  'Failed deliveries, percent': '投递失败率（%）',
  'Silent node, seconds': '节点失联（秒）',
  'Circuit breaker is open': '熔断器打开',
  'Database is unreachable': '数据库无法访问',
  'Mail': '邮件',
});

export const METRICS = {
  oldest_age: { label: 'Oldest undelivered event, seconds', start: 300 },
  dead_count: { label: 'Dead events', start: 1 },
  failure_rate: { label: 'Failed deliveries, percent', start: 20 },
  missing_heartbeat: { label: 'Silent node, seconds', start: 60 },
  open_breaker: { label: 'Circuit breaker is open', start: 1, fixed: true },
  unreachable: { label: 'Database is unreachable', start: 1, fixed: true },
};
export const KINDS = {
  dingtalk: 'DingTalk',
  feishu: 'Feishu',
  wecom: 'WeCom',
  slack: 'Slack',
  webhook: 'Generic webhook',
  mail: 'Mail',
};

/** A rule, new or to be edited. */
export function RuleForm({ rule, channels, session, onCancel, onSave }) {
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

/** A new channel. */
export function ChannelForm({ mail, onCancel, onSave }) {
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
