import { h, useEffect, useState } from './parts.js';
import { get, app as path } from './api.js';
import { words, number } from './i18n.js';

const t = words({
  'Circuit breaker open': '熔断器已打开',
  'Paused': '已暂停',
  'Silent nodes': '失联节点',
  'No node is running: nothing is delivered.': '没有节点在运行：不会投递任何事件。',
  'No process reads the log for the CDC relay': '没有进程为 CDC 中继读取日志',
  'held back': '已暂缓',
  'The database is unreachable': '数据库无法访问',
  'The application is unreachable': '应用无法访问',
  'The control center is unreachable': '控制中心无法访问',
});

const EVERY = 5000;

/** The messages of the banner, most severe first: [{ kind, text, names, page }]. */
export function troubles(status) {
  const found = [];
  const add = (kind, text, names, page) => {
    if (names?.length) found.push({ kind, text, names, page });
  };
  const unreachable = status.away ? 'The application is unreachable' : 'The database is unreachable';
  if (status.problem) found.push({ kind: 'bad', text: unreachable, names: [status.problem] });
  if (status.noNodeAlive)
    found.push({ kind: 'bad', text: 'No node is running: nothing is delivered.', names: [], page: 'nodes' });
  else add('bad', 'Silent nodes', status.silentNodes, 'nodes');
  add('bad', 'No process reads the log for the CDC relay', status.stoppedRelays, '');
  add(
    'bad',
    'Circuit breaker open',
    status.openBreakers?.map((name) => held(name, 'breaker', status)),
    'handlers',
  );
  add(
    '',
    'Paused',
    status.pausedHandlers?.map((name) => held(name, 'pause', status)),
    'handlers',
  );
  return found;
}

/** The name of a handler, with the number of events it holds back. */
function held(name, cause, { holds = [] }) {
  const hold = holds.find((one) => one.cause === cause && one.handler === name);
  return hold ? `${name} (${number(hold.events)} ${t('held back')})` : name;
}

/** Shown on every page of an application: what stops its events from being delivered. */
export function Banner({ app }) {
  const [status, setStatus] = useState({});
  useEffect(() => {
    const abort = new AbortController();
    const load = () => {
      if (document.hidden) return;
      get(`${path(app)}/status`, abort.signal).then(setStatus, (error) => {
        if (error.name !== 'AbortError') setStatus({ unreachable: true });
      });
    };
    setStatus({});
    load();
    const timer = setInterval(load, EVERY);
    return () => {
      clearInterval(timer);
      abort.abort();
    };
  }, [app]);
  const all = status.unreachable
    ? [{ kind: 'bad', text: 'The control center is unreachable', names: [] }]
    : troubles(status);
  return h(
    'div',
    { class: 'banner', role: 'status' },
    all.map(({ kind, text, names, page }) => {
      const body = [
        h('b', null, t(text)),
        names.length ? ': ' + names.slice(0, 5).join(', ') : null,
        names.length > 5 ? ` +${names.length - 5}` : null,
      ];
      return h(
        'div',
        { class: 'note ' + kind, key: text },
        page !== undefined ? h('a', { href: `#/${encodeURIComponent(app)}/${page}` }, body) : body,
      );
    }),
  );
}
