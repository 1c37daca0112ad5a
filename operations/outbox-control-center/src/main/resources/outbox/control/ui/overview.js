import { h, useEffect, useState, Note } from './parts.js';
import { useLive } from './live.js';
import { TopErrors, NodesAndLeases, Findings, HandlerFigures, TypeFigures } from './overview-cards.js';
import { OverviewCharts } from './overview-charts.js';
import { Relay } from './relay.js';
import { get, app as path } from './api.js';
import { words, number, rate, percent, duration, ago } from './i18n.js';
import { headline, isCut, isLaterCut, CAUSES } from './status.js';

const CUT =
  'Counts end at 10,000. The age, and scheduled and held-back events, are read from the 10,000 events due first.';
const SINCE = 'A scheduled event counts from its creation once it has failed or was released.';

const t = words({
  'as of': '数据时间：',
  'Nothing is due.': '没有到期的事件。',
  'paused': '已暂停',
  'circuit breaker open': '熔断器已打开',
  'rate or concurrency limit': '限流或并发限制',
  'behind an earlier event of their key': '等待同一键的前序事件',
  [CUT]: '计数上限为 10,000。等待时长以及定时、暂缓的事件只统计最先到期的 10,000 个。',
  [SINCE]: '定时事件一旦失败或被释放，就从创建时间开始计算。',
  'keys': '个键',
  'Success, last minute': '最近 1 分钟成功率',
  'Delivered per minute': '每分钟投递',
  'Failed per minute': '每分钟失败',
  'In flight': '处理中',
  'Nodes alive': '在线节点',
  'Median lag': '延迟中位数',
  'p95': 'p95',
});

const KEPT = 720;
const STALE_SECONDS = 15;

/** Metrics of the last minutes, then live updates. */
function useSamples(app) {
  const [state, set] = useState({ samples: [] });
  const live = useLive(
    app,
    (sample) =>
      set((s) =>
        s.samples.at(-1)?.at === sample.at ? s : { ...s, problem: null, samples: [...s.samples, sample].slice(-KEPT) },
      ),
    () =>
      get(path(app) + '/overview').then(
        (info) => set((s) => ({ samples: info.samples, problem: info.problem ?? s.problem, info })),
        (error) => set((s) => ({ ...s, error })),
      ),
    (problem) => set((s) => ({ ...s, problem })),
  );
  return { ...state, live };
}

export function Overview({ app }) {
  const { samples, problem, error, live, info } = useSamples(app);
  const now = samples.at(-1);
  const log = info?.deliveredFromLog;
  const received = useReceived(now?.at);
  const stale = now && (problem || received > STALE_SECONDS) ? received : null;
  return h(
    'div',
    { class: 'grid' + (stale === null ? '' : ' stale') },
    h(
      'div',
      { class: 'top' },
      h('h1', null, t('Overview')),
      info
        ? h('span', { class: 'label' }, info.database, info.table ? [' · ', h('code', null, info.table)] : null)
        : null,
      h('span', { class: 'grow' }),
      stale === null ? null : h('span', { class: 'label' }, `${t('as of')} ${ago(Math.max(1, stale))}`),
      h('span', { class: 'live ' + (live ? 'on' : '') }, h('i'), live ? t('live') : t('paused')),
    ),
    error ? h(Note, { kind: 'bad' }, error.message) : null,
    problem ? h(Note, { kind: 'bad' }, problem) : null,
    h(Headline, { app, now, log, stale: stale !== null }),
    h(Figures, { now }),
    log ? h(Relay, { app }) : null,
    h(OverviewCharts, { app, samples, log }),
    h('div', { class: 'grid cols-2' }, h(HandlerFigures, { app }), h(TypeFigures, { app })),
    h('div', { class: 'grid cols-2' }, h(TopErrors, { app }), h(NodesAndLeases, { app })),
    h(Findings, { app }),
  );
}

