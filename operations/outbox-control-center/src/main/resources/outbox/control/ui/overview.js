import { h, useEffect, useState, Chart, Note } from './parts.js';
import { useLive } from './live.js';
import { TopErrors, NodesAndLeases, Findings } from './overview-cards.js';
import { get, app as path } from './api.js';
import { t, words, number, rate, duration } from './i18n.js';
import { headline } from './figures.js';

words({
  'Scheduled': '定时', 'Held back': '被暂缓', 'as of': '数据时间：', 'ago': '前',
  'held back by an open breaker, a pause or a limit': '因熔断、暂停或限流被暂缓',
  'Nothing is due.': '没有到期的事件。',
});

const KEPT = 720;
const SHOWN = 24 * 60 * 1000;
const STALE_SECONDS = 15;

/** Figures of the last minutes, then what comes. */
function useSamples(app) {
  const [state, set] = useState({ samples: [] });
  const live = useLive(app,
    (sample) => set((s) => (s.samples.at(-1)?.at === sample.at ? s : { ...s, problem: null, samples: [...s.samples, sample].slice(-KEPT) })),
    () => get(path(app) + '/overview').then((info) => set((s) => ({ samples: info.samples, problem: info.problem ?? s.problem, info })), (error) => set((s) => ({ ...s, error }))),
    (problem) => set((s) => ({ ...s, problem })));
  return { ...state, live };
}

export function Overview({ app }) {
  const { samples, problem, error, live, info } = useSamples(app);
  const now = samples.at(-1);
  const shown = samples.filter((s) => Date.parse(s.at) > Date.parse(now.at) - SHOWN);
  const times = shown.map((s) => Date.parse(s.at));
  const of = (name) => shown.map((s) => s[name]);
  const log = info?.deliveredFromLog;
  const received = useReceived(now?.at);
  const stale = now && (problem || received > STALE_SECONDS) ? received : null;
  const age = now?.oldestSeconds ?? 0;
  const mood = headline(now, stale !== null);
  const stat = (label, n, state, cls) => h('a', { class: 'card stat', href: `#/${encodeURIComponent(app)}/events?state=${state}` },
    h('span', { class: 'label' }, label), h('span', { class: 'n ' + (n > 0 ? cls : '') }, now ? number(n) : '–'));
  return h('div', { class: 'grid' + (stale === null ? '' : ' stale') },
    h('div', { class: 'top' }, h('h1', null, t('Overview')),
      info ? h('span', { class: 'label' }, info.database, ' · ', h('code', null, info.table)) : null, h('span', { class: 'grow' }),
      stale === null ? null : h('span', { class: 'label' }, `${t('as of')} ${duration(Math.max(1, stale))} ${t('ago')}`),
      h('span', { class: 'live ' + (live ? 'on' : '') }, h('i'), live ? t('live') : t('paused'))),
    error ? h(Note, { kind: 'bad' }, error.message) : null,
    problem ? h(Note, { kind: 'bad' }, problem) : null,
    h('section', { class: 'card' },
      h('h2', null, t('Oldest undelivered event')),
      h('div', { class: 'headline' }, h('span', { class: 'big ' + (now ? mood : '') }, now && !log ? (age > 0 ? duration(age) : '0 s') : '–'),
        h('span', { class: 'label' }, log ? t('Events are delivered from the database’s log; the table does not say which were.') : age > 0 ? t('has been due for this long') : t('Nothing is due.')),
        now?.heldBack ? h('span', { class: 'label warn' }, `${number(now.heldBack)} ${t('held back by an open breaker, a pause or a limit')}`) : null)),
    h('div', { class: 'grid cols-6' },
      stat(log ? t('Written') : t('Waiting'), now?.fresh, 'new', ''), stat(t('Scheduled'), now?.scheduled, 'new', ''),
      stat(t('Held back'), now?.heldBack, 'new', 'warn'), stat(t('Retrying'), now?.retry, 'retry', 'warn'),
      stat(t('Dead'), now?.dead, 'dead', 'bad'), stat(t('Delivered'), now?.done, 'done', '')),
    h('div', { class: 'grid cols-2' },
      h(Chart, { times, title: t('Events per minute'), series: [
        { name: t('written'), values: of('inPerMinute'), cls: 'l1', format: rate },
        { name: t('delivered'), values: of('outPerMinute'), cls: 'l2', format: rate },
        { name: t('failed'), values: of('failedPerMinute'), cls: 'l3', format: (n) => (n === null || n === undefined ? t('not recorded') : rate(n)) }] }),
      h(Chart, { times, title: t('Time from creation to delivery'), series: [
        { name: 'p50', values: of('lagP50Millis'), cls: 'l2', format: millis },
        { name: 'p95', values: of('lagP95Millis'), cls: 'l1', format: millis }] }),
      h(Chart, { times, title: t('Undelivered'), series: [
        ...(log ? [] : [{ name: t('waiting'), values: of('fresh'), cls: 'l1', format: number }]),
        { name: t('retrying'), values: of('retry'), cls: 'l2', format: number },
        { name: t('dead'), values: of('dead'), cls: 'l3', format: number }] }),
      h(Chart, { times, title: t('Oldest undelivered event'), series: [
        { name: t('age'), values: of('oldestSeconds'), cls: 'l3', format: (n) => (n === null || n === undefined ? '–' : duration(n)) }] })),
    h('div', { class: 'grid cols-2' }, h(TopErrors, { app }), h(NodesAndLeases, { app })), h(Findings, { app }));
}

/** Seconds since the last figures came, by the clock of this browser. */
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

const millis = (n) => (n === null || n === undefined ? '–' : duration(n / 1000));
