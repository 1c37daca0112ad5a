import { h, useEffect, useState } from './parts.js';
import { get, app as path } from './api.js';
import { t, words } from './i18n.js';

words({
  'Circuit breaker open': '熔断器已打开', 'Paused': '已暂停', 'Silent nodes': '失联节点',
  'No node is running: nothing is delivered.': '没有节点在运行：不会投递任何事件。',
  'The database does not answer': '数据库无响应', 'The control center does not answer': '控制中心无响应',
});

const EVERY = 5000;

/** What the banner says, the worst first: [{ kind, text, names, page }]. */
export function troubles(status) {
  const found = [];
  const add = (kind, text, names, page) => { if (names?.length) found.push({ kind, text, names, page }); };
  if (status.problem) found.push({ kind: 'bad', text: 'The database does not answer', names: [status.problem] });
  if (status.noNodeAlive) found.push({ kind: 'bad', text: 'No node is running: nothing is delivered.', names: [], page: 'nodes' });
  else add('bad', 'Silent nodes', status.silentNodes, 'nodes');
  add('bad', 'Circuit breaker open', status.openBreakers, 'handlers');
  add('', 'Paused', status.pausedHandlers, 'handlers');
  return found;
}

/** On every page of an application: what keeps its events from being delivered. */
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
    return () => { clearInterval(timer); abort.abort(); };
  }, [app]);
  const all = status.unreachable
    ? [{ kind: 'bad', text: 'The control center does not answer', names: [] }] : troubles(status);
  return h('div', { class: 'banner', role: 'status' }, all.map(({ kind, text, names, page }) => {
    const body = [h('b', null, t(text)), names.length ? ': ' + names.slice(0, 5).join(', ') : null,
      names.length > 5 ? ` +${names.length - 5}` : null];
    return h('div', { class: 'note ' + kind, key: text },
      page ? h('a', { href: `#/${encodeURIComponent(app)}/${page}` }, body) : body);
  }));
}
