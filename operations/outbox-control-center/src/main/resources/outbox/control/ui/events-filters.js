import { h } from './parts.js';
import { app as path } from './api.js';
import { words, number } from './i18n.js';
import { Icon } from './icons.js';

const t = words({
  'older than an hour': '早于 1 小时',
  'older than a day': '早于 1 天',
  'Export': '导出',
  'at most 10,000 events, without payloads; recorded in the audit log': '最多 10,000 个事件，不含消息体；记入审计日志',
});

const AGES = [
  ['', 'any time'],
  ['from=PT15M', 'last 15 minutes'],
  ['from=PT1H', 'last hour'],
  ['from=P1D', 'last day'],
  ['from=P7D', 'last week'],
  ['to=PT1H', 'older than an hour'],
  ['to=P1D', 'older than a day'],
];
const STATES = [
  ['', 'All'],
  ['new', 'New', 'fresh'],
  ['scheduled', 'Scheduled', 'scheduled'],
  ['held', 'Held back', 'heldBack'],
  ['retry', 'Retrying', 'retry'],
  ['dead', 'Dead', 'dead'],
  ['done', 'Delivered', 'done'],
];
/** The parameters of the URL that are filters. */
export const FILTERS = ['state', 'id', 'type', 'aggregateType', 'aggregateId', 'tenant', 'error', 'from', 'to'];

/**
 * The states with the number of their events; without other filters only, because the numbers are of
 * the whole table.
 */
export function StateTabs({ query, counts, onChange }) {
  const whole = counts && !FILTERS.some((name) => name !== 'state' && query.get(name));
  return h(
    'div',
    { 'class': 'tabs', 'role': 'group', 'aria-label': t('State') },
    STATES.map(([state, label, field]) =>
      h(
        'button',
        {
          'type': 'button',
          'key': state,
          'aria-pressed': String((query.get('state') ?? '') === state),
          'onClick': () => onChange(state),
        },
        t(label),
        field && whole
          ? h(
              'span',
              { 'class': 'count ' + (counts[field] ? state : ''), 'aria-hidden': 'true' },
              number(counts[field]),
            )
          : null,
      ),
    ),
  );
}

export const TypeField = ({ query, onChange }) =>
  h('input', {
    'key': 'type' + (query.get('type') ?? ''),
    'type': 'search',
    'placeholder': t('Type'),
    'aria-label': t('Type'),
    'defaultValue': query.get('type') ?? '',
    'onChange': (e) => onChange(e.target.value.trim()),
  });

export function AgeField({ query, onChange }) {
  const age = query.get('from') ? 'from=' + query.get('from') : query.get('to') ? 'to=' + query.get('to') : '';
  return h(
    'select',
    { 'aria-label': t('Age'), 'value': age, 'onChange': (e) => onChange(e.target.value) },
    AGES.map(([value, label]) => h('option', { value }, t(label))),
    AGES.some(([value]) => value === age) ? null : h('option', { value: age }, age),
  );
}

export function ExportMenu({ app, query }) {
  const href = (format) => `api/v1${path(app)}/export?${new URLSearchParams([...query, ['format', format]])}`;
  return h(
    'details',
    { class: 'menu-button' },
    h('summary', { class: 'button' }, h(Icon, { name: 'download' }), t('Export')),
    h(
      'div',
      { class: 'popover stack' },
      h('a', { href: href('ndjson'), download: `${app}.ndjson` }, 'NDJSON'),
      h('a', { href: href('csv'), download: `${app}.csv` }, 'CSV'),
      h('span', { class: 'label' }, t('at most 10,000 events, without payloads; recorded in the audit log')),
    ),
  );
}
