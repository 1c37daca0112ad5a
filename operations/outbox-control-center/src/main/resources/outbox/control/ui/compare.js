import { h, useState, Dialog, Note, useLoad } from './parts.js';
import { get, app as path } from './api.js';
import { words } from './i18n.js';
import { flatten } from './exactjson.js';
import { readable } from './payload.js';

const t = words({
  'Compare': '比较',
  'Compare with another event': '与另一个事件比较',
  'Only differences': '仅显示差异',
  'Field': '字段',
  'This event': '本事件',
  'Other event': '另一事件',
  'Choose an event of the same aggregate, or enter an id': '选择同一聚合的事件，或输入 ID',
  'No differences.': '没有差异。',
  'Compare payloads too': '同时比较消息体',
});

const FIELDS = [
  'type',
  'aggregateType',
  'aggregateId',
  'tenant',
  'state',
  'attempts',
  'createdAt',
  'availableAt',
  'doneAt',
  'error',
];

/** The values of an event by name, in the order they are shown: [[name, text]]. */
export function facts(detail, payload) {
  const tree = payload === undefined ? null : readable(payload);
  return [
    ...FIELDS.map((name) => [name, detail.event[name]]),
    ['payloadBytes', detail.payloadBytes],
    ...Object.entries(detail.headers).map(([name, value]) => ['header ' + name, value]),
    ...(tree ? flatten(tree).map(([name, value]) => ['payload ' + name, value]) : []),
  ]
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => [name, String(value)]);
}

/** Both sides by name: [{ name, left, right, same }]. */
export function differences(left, right) {
  const other = new Map(right);
  const names = [
    ...left.map(([name]) => name),
    ...right.map(([name]) => name).filter((n) => !left.some(([l]) => l === n)),
  ];
  const mine = new Map(left);
  return names.map((name) => ({
    name,
    left: mine.get(name),
    right: other.get(name),
    same: mine.get(name) === other.get(name),
  }));
}

export function Compare({ app, detail, candidates, payloads, onClose }) {
  const [id, setId] = useState(candidates[0]?.id ?? '');
  const [all, setAll] = useState(false);
  const [deep, setDeep] = useState(false);
  const event = (one) => `${path(app)}/events/${encodeURIComponent(one)}`;
  const mine = useLoad(
    (signal) => (deep ? get(event(detail.event.id) + '/payload', signal) : Promise.resolve(null)),
    'm' + deep,
  );
  const other = useLoad(
    async (signal) =>
      id
        ? { detail: await get(event(id), signal), payload: deep ? await get(event(id) + '/payload', signal) : null }
        : null,
    id + deep,
  );
  const rows = other.value
    ? differences(facts(detail, mine.value?.payload), facts(other.value.detail, other.value.payload?.payload))
    : [];
  const shown = rows.filter((row) => all || !row.same);
  return h(
    Dialog,
    { label: t('Compare with another event'), onClose, wide: true },
    h('h2', null, t('Compare with another event')),
    h(
      'div',
      { class: 'stack' },
      h(
        'label',
        null,
        t('Choose an event of the same aggregate, or enter an id'),
        h('input', { list: 'same-aggregate', value: id, onChange: (e) => setId(e.target.value.trim()) }),
        h(
          'datalist',
          { id: 'same-aggregate' },
          candidates.map((one) => h('option', { value: one.id }, one.type)),
        ),
      ),
      h(
        'div',
        { class: 'row' },
        h(
          'label',
          { class: 'check' },
          h('input', { type: 'checkbox', checked: !all, onChange: (e) => setAll(!e.target.checked) }),
          t('Only differences'),
        ),
        payloads
          ? h(
              'label',
              { class: 'check', title: t('Viewing the payload is recorded in the audit log.') },
              h('input', { type: 'checkbox', checked: deep, onChange: (e) => setDeep(e.target.checked) }),
              t('Compare payloads too'),
            )
          : null,
      ),
    ),
    other.error ? h(Note, { kind: 'bad' }, other.error.message) : null,
    other.value && !shown.length ? h('div', { class: 'empty small' }, t('No differences.')) : null,
    shown.length
      ? h(
          'div',
          { class: 'scroll compare' },
          h(
            'table',
            { class: 'table still dense' },
            h(
              'thead',
              null,
              h(
                'tr',
                null,
                ['Field', 'This event', 'Other event'].map((name) => h('th', { scope: 'col' }, t(name))),
              ),
            ),
            h(
              'tbody',
              null,
              shown.map((row) =>
                h(
                  'tr',
                  { key: row.name, class: row.same ? '' : 'differs' },
                  h('td', null, h('code', null, row.name)),
                  h('td', { class: 'wrap' }, row.left ?? '–'),
                  h('td', { class: 'wrap' }, row.right ?? '–'),
                ),
              ),
            ),
          ),
        )
      : null,
    h('div', { class: 'row' }, h('button', { type: 'button', onClick: onClose }, t('Close'))),
  );
}
