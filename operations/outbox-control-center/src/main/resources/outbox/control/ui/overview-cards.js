import { h, useLoad } from './parts.js';
import { get, app as path } from './api.js';
import { words, number, percent, duration, ago } from './i18n.js';
import { usePulse, whole } from './nodes.js';

const t = words({
  'Top errors': '主要错误',
  'all error groups': '全部错误分组',
  'No recent failures.': '最近没有失败。',
  'Nodes and leases': '节点与租约',
  'all nodes': '全部节点',
  'No node sends heartbeats.': '没有节点发送心跳。',
  'in flight': '处理中',
  'heartbeat': '心跳',
  'Doctor findings': '诊断结果',
  'No findings.': '没有发现问题。',
  'How to fix it': '处理办法',
  'all handlers': '全部处理器',
  'Handler': '处理器',
  'Success': '成功率',
  'Failed': '失败',
  'Running': '运行中',
  'Queued': '排队',
  'No handler is known. Add outbox-node to the application.': '还没有处理器信息。请在应用中加入 outbox-node。',
  'since the nodes started': '自节点启动以来',
  'Event types': '事件类型',
  'delivered in the last minute': '最近 1 分钟投递',
  'Nothing was delivered in the last minute.': '最近 1 分钟没有投递。',
  'breaker open': '熔断',
});

const SILENT = 30;

/** The errors with the most events. */
export function TopErrors({ app }) {
  const { value } = useLoad((signal) => get(`${path(app)}/errors`, signal), app);
  const groups = (value?.groups ?? []).filter((group) => group.dead + group.retrying > 0).slice(0, 5);
  return h(
    'section',
    { class: 'card' },
    h(
      'div',
      { class: 'card-head' },
      h('h2', null, t('Top errors')),
      h('a', { href: `#/${encodeURIComponent(app)}/errors` }, t('all error groups')),
    ),
    value && !groups.length ? h('span', { class: 'label' }, t('No recent failures.')) : null,
    h(
      'ul',
      { class: 'ranked' },
      groups.map((group) =>
        h(
          'li',
          { key: group.id },
          h('b', { class: 'n' }, number(group.dead + group.retrying)),
          h(
            'div',
            null,
            h(
              'div',
              null,
              h('b', null, group.errorClass.split('.').pop()),
              ' ',
              h('span', { class: 'label' }, group.types.join(', ')),
            ),
            h('div', { class: 'clip', title: group.message }, group.message || '–'),
          ),
        ),
      ),
    ),
  );
}

/** The nodes, and how many events each has in flight. */
export function NodesAndLeases({ app }) {
  const { value, error } = useLoad((signal) => get(`${path(app)}/nodes`, signal), app);
  if (error) return null;
  const nodes = value?.nodes ?? [];
  return h(
    'section',
    { class: 'card' },
    h(
      'div',
      { class: 'card-head' },
      h('h2', null, t('Nodes and leases')),
      h('a', { href: `#/${encodeURIComponent(app)}/nodes` }, t('all nodes')),
    ),
    value && !nodes.length ? h('span', { class: 'label' }, t('No node sends heartbeats.')) : null,
    h(
      'ul',
      { class: 'plain' },
      nodes
        .slice(0, 6)
        .map((node) =>
          h(
            'li',
            { key: node.name },
            h('i', { class: 'dot ' + (node.silentSeconds < SILENT ? 'l2' : 'l3') }),
            h('code', null, node.name),
            ' ',
            h(
              'span',
              { class: 'label' },
              `${number(node.inFlight ?? 0)} ${t('in flight')} · ${t('heartbeat')} ${ago(node.silentSeconds)}`,
            ),
          ),
        ),
    ),
  );
}

