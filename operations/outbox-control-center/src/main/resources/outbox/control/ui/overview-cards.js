import { h, useLoad } from './parts.js';
import { get, app as path } from './api.js';
import { t, words, number, duration } from './i18n.js';

words({
  'Top errors': '主要错误', 'all error groups': '全部错误分组', 'No recent failures.': '最近没有失败。', 'Nodes and leases': '节点与租约', 'all nodes': '全部节点', 'No node sends heartbeats.': '没有节点发送心跳。',
  'in flight': '处理中', 'heartbeat': '心跳', 'ago': '前', 'What the doctor found': '诊断结果', 'No findings.': '一切正常。', 'What to do': '处理办法',
});

const SILENT = 30;

/** The errors that hit most events. */
export function TopErrors({ app }) {
  const { value } = useLoad((signal) => get(`${path(app)}/errors`, signal), app);
  const groups = (value?.groups ?? []).filter((group) => group.dead + group.retrying > 0).slice(0, 5);
  return h('section', { class: 'card' },
    h('div', { class: 'card-head' }, h('h2', null, t('Top errors')), h('a', { href: `#/${encodeURIComponent(app)}/errors` }, t('all error groups'))),
    value && !groups.length ? h('span', { class: 'label' }, t('No recent failures.')) : null,
    h('ul', { class: 'ranked' }, groups.map((group) => h('li', { key: group.id },
      h('b', { class: 'n' }, number(group.dead + group.retrying)),
      h('div', null, h('div', null, h('b', null, group.errorClass.split('.').pop()), ' ', h('span', { class: 'label' }, group.types.join(', '))), h('div', { class: 'clip', title: group.message }, group.message || '–'))))));
}

/** The nodes, and how many events each has in flight. */
export function NodesAndLeases({ app }) {
  const { value, error } = useLoad((signal) => get(`${path(app)}/nodes`, signal), app);
  if (error) return null;
  const nodes = value?.nodes ?? [];
  return h('section', { class: 'card' },
    h('div', { class: 'card-head' }, h('h2', null, t('Nodes and leases')), h('a', { href: `#/${encodeURIComponent(app)}/nodes` }, t('all nodes'))),
    value && !nodes.length ? h('span', { class: 'label' }, t('No node sends heartbeats.')) : null,
    h('ul', { class: 'plain' }, nodes.slice(0, 6).map((node) => h('li', { key: node.name },
      h('i', { class: 'dot ' + (node.silentSeconds < SILENT ? 'l2' : 'l3') }), h('code', null, node.name), ' ',
      h('span', { class: 'label' }, `${number(node.inHand ?? 0)} ${t('in flight')} · ${t('heartbeat')} ${duration(node.silentSeconds)} ${t('ago')}`)))));
}

/** Findings of outbox-doctor, the worst first. */
export function Findings({ app }) {
  const { value, error } = useLoad((signal) => get(`${path(app)}/doctor`, signal), app);
  if (error || !value) return null;
  const kinds = { critical: 'dead', warning: 'retry', info: 'new' };
  return h('section', { class: 'card' }, h('h2', null, t('What the doctor found')),
    value.findings?.length ? h('ul', { class: 'plain' }, value.findings.slice(0, 6).map((finding) => h('li', { key: finding.code },
      h('span', { class: 'badge ' + (kinds[String(finding.severity).toLowerCase()] ?? '') }, finding.code), ' ', finding.seen,
      h('details', null, h('summary', null, t('What to do')), h('p', null, finding.why), h('p', null, finding.fix), finding.sql ? h('pre', { tabindex: 0 }, finding.sql) : null))))
      : h('span', { class: 'label' }, t('No findings.')));
}