/** How late the oldest event is, the events of each state, and what holds events back. */
function Headline({ app, now, log, stale }) {
  const age = now?.oldestSeconds ?? 0;
  const stat = (label, n, state, cls, cut) =>
    h(
      'a',
      { class: 'stat', href: `#/${encodeURIComponent(app)}/events?state=${state}` },
      h('span', { class: 'label' }, label),
      h('span', { class: 'n ' + (n > 0 ? cls : '') }, now ? number(n, cut) : '–'),
    );
  return h(
    'section',
    { class: 'card summary' },
    h(
      'div',
      { class: 'headline' },
      h('span', { class: 'label' }, t('Oldest undelivered event')),
      h('span', { class: 'big ' + headline(now, stale) }, now && !log ? duration(age, true) : '–'),
      h(
        'span',
        { class: 'label' },
        log
          ? t('Events are delivered by CDC from the database log; the table does not show which were delivered.')
          : age > 0
            ? h('span', { title: t(SINCE) }, t('time since it became due'))
            : t('Nothing is due.'),
      ),
    ),
    h(
      'div',
      { class: 'stats' },
      stat(log ? t('Written') : t('Waiting'), now?.fresh, 'new', ''),
      stat(t('Scheduled'), now?.scheduled, 'scheduled', '', isLaterCut(now)),
      stat(t('Held back'), now?.heldBack, 'held', 'warn', isLaterCut(now)),
      stat(t('Retrying'), now?.retry, 'retry', 'warn'),
      stat(t('Dead'), now?.dead, 'dead', 'bad'),
      stat(t('Delivered'), now?.done, 'done', ''),
    ),
    now?.holds?.length ? h(Holds, { app, holds: now.holds }) : null,
    isCut(now) ? h('p', { class: 'label cut' }, t(CUT)) : null,
  );
}

/** What events wait for, with their number. */
const Holds = ({ app, holds }) =>
  h(
    'ul',
    { class: 'holds' },
    holds.map((hold) =>
      h(
        'li',
        { key: hold.cause + hold.handler },
        h('b', { class: 'warn num' }, number(hold.events)),
        ' ',
        t(CAUSES[hold.cause] ?? hold.cause),
        hold.keys ? ` (${number(hold.keys)} ${t('keys')})` : null,
        hold.handler ? [': ', h('a', { href: `#/${encodeURIComponent(app)}/handlers` }, hold.handler)] : null,
      ),
    ),
  );

/** Rates of the last minute. */
function Figures({ now }) {
  const all = now && now.failedPerMinute !== null ? now.failedPerMinute + now.outPerMinute : 0;
  const figures = [
    ['Success, last minute', all ? percent((100 * now.outPerMinute) / all) : '–'],
    ['Delivered per minute', rate(now?.outPerMinute)],
    ['Failed per minute', now && now.failedPerMinute === null ? t('not recorded') : rate(now?.failedPerMinute)],
    ['Median lag', now?.lagP50Millis === null || !now ? '–' : duration(now.lagP50Millis / 1000)],
    ['p95', now?.lagP95Millis === null || !now ? '–' : duration(now.lagP95Millis / 1000)],
    ['In flight', now?.nodes ? number(now.inFlight) : '–'],
    ['Nodes alive', now?.nodes ? `${now.nodesAlive} / ${now.nodes}` : '–'],
  ];
  return h(
    'dl',
    { class: 'card figures-row' },
    figures.map(([name, value]) => h('div', null, h('dt', { class: 'label' }, t(name)), h('dd', null, value))),
  );
}

/** Seconds since the last sample arrived, by the clock of this browser. */
function useReceived(at) {
  const [seen, setSeen] = useState({ at, when: Date.now(), seconds: 0 });
  useEffect(() => {
    const when = Date.now();
    setSeen({ at, when, seconds: 0 });
    const timer = setInterval(() => setSeen((s) => ({ ...s, seconds: (Date.now() - when) / 1000 })), 1000);
    return () => clearInterval(timer);
  }, [at]);
  return seen.seconds;
}
