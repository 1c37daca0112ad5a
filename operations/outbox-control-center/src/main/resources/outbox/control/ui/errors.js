import { h, Fragment, useState, Top, When, Note, useLoad } from './parts.js';
import { get, app as path } from './api.js';
import { words, number } from './i18n.js';
import { Bulk } from './bulk.js';

const t = words({
  'dead': '死信',
  'to be retried': '待重试',
  'failed deliveries': '次投递失败',
  'First seen': '首次出现',
  'Last seen': '最近出现',
  'Replay the group': '重放该组',
  'Based on the most recent failures.': '仅统计最近的失败。',
  'Read': '统计于',
  'Only part of the failures was read; the actual numbers are higher.': '仅统计了部分失败，实际数字更高。',
  'No recent failures.': '最近没有失败。',
  'without a stack trace': '没有堆栈',
  'an example': '查看示例',
  'Types': '类型',
  'events': '事件',
});

export function Errors({ app, rights, go, toast }) {
  const { value, error, loading, reload } = useLoad((signal) => get(`${path(app)}/errors`, signal), app);
  const [replaying, replay] = useState(null);
  return h(
    Fragment,
    null,
    h(
      Top,
      {
        title: t('Error groups'),
        note: [
          t('Based on the most recent failures.'),
          value ? [' ', t('Read'), ' ', h(When, { at: value.at })] : null,
        ],
      },
      h('button', { type: 'button', onClick: reload, disabled: loading }, t('Refresh')),
    ),
    error ? h(Note, { kind: 'bad' }, error.message) : null,
    value?.partial ? h(Note, null, t('Only part of the failures was read; the actual numbers are higher.')) : null,
    h(
      'div',
      { 'class': 'grid', 'aria-busy': String(!!loading && !value) },
      value && !value.groups.length ? h('section', { class: 'card empty' }, t('No recent failures.')) : null,
      (value?.groups ?? []).map((group) =>
        h(
          'section',
          { class: 'card group', key: group.id },
          h(
            'div',
            { class: 'group-head' },
            h(
              'div',
              null,
              h('h2', null, group.errorClass.split('.').pop(), ' ', h('span', { class: 'label' }, group.errorClass)),
              h('p', { class: 'message' }, group.message || '–'),
              h('p', { class: 'label' }, group.frame ? h('code', null, group.frame) : t('without a stack trace')),
            ),
            h(
              'div',
              { class: 'figures' },
              group.dead
                ? h('a', { class: 'badge dead', href: events(app, group, 'dead') }, number(group.dead), ' ', t('dead'))
                : null,
              group.retrying
                ? h(
                    'a',
                    { class: 'badge retry', href: events(app, group, 'retry') },
                    number(group.retrying),
                    ' ',
                    t('to be retried'),
                  )
                : null,
              value.recorded && group.attempts
                ? h('span', { class: 'badge' }, number(group.attempts), ' ', t('failed deliveries'))
                : null,
            ),
          ),
          h(
            'dl',
            { class: 'facts flat' },
            h('dt', null, t('First seen')),
            h('dd', null, h(When, { at: group.firstSeen })),
            h('dt', null, t('Last seen')),
            h('dd', null, h(When, { at: group.lastSeen })),
            h('dt', null, t('Types')),
            h('dd', null, group.types.join(', ')),
          ),
          h(
            'div',
            { class: 'row' },
            rights.act && group.dead + group.retrying > 0
              ? h('button', { type: 'button', class: 'primary', onClick: () => replay(group) }, t('Replay the group'))
              : null,
            h(
              'a',
              { class: 'button', href: `#/${encodeURIComponent(app)}/events/${encodeURIComponent(group.example)}` },
              t('an example'),
            ),
          ),
        ),
      ),
    ),
    replaying
      ? h(Bulk, {
          app,
          scope: { errorGroup: replaying.id },
          about: t('all events with this error') + ': ' + replaying.errorClass,
          onClose: () => replay(null),
          onStart: (operation) => {
            replay(null);
            go(`#/${encodeURIComponent(app)}/operations/${operation.id}`);
          },
        })
      : null,
  );
}

/** Link to events with the same error class; filters cannot express a whole group. */
const events = (app, group, state) => {
  const error = group.errorClass.startsWith('(') ? group.message.split('#')[0] : group.errorClass;
  return `#/${encodeURIComponent(app)}/events?${new URLSearchParams({ state, error })}`;
};
