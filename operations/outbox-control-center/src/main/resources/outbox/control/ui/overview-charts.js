import { h, Fragment, useEffect, useState, useLoad } from './parts.js';
import { get, app as path } from './api.js';
import { words, number, rate, duration, axisDuration, time } from './i18n.js';
import { Chart } from './chart.js';

const t = words({
  'Range': '时间范围',
  '15 min': '15 分钟',
  '1 h': '1 小时',
  '6 h': '6 小时',
  '24 h': '24 小时',
  '7 d': '7 天',
  '30 d': '30 天',
  'nodes started': '个节点启动',
  'held back': '已暂缓',
  'events': '个事件',
});

const RANGES = [
  ['15m', '15 min', 15],
  ['1h', '1 h', 60],
  ['6h', '6 h', 360],
  ['24h', '24 h', 1440],
  ['7d', '7 d', 10_080],
  ['30d', '30 d', 43_200],
];
const MINUTE = 60_000;

/** The points of a live sample, in the form of the history. */
const live = (sample) => ({
  at: Date.parse(sample.at),
  written: sample.inPerMinute,
  delivered: sample.outPerMinute,
  failed: sample.failedPerMinute,
  lagP50Millis: sample.lagP50Millis,
  lagP95Millis: sample.lagP95Millis,
  waiting: sample.fresh,
  heldBack: sample.heldBack,
  retry: sample.retry,
  dead: sample.dead,
  oldestSeconds: sample.oldestSeconds,
});
/** Rates of a stored interval are per minute of it that was sampled. */
const stored = (point) => ({
  ...point,
  at: Date.parse(point.at),
  written: point.written / point.minutes,
  delivered: point.delivered / point.minutes,
  failed: point.failed === null ? null : point.failed / point.minutes,
});

/** Stored points followed by the newest samples, all within the range that ends now. */
export function merge(points, samples, minutes) {
  const end = samples.length ? Date.parse(samples.at(-1).at) : points.length ? Date.parse(points.at(-1).at) : 0;
  const from = end - minutes * MINUTE;
  const recent = samples.map(live).filter((point) => point.at > from);
  const short = minutes <= 15;
  const begin = recent.length && short ? recent[0].at : Infinity;
  const older = points.map(stored).filter((point) => point.at > from && point.at < begin);
  return { from, end, points: short ? [...older, ...recent] : [...older, ...recent.slice(-1)] };
}

function useHistory(app, range) {
  const { value, reload } = useLoad((signal) => get(`${path(app)}/history?range=${range}`, signal), app + range);
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) reload();
    }, MINUTE);
    return () => clearInterval(timer);
  }, [app, range]);
  return value;
}

export function OverviewCharts({ app, samples, log }) {
  const [range, setRange] = useState(localStorage.getItem('outbox.range') ?? '1h');
  const minutes = (RANGES.find(([key]) => key === range) ?? RANGES[1])[2];
  const history = useHistory(app, range);
  const operations = useLoad((signal) => get(`${path(app)}/operations?size=100`, signal), app).value?.operations ?? [];
  const { from, end, points } = merge(history?.points ?? [], samples, minutes);
  const times = points.map((point) => point.at);
  const of = (name) => points.map((point) => point[name]);
  const gap = Math.max(3 * MINUTE, 2500 * (history?.intervalSeconds ?? 60));
  const marks = [
    ...points
      .filter((point) => point.nodeStarts > 0)
      .map((point) => ({
        at: point.at,
        text: `${point.nodeStarts} ${t('nodes started')} · ${time(new Date(point.at).toISOString())}`,
        cls: 'deploy',
      })),
    ...operations.map((o) => ({
      at: Date.parse(o.createdAt),
      text: [
        t({ retry: 'Retry', skip: 'Skip', park: 'Park', delete: 'Delete' }[o.action]),
        `${number(o.total)} ${t('events')}`,
        o.actor,
        time(o.createdAt),
      ].join(' · '),
      cls: 'operation',
    })),
  ];
  const choose = (key) => {
    localStorage.setItem('outbox.range', key);
    setRange(key);
  };
  const chart = (title, series) => h(Chart, { title: t(title), times, from, to: end, gap, marks, series });
  const line = (name, field, cls, format, axis) => ({ name: t(name), values: of(field), cls, format, axis });
  return h(
    Fragment,
    null,
    h(
      'div',
      { 'class': 'segmented', 'role': 'group', 'aria-label': t('Range') },
      RANGES.map(([key, label]) =>
        h(
          'button',
          { 'type': 'button', key, 'aria-pressed': String(key === range), 'onClick': () => choose(key) },
          t(label),
        ),
      ),
    ),
    h(
      'div',
      { class: 'grid cols-2' },
      chart('Events per minute', [
        line('written', 'written', 'l1', rate),
        line('delivered', 'delivered', 'l2', rate),
        line('failed', 'failed', 'l3', (n) => (n === null || n === undefined ? t('not recorded') : rate(n))),
      ]),
      chart('Time from creation to delivery', [
        line('p95', 'lagP95Millis', 'l1', millis, (n) => axisDuration(n / 1000)),
        line('p50', 'lagP50Millis', 'l2', millis),
      ]),
      chart('Undelivered', [
        ...(log ? [] : [line('waiting', 'waiting', 'l1', number)]),
        line('held back', 'heldBack', 'l4', number),
        line('retrying', 'retry', 'l2', number),
        line('dead', 'dead', 'l3', number),
      ]),
      chart('Oldest undelivered event', [
        { ...line('age', 'oldestSeconds', 'l3', seconds, axisDuration), seconds: true },
      ]),
    ),
  );
}

const seconds = (n) => (n === null || n === undefined ? '–' : duration(n, true));
const millis = (n) => (n === null || n === undefined ? '–' : duration(n / 1000, true));
