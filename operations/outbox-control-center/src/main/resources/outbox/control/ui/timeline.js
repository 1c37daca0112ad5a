import { h, Fragment, When } from './parts.js';
import { words, duration } from './i18n.js';
import { Stack } from './stack.js';

const t = words({
  'claimed': '已认领',
  'by': '由',
  'held back until': '暂缓至',
  'scheduled for': '定时于',
  'next attempt': '下次尝试',
  'cloned from': '克隆自',
  'redelivery of': '重新投递自',
});

/** What happened to an event so far, and what happens next. */
export function Timeline({ event, attempts, error, headers }) {
  const failures = attempts?.attempts ?? [];
  const next = { scheduled: 'scheduled for', held: 'held back until', retry: 'next attempt' }[event.state];
  const again = headers['outbox-redelivery-of'];
  const from = again ?? headers['outbox-cloned-from'];
  return h(
    Fragment,
    null,
    attempts && !attempts.recorded && error
      ? h('p', { class: 'label' }, t('This application does not record attempts; only the last error is known.'))
      : null,
    h(
      'ol',
      { class: 'timeline' },
      h(
        Step,
        { cls: 'new', title: t('written'), at: event.createdAt },
        from ? [t(again ? 'redelivery of' : 'cloned from'), ' ', h('code', null, from)] : null,
      ),
      failures.map((attempt) => h(Attempt, { attempt, key: attempt.number + attempt.at })),
      attempts && !failures.length && error ? h(LastError, { error }) : null,
      event.lockedBy
        ? h(Step, { cls: 'new', title: t('claimed') }, t('by'), ' ', h('code', null, event.lockedBy))
        : null,
      next && !event.lockedBy ? h(Step, { cls: event.state, title: t(next), at: event.availableAt }) : null,
      event.parked ? h(Step, { cls: 'dead', title: t('parked') }) : null,
      event.state === 'done' ? h(Step, { cls: 'done', title: t('delivered'), at: event.doneAt }) : null,
    ),
  );
}

const Step = ({ cls, title, at, children }) =>
  h(
    'li',
    { class: cls },
    h('b', null, title),
    ' ',
    at ? h('span', { class: 'label' }, h(When, { at, full: true })) : null,
    ' ',
    children,
  );

const Attempt = ({ attempt }) =>
  h(
    'li',
    { class: attempt.dead ? 'dead' : 'retry' },
    h('b', null, `#${attempt.number} `, attempt.errorClass.split('.').pop()),
    ' ',
    h(
      'span',
      { class: 'label' },
      h(When, { at: attempt.at, full: true }),
      attempt.durationMicros !== null ? ' · ' + duration(attempt.durationMicros / 1e6) : '',
      attempt.node ? [' · ', h('span', { class: 'nowrap' }, attempt.node)] : '',
      ' · ',
      t(attempt.dead ? 'dead letter' : 'will be retried'),
    ),
    h('div', { class: 'wrap' }, message(attempt)),
    h('details', null, h('summary', null, t('stack trace')), h(Stack, { trace: attempt.error })),
  );

/** The first line without the class, which is shown before it. */
const message = ({ error, errorClass }) => {
  const line = error.split('\n')[0];
  return line.startsWith(errorClass + ': ') ? line.slice(errorClass.length + 2) : line;
};

const LastError = ({ error }) =>
  h(
    'li',
    { class: 'failed' },
    h('b', null, t('Last error')),
    h('div', { class: 'wrap' }, error.split('\n')[0]),
    h('details', null, h('summary', null, t('stack trace')), h(Stack, { trace: error })),
  );
