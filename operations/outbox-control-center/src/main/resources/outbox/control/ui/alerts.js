import { h, Fragment, useState, Top, When, Note, Dialog } from './parts.js';
import { Table } from './table.js';
import { get, post, del, app as path } from './api.js';
import { words, duration, number } from './i18n.js';
import { usePulse } from './nodes.js';
import { Rules } from './alert-rules.js';
import { METRICS } from './alert-forms.js';

const t = words({
  'Problem': '异常',
  'Since': '开始时间',
  'Over': '已恢复',
  'firing': '告警中',
  'over': '已恢复',
  'No alert is firing.': '没有触发中的告警。',
  'Mute': '静音',
  'Mute alerts': '静音告警',
  'All rules': '所有规则',
  'Duration': '时长',
  '30 minutes': '30 分钟',
  '4 hours': '4 小时',
  '1 day': '1 天',
  '7 days': '7 天',
  'Rule': '规则',
  'No notifications are sent while muted. Alerts that still fire are sent when the mute ends.':
    '静音期间不发送通知。静音结束后，仍存在的异常会重新通知。',
  'Muted': '已静音',
  'until': '直到',
  'by': '由',
  'End the mute': '结束静音',
  'Muted.': '已静音。',
  'Value': '数值',
  'Subject': '对象',
  'Since then': '此后',
});

const reading = (rule, value) =>
  ({
    oldest_age: () => duration(value),
    missing_heartbeat: () => duration(value),
    failure_rate: () => `${Math.round(value)} %`,
    dead_count: () => number(value),
  })[rule?.metric]?.() ?? '';

export function Alerts({ app, rights, session, toast }) {
  const state = usePulse((signal) => get(`${path(app)}/alerts`, signal), app);
  const [muting, setMuting] = useState(null);
  const rules = state.value?.rules ?? {};
  const alerts = [...(state.value?.alerts ?? [])].sort((a, b) => (a.overAt ? 1 : 0) - (b.overAt ? 1 : 0));
  const run = (promise, text) =>
    promise.then(
      () => {
        setMuting(null);
        if (text) toast(t(text));
        state.reload();
      },
      (error) => toast(error.message),
    );
  const firing = alerts.filter((a) => !a.overAt).length;
  return h(
    Fragment,
    null,
    h(
      Top,
      { title: t('Alerts'), note: firing ? `${firing} ${t('firing')}` : null },
      rights.act ? h('button', { type: 'button', onClick: () => setMuting({ rule: '' }) }, t('Mute')) : null,
    ),
    state.error ? h(Note, { kind: 'bad' }, state.error.message) : null,
    (state.value?.mutes ?? []).map((m) =>
      h(
        Note,
        { key: m.id },
        h(
          'div',
          { class: 'row' },
          h('b', null, `${t('Muted')}: ${m.ruleId ? (rules[m.ruleId]?.name ?? m.ruleId) : t('All rules')}`),
          h('span', null, `${t('until')} `, h(When, { at: m.until }), ` · ${m.createdBy}: ${m.reason}`),
          rights.act
            ? h(
                'button',
                { type: 'button', onClick: () => run(del(`${path(app)}/alerts/mutes/${m.id}`)) },
                t('End the mute'),
              )
            : null,
        ),
      ),
    ),
    h(
      'section',
      { 'class': 'card scroll', 'aria-busy': String(!state.value && !state.error) },
      alerts.length
        ? h(Table, { t, columns: columns(rules, rights.act ? setMuting : null), rows: alerts, id: (a) => a.id })
        : h('div', { class: 'empty' }, t(state.value ? 'No alert is firing.' : 'Loading…')),
    ),
    session.admin ? h(Rules, { session, toast }) : null,
    muting
      ? h(
          Dialog,
          { label: t('Mute alerts'), onClose: () => setMuting(null) },
          h(
            'form',
            {
              class: 'form',
              onSubmit: (e) => {
                e.preventDefault();
                const data = new FormData(e.target);
                run(
                  post(`${path(app)}/alerts/mutes`, {
                    rule: data.get('rule') || undefined,
                    minutes: Number(data.get('minutes')),
                    reason: data.get('reason'),
                  }),
                  'Muted.',
                );
              },
            },
            h('h2', null, t('Mute alerts')),
            h(
              'p',
              { class: 'label' },
              t('No notifications are sent while muted. Alerts that still fire are sent when the mute ends.'),
            ),
            h(
              'label',
              null,
              t('Rule'),
              h(
                'select',
                { name: 'rule' },
                h('option', { value: '', selected: !muting.rule }, t('All rules')),
                Object.entries(rules).map(([id, rule]) =>
                  h('option', { value: id, selected: id === muting.rule }, rule.name),
                ),
              ),
            ),
            h(
              'label',
              null,
              t('Duration'),
              h(
                'select',
                { name: 'minutes' },
                [
                  [30, '30 minutes'],
                  [240, '4 hours'],
                  [1440, '1 day'],
                  [10080, '7 days'],
                ].map(([n, label]) => h('option', { value: n }, t(label))),
              ),
            ),
            h('label', null, t('Reason'), h('input', { name: 'reason', required: true, maxLength: 500 })),
            h(
              'div',
              { class: 'row' },
              h('button', { type: 'button', onClick: () => setMuting(null) }, t('Cancel')),
              h('button', { class: 'primary' }, t('Mute')),
            ),
          ),
        )
      : null,
  );
}

const columns = (rules, mute) => [
  {
    name: 'State',
    cell: (a) => h('span', { class: 'badge ' + (a.overAt ? 'done' : 'dead') }, t(a.overAt ? 'over' : 'firing')),
  },
  {
    name: 'Problem',
    cell: (a) => {
      const rule = rules[a.ruleId];
      return [
        h('b', null, rule?.name ?? '–'),
        h(
          'div',
          { class: 'label' },
          METRICS[rule?.metric] ? t(METRICS[rule.metric].label).split(/[,（]/)[0] : '',
          rule?.runbook
            ? [' · ', h('a', { href: rule.runbook, target: '_blank', rel: 'noopener' }, t('Runbook'))]
            : null,
        ),
      ];
    },
  },
  { name: 'Subject', cell: (a) => a.subject || h('span', { class: 'none' }, '–') },
  { name: 'Value', num: true, cell: (a) => reading(rules[a.ruleId], a.reading) },
  { name: 'Since', cell: (a) => h(When, { at: a.since }) },
  { name: 'Over', cell: (a) => (a.overAt ? h(When, { at: a.overAt }) : h('span', { class: 'none' }, '–')) },
  {
    name: 'Mute',
    action: true,
    cell: (a) =>
      mute && !a.overAt ? h('button', { type: 'button', onClick: () => mute({ rule: a.ruleId }) }, t('Mute')) : null,
  },
];
