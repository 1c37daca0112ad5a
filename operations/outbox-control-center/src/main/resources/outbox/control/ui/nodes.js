import { h, Fragment, useEffect, Top, When, Note, useLoad } from './parts.js';
import { get, del, segment, app as path } from './api.js';
import { t, words, current, duration } from './i18n.js';

words({
  'Node': '节点',
  'Last heartbeat': '最近心跳',
  'Started': '启动时间',
  'In flight': '处理中',
  'Dead': '死信',
  'Failed': '失败',
  'Clock': '时钟',
  'alive': '在线',
  'silent': '失联',
  'ahead': '快',
  'behind': '慢',
  'exact': '准确',
  'ago': '前',
  'Forget': '移除',
  'Records lost': '丢失的记录',
  'since the start': '自启动以来',
  'No node has sent a heartbeat. Add outbox-node to the application.':
    '还没有节点发送心跳。请在应用中加入 outbox-node。',
  'No node is running.': '当前没有节点在运行。',
  'The node was removed from the list.': '节点已移除。',
});

const SILENT = 30;
export const whole = (n) => new Intl.NumberFormat(current()).format(n);

/** Reloads every few seconds while the tab is visible. */
export function usePulse(load, key) {
  const state = useLoad(load, key);
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) state.reload();
    }, 5000);
    return () => clearInterval(timer);
  }, [key]);
  return state;
}

const offset = (millis) =>
  Math.abs(millis) < 1000 ? t('exact') : `${duration(Math.abs(millis) / 1000)} ${t(millis > 0 ? 'ahead' : 'behind')}`;

export function Nodes({ app, rights, toast }) {
  const state = usePulse((signal) => get(`${path(app)}/nodes`, signal), app);
  const nodes = state.value?.nodes ?? [];
  const forget = (node) =>
    del(`${path(app)}/nodes/${segment(node.name)}`).then(
      () => {
        toast(t('The node was removed from the list.'));
        state.reload();
      },
      (error) => toast(error.message),
    );
  return h(
    Fragment,
    null,
    h(Top, {
      title: t('Nodes'),
      note: nodes.length ? `${nodes.filter((n) => n.silentSeconds < SILENT).length} ${t('alive')}` : null,
    }),
    state.error ? h(Note, { kind: 'bad' }, state.error.message) : null,
    h(
      'section',
      { class: 'card scroll', 'aria-busy': String(!state.value && !state.error) },
      nodes.length
        ? h(
            'table',
            { class: 'table cards still' },
            h(
              'thead',
              null,
              h(
                'tr',
                null,
                ['Node', 'Last heartbeat', 'Delivered', 'Failed', 'Dead', 'In flight', 'Clock', 'Started'].map((name) =>
                  h('th', { scope: 'col' }, t(name)),
                ),
                h('th', { scope: 'col' }, h('span', { class: 'visually-hidden' }, t('Forget'))),
              ),
            ),
            h(
              'tbody',
              null,
              nodes.map((n) => {
                const alive = n.silentSeconds < SILENT;
                const [name, incarnation] = n.name.split(/\/(?=[^/]*$)/);
                return h(
                  'tr',
                  { key: n.name },
                  h(
                    'td',
                    null,
                    h('b', { class: 'nowrap' }, name),
                    incarnation ? h('div', { class: 'label mono' }, incarnation) : null,
                  ),
                  h(
                    'td',
                    null,
                    h('span', { class: 'badge ' + (alive ? 'done' : 'dead') }, t(alive ? 'alive' : 'silent')),
                    h('div', { class: 'label nowrap' }, `${duration(n.silentSeconds)} ${t('ago')}`),
                  ),
                  h('td', null, whole(n.delivered)),
                  h('td', null, whole(n.failed)),
                  h(
                    'td',
                    null,
                    whole(n.dead),
                    n.attemptsLost ? h('div', { class: 'label' }, `${t('Records lost')}: ${n.attemptsLost}`) : null,
                  ),
                  h('td', null, whole(n.inFlight)),
                  h(
                    'td',
                    null,
                    h(
                      'span',
                      { class: 'nowrap ' + (Math.abs(n.clockOffsetMillis) < 1000 ? '' : 'warn') },
                      offset(n.clockOffsetMillis),
                    ),
                  ),
                  h('td', null, h(When, { at: n.startedAt }), h('div', { class: 'label' }, n.version)),
                  h(
                    'td',
                    null,
                    rights.act && !alive
                      ? h('button', { type: 'button', onClick: () => forget(n) }, t('Forget'))
                      : null,
                  ),
                );
              }),
            ),
          )
        : h(
            'div',
            { class: 'empty' },
            t(
              !state.value
                ? 'Loading…'
                : state.value.known
                  ? 'No node is running.'
                  : 'No node has sent a heartbeat. Add outbox-node to the application.',
            ),
          ),
    ),
  );
}
