import { h, Fragment, Top, Note } from './parts.js';
import { get, del, app as path } from './api.js';
import { words, number, rate, percent, duration } from './i18n.js';
import { usePulse } from './nodes.js';
import { Sparkline } from './chart.js';
import { headline, verdict, isLaterCut } from './status.js';

const t = words({
  'Oldest': '最久等待',
  'Success': '成功率',
  'Per minute': '每分钟投递',
  'Last hour': '最近 1 小时',
  'Waiting': '待投递',
  'unreachable': '无法访问',
  'unknown': '未知',
  'stopped': '无节点运行',
  'late': '严重积压',
  'held': '已暂缓',
  'slow': '变慢',
  'healthy': '正常',
  'has dead events': '有死信',
  'delivered per minute in the last hour': '最近 1 小时每分钟投递数',
  'by CDC': '由 CDC 投递',
  'announced': '自行注册',
  'It announced itself to this server.': '该应用自行注册到此服务器。',
  'Remove': '移除',
});

const VERDICTS = {
  unreachable: ['unreachable', 'dead'],
  unknown: ['unknown', ''],
  stopped: ['stopped', 'dead'],
  late: ['late', 'dead'],
  held: ['held', 'retry'],
  dead: ['has dead events', 'retry'],
  slow: ['slow', 'retry'],
  ok: ['healthy', 'done'],
};
const COLUMNS = [
  ['Application', ''],
  ['State', ''],
  ['Oldest', 'num'],
  ['Waiting', 'num'],
  ['Scheduled', 'num'],
  ['Held back', 'num'],
  ['Retrying', 'num'],
  ['Dead', 'num'],
  ['Success', 'num'],
  ['Per minute', 'num'],
  ['Nodes', 'num'],
  ['Last hour', ''],
];

/** All applications of the user, one line each, the worst ones recognizable at a glance. */
export function Applications({ go, session, toast }) {
  const state = usePulse((signal) => get('/apps', signal), 'apps');
  const apps = state.value?.applications ?? [];
  const mayRemove = (app) => session.applications.some((one) => one.name === app.name && one.admin);
  const remove = (app) => del(`${path(app.name)}/announcement`).then(state.reload, (error) => toast(error.message));
  return h(
    Fragment,
    null,
    h(Top, { title: t('Applications'), note: apps.length ? number(apps.length) : null }),
    state.error ? h(Note, { kind: 'bad' }, state.error.message) : null,
    h(
      'section',
      { 'class': 'card scroll', 'aria-busy': String(!state.value && !state.error) },
      h(
        'table',
        { class: 'table cards apps-table' },
        h(
          'thead',
          null,
          h(
            'tr',
            null,
            COLUMNS.map(([name, cls]) => h('th', { scope: 'col', class: cls }, t(name))),
          ),
        ),
        h(
          'tbody',
          null,
          apps.map((app) =>
            h(Line, { app, key: app.name, go, remove: app.announced && mayRemove(app) ? remove : null }),
          ),
        ),
      ),
    ),
  );
}

function Line({ app, go, remove }) {
  const { sample, problem } = app;
  const href = `#/${encodeURIComponent(app.name)}/`;
  const [text, cls] = VERDICTS[verdict(app)];
  const stale = !!problem;
  const cell = (name, value, kind = '') => h('td', { 'class': 'num ' + kind, 'data-label': t(name) }, value);
  const cut = isLaterCut(sample);
  const state = (name, n, states, bad, more) =>
    cell(
      name,
      n > 0 && !stale
        ? h('a', { href: `${href}events?state=${states}`, onClick: (e) => e.stopPropagation() }, number(n, more))
        : number(n, more),
      n > 0 && !stale ? bad : '',
    );
  const log = app.deliveredFromLog;
  return h(
    'tr',
    { onClick: () => go(href), class: stale ? 'stale' : '' },
    h(
      'td',
      { class: 'name' },
      h('a', { href, onClick: (e) => e.stopPropagation() }, app.name),
      app.announced
        ? h('span', { class: 'badge', title: t('It announced itself to this server.') }, t('announced'))
        : null,
      remove
        ? h(
            'button',
            {
              type: 'button',
              class: 'quiet',
              onClick: (e) => {
                e.stopPropagation();
                remove(app);
              },
            },
            t('Remove'),
          )
        : null,
    ),
    h('td', { 'data-label': t('State') }, h('span', { class: 'badge ' + cls, title: problem ?? '' }, t(text))),
    cell(
      'Oldest',
      !sample ? '–' : log ? t('by CDC') : duration(sample.oldestSeconds, true),
      stale || log ? '' : headline(sample && { ...sample, dead: 0, heldBack: 0 }, false),
    ),
    log ? cell('Waiting', '–') : state('Waiting', sample?.fresh, 'new', ''),
    state('Scheduled', sample?.scheduled, 'scheduled', '', cut),
    state('Held back', sample?.heldBack, 'held', 'warn', cut),
    state('Retrying', sample?.retry, 'retry', 'warn'),
    state('Dead', sample?.dead, 'dead', 'bad'),
    cell('Success', percent(app.successPercent), app.successPercent !== null && app.successPercent < 99 ? 'warn' : ''),
    cell('Per minute', rate(sample?.outPerMinute)),
    cell(
      'Nodes',
      sample?.nodes ? `${sample.nodesAlive}/${sample.nodes}` : '–',
      sample && sample.nodesAlive < sample.nodes ? 'warn' : '',
    ),
    h(
      'td',
      { 'data-label': t('Last hour') },
      h(Sparkline, {
        values: [...app.deliveredPerMinute, ...(sample ? [sample.outPerMinute] : [])],
        label: t('delivered per minute in the last hour'),
      }),
    ),
  );
}