/** Findings of outbox-doctor, most severe first. */
export function Findings({ app }) {
  const { value, error } = useLoad((signal) => get(`${path(app)}/doctor`, signal), app);
  if (error || !value) return null;
  const kinds = { critical: 'dead', warning: 'retry', info: 'new' };
  return h(
    'section',
    { class: 'card' },
    h('h2', null, t('Doctor findings')),
    value.findings?.length
      ? h(
          'ul',
          { class: 'plain' },
          value.findings
            .slice(0, 6)
            .map((finding) =>
              h(
                'li',
                { key: finding.code },
                h('span', { class: 'badge ' + (kinds[String(finding.severity).toLowerCase()] ?? '') }, finding.code),
                ' ',
                finding.seen,
                h(
                  'details',
                  null,
                  h('summary', null, t('How to fix it')),
                  h('p', null, finding.why),
                  h('p', null, finding.fix),
                  finding.sql ? h('pre', { tabindex: 0 }, finding.sql) : null,
                  h('a', { href: `runbooks/${finding.code}.md`, target: '_blank', rel: 'noopener' }, t('Runbook')),
                ),
              ),
            ),
        )
      : h('span', { class: 'label' }, t('No findings.')),
  );
}

/** A card with a small table. rows: [[cell, …]]; all cells but the first are numbers. */
const FigureTable = ({ title, note, link, columns, rows, empty }) =>
  h(
    'section',
    { class: 'card scroll' },
    h('div', { class: 'bar' }, h('h2', null, title, ' ', h('span', { class: 'label' }, note)), link),
    rows.length
      ? h(
          'table',
          { class: 'table still figure-table' },
          h(
            'thead',
            null,
            h(
              'tr',
              null,
              columns.map((name, i) => h('th', { scope: 'col', class: i ? 'num' : '' }, t(name))),
            ),
          ),
          h(
            'tbody',
            null,
            rows.map((row) =>
              h(
                'tr',
                null,
                row.map((cell, i) => h('td', { class: i ? 'num' : 'name' }, cell)),
              ),
            ),
          ),
        )
      : h('div', { class: 'empty small' }, empty),
  );

/** One line for a handler, summed over the nodes. */
export function sumHandlers(handlers) {
  const byName = new Map();
  for (const one of handlers) {
    const sum = byName.get(one.name) ?? { name: one.name, delivered: 0, failed: 0, running: 0, waiting: 0 };
    for (const field of ['delivered', 'failed', 'running', 'waiting']) sum[field] += one[field];
    sum.paused ||= one.paused;
    sum.open ||= one.breaker === 'open';
    byName.set(one.name, sum);
  }
  return [...byName.values()];
}

/** Success rate, work in progress and queue of each handler. */
export function HandlerFigures({ app }) {
  const { value, error } = usePulse((signal) => get(`${path(app)}/handlers`, signal), app);
  if (error) return null;
  return h(FigureTable, {
    title: t('Handlers'),
    note: t('since the nodes started'),
    link: h('a', { href: `#/${encodeURIComponent(app)}/handlers` }, t('all handlers')),
    columns: ['Handler', 'Success', 'Delivered', 'Failed', 'Running', 'Queued'],
    rows: sumHandlers(value?.handlers ?? [])
      .slice(0, 8)
      .map((one) => [
        [
          one.name,
          one.open ? h('span', { class: 'badge dead' }, t('breaker open')) : null,
          one.paused ? h('span', { class: 'badge retry' }, t('paused')) : null,
        ],
        percent(one.delivered + one.failed ? (100 * one.delivered) / (one.delivered + one.failed) : null),
        whole(one.delivered),
        h('span', { class: one.failed ? 'warn' : '' }, whole(one.failed)),
        whole(one.running),
        whole(one.waiting),
      ]),
    empty: value ? t('No handler is known. Add outbox-node to the application.') : t('Loading…'),
  });
}

/** Time from creation to delivery of each type. */
export function TypeFigures({ app }) {
  const { value, error } = usePulse((signal) => get(`${path(app)}/types`, signal), app);
  if (error) return null;
  const millis = (n) => (n === null ? '–' : duration(n / 1000));
  return h(FigureTable, {
    title: t('Event types'),
    note: t('delivered in the last minute'),
    link: null,
    columns: ['Type', 'Delivered', 'p50', 'p95'],
    rows: (value?.types ?? [])
      .slice(0, 8)
      .map((one) => [
        h('a', { href: `#/${encodeURIComponent(app)}/events?type=${encodeURIComponent(one.type)}` }, one.type),
        number(one.delivered),
        millis(one.p50Millis),
        millis(one.p95Millis),
      ]),
    empty: value ? t('Nothing was delivered in the last minute.') : t('Loading…'),
  });
}
