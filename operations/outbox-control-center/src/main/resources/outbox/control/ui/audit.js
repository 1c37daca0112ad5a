import { h, Fragment, useState, When, Note, useLoad } from './parts.js';
import { Table } from './table.js';
import { get } from './api.js';
import { words } from './i18n.js';

const t = words({
  Export: '导出',
  ok: '成功',
  denied: '拒绝',
  refused: '被拒',
  failed: '失败',
  started: '已开始',
});

export function Audit() {
  const [pages, setPages] = useState([]);
  const first = useLoad((signal) => get('/audit', signal), 'audit');
  const [report, setReport] = useState(null);
  const all = first.value ? [first.value, ...pages] : [];
  const next = all.at(-1)?.next;
  const more = () => get('/audit?before=' + next).then((page) => setPages((old) => [...old, page]));
  const verify = () =>
    get('/audit/verify').then(setReport, (error) =>
      setReport({ intact: false, problems: [error.message], entries: 0 }),
    );
  return h(
    Fragment,
    null,
    h(
      'div',
      { class: 'top' },
      h('h1', null, t('Audit')),
      h('span', { class: 'grow' }),
      h('a', { class: 'button', href: 'api/v1/audit/export', download: 'outbox-audit.ndjson' }, t('Export')),
      h('button', { type: 'button', onClick: verify }, t('Verify')),
    ),
    first.error ? h(Note, { kind: 'bad' }, first.error.message) : null,
    report
      ? report.intact
        ? h(Note, { kind: 'good' }, t('The audit log is intact.'), ` ${report.entries} `, t('entries'))
        : h(
            Note,
            { kind: 'bad' },
            t('The audit log was modified:'),
            h(
              'ul',
              null,
              report.problems.map((p) => h('li', null, p)),
            ),
          )
      : null,
    h(
      'section',
      { 'class': 'card scroll', 'aria-busy': String(!all.length && !first.error) },
      h(Table, { t, columns: COLUMNS, rows: all.flatMap((page) => page.entries), id: (e) => e.seq }),
      next ? h('div', { class: 'more' }, h('button', { type: 'button', onClick: more }, t('More'))) : null,
    ),
  );
}

const OUTCOMES = { ok: 'done', denied: 'dead', failed: 'dead', started: 'new' };
const COLUMNS = [
  { name: 'Time', cell: (e) => h(When, { at: e.at }) },
  { name: 'User', cell: (e) => [e.actor, e.address ? h('div', { class: 'label' }, e.address) : null] },
  {
    name: 'Action',
    cell: (e) => [h('code', null, e.action), e.application ? h('div', { class: 'label' }, e.application) : null],
  },
  {
    name: 'Target',
    wide: true,
    cell: (e) => [
      e.target ? h('code', null, e.target) : null,
      e.detail ? h('div', { class: 'label' }, e.detail) : null,
    ],
  },
  { name: 'Outcome', cell: (e) => h('span', { class: 'badge ' + (OUTCOMES[e.outcome] ?? 'retry') }, t(e.outcome)) },
];
