import { h, When } from './parts.js';
import { get, app as path } from './api.js';
import { t, words, number, bytes, duration } from './i18n.js';
import { usePulse } from './nodes.js';

words({
  'CDC relay': 'CDC 中继',
  'Relay': '中继',
  'Offset': '偏移量',
  'stored': '保存于',
  'Lag': '落后',
  'Retained log': '保留的日志',
  'Dead letters': '死信',
  'reads the log': '正在读取日志',
  'nobody reads its slot': '没有进程读取其复制槽',
  'No relay has stored an offset in this database.': '该数据库中还没有中继保存过偏移量。',
});

const WARN_BYTES = 1024 ** 3;

/** How far the CDC relays are: what the rows of the table do not show. */
export function Relay({ app }) {
  const { value } = usePulse((signal) => get(`${path(app)}/relay`, signal), app);
  if (!value) return null;
  return h(
    'section',
    { class: 'card scroll' },
    h('h2', { class: 'pad' }, t('CDC relay')),
    value.relays.length
      ? h(
          'table',
          { class: 'table cards still' },
          h(
            'thead',
            null,
            h(
              'tr',
              null,
              ['Relay', 'State', 'Offset', 'Lag', 'Retained log', 'Dead letters'].map((name) =>
                h('th', { scope: 'col' }, t(name)),
              ),
            ),
          ),
          h(
            'tbody',
            null,
            value.relays.map((relay) => h(Line, { relay, key: relay.name })),
          ),
        )
      : h('div', { class: 'empty' }, t('No relay has stored an offset in this database.')),
    value.deadLetters.length ? h(DeadLetters, { letters: value.deadLetters }) : null,
  );
}

function Line({ relay }) {
  const idle = relay.active === false;
  return h(
    'tr',
    null,
    h('td', { 'data-label': t('Relay') }, h('b', null, relay.name)),
    h(
      'td',
      { 'data-label': t('State') },
      relay.active === null
        ? '–'
        : h('span', { class: 'badge ' + (idle ? 'dead' : 'done') }, t(idle ? 'nobody reads its slot' : 'reads the log')),
      relay.slotState ? h('span', { class: 'label' }, ' ', relay.slotState) : null,
    ),
    h(
      'td',
      { class: 'wide', 'data-label': t('Offset') },
      h('code', null, relay.offset),
      h('div', { class: 'label' }, `${t('stored')} ${duration(relay.offsetAgeSeconds)} ${t('ago')}`),
    ),
    h('td', { class: 'num', 'data-label': t('Lag') }, bytes(relay.lagBytes)),
    h(
      'td',
      { class: 'num ' + (relay.retainedBytes > WARN_BYTES ? 'warn' : ''), 'data-label': t('Retained log') },
      bytes(relay.retainedBytes),
    ),
    h(
      'td',
      { class: 'num ' + (relay.deadLetters ? 'bad' : ''), 'data-label': t('Dead letters') },
      number(relay.deadLetters),
    ),
  );
}

const DeadLetters = ({ letters }) =>
  h(
    'table',
    { class: 'table cards still' },
    h(
      'thead',
      null,
      h(
        'tr',
        null,
        ['Dead letters', 'Type', 'Time', 'Attempts', 'Error'].map((name) => h('th', { scope: 'col' }, t(name))),
      ),
    ),
    h(
      'tbody',
      null,
      letters.map((letter) =>
        h(
          'tr',
          { key: letter.eventId },
          h('td', null, h('code', null, letter.eventId)),
          h('td', null, letter.type),
          h('td', null, h(When, { at: letter.deadAt })),
          h('td', { class: 'num' }, letter.attempts),
          h('td', { class: 'rest' }, h('div', { class: 'error', title: letter.error }, letter.error)),
        ),
      ),
    ),
  );
