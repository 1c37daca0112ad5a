import { h, Badge, When, useState } from './parts.js';
import { words } from './i18n.js';
import { Icon } from './icons.js';

const t = words({
  'Columns': '列',
  'Tenant': '租户',
  'Event id': '事件 ID',
  'Due': '到期时间',
  'Done': '完成时间',
  'Node': '节点',
  'Select': '选择',
  'Select all on this page': '选择本页全部',
});

const KEY = 'outbox.columns';
const none = () => h('span', { class: 'label none' }, '–');

/** All columns of the list; `cell` renders one event. */
const COLUMNS = [
  { id: 'state', label: 'State', cell: (event) => h(Badge, event) },
  {
    id: 'type',
    label: 'Type',
    cell: (event, { href }) => h('a', { href: href(event), onClick: (e) => e.stopPropagation() }, event.type),
  },
  {
    id: 'aggregate',
    label: 'Aggregate',
    cell: (event) =>
      event.aggregateId
        ? h(
            'span',
            { class: 'clipped', title: `${event.aggregateType ?? ''} ${event.aggregateId}` },
            h('span', { class: 'label' }, event.aggregateType, ' '),
            h('code', null, event.aggregateId),
          )
        : none(),
  },
  { id: 'tenant', label: 'Tenant', cell: (event) => event.tenant ?? none() },
  { id: 'created', label: 'Created', cell: (event) => h(When, { at: event.createdAt }) },
  { id: 'due', label: 'Due', cell: (event) => (event.doneAt ? none() : h(When, { at: event.availableAt })) },
  { id: 'done', label: 'Done', cell: (event) => h(When, { at: event.doneAt }) },
  { id: 'attempts', label: 'Attempts', number: true, cell: (event) => event.attempts },
  { id: 'node', label: 'Node', cell: (event) => (event.lockedBy ? h('code', null, event.lockedBy) : none()) },
  { id: 'id', label: 'Event id', cell: (event) => h('code', null, event.id) },
  {
    id: 'error',
    label: 'Error',
    rest: true,
    cell: (event) => h('div', { class: 'error', title: event.error ?? '' }, short(event.error ?? '')),
  },
];
const DEFAULT = ['state', 'type', 'aggregate', 'tenant', 'created', 'attempts', 'error'];

/** The chosen columns, kept in the browser: [ids, set]. */
export function useColumns() {
  const [chosen, set] = useState(() => {
    const stored = (localStorage.getItem(KEY) ?? '').split(',').filter((id) => COLUMNS.some((c) => c.id === id));
    return stored.length ? stored : DEFAULT;
  });
  return [
    chosen,
    (ids) => {
      localStorage.setItem(KEY, ids.join(','));
      set(ids);
    },
  ];
}

/** A menu with a check box for each column. */
export const ColumnMenu = ({ chosen, onChange }) =>
  h(
    'details',
    { class: 'menu-button' },
    h('summary', { class: 'button', title: t('Columns') }, h(Icon, { name: 'columns' }), t('Columns')),
    h(
      'div',
      { class: 'popover stack' },
      COLUMNS.map((column) =>
        h(
          'label',
          { class: 'check', key: column.id },
          h('input', {
            type: 'checkbox',
            checked: chosen.includes(column.id),
            disabled: column.id === 'type',
            onChange: (e) =>
              onChange(
                COLUMNS.map((c) => c.id).filter((id) => (id === column.id ? e.target.checked : chosen.includes(id))),
              ),
          }),
          t(column.label),
        ),
      ),
    ),
  );

/** One line per event. picked: a Set of ids; here: the index of the row under the keyboard. */
export function EventTable({ rows, columns, href, open, here, picked, onPick, onPickAll }) {
  const shown = COLUMNS.filter((column) => columns.includes(column.id));
  const everyOne = rows.length > 0 && rows.every((event) => picked.has(event.id));
  return h(
    'table',
    { class: 'table cards dense' },
    h(
      'thead',
      null,
      h(
        'tr',
        null,
        onPick
          ? h(
              'th',
              { scope: 'col', class: 'pick' },
              h('input', {
                'type': 'checkbox',
                'aria-label': t('Select all on this page'),
                'checked': everyOne,
                'onChange': () => onPickAll(!everyOne),
              }),
            )
          : null,
        shown.map((column) =>
          h('th', { scope: 'col', key: column.id, class: column.number ? 'num' : '' }, t(column.label)),
        ),
      ),
    ),
    h(
      'tbody',
      null,
      rows.map((event, i) =>
        h(
          'tr',
          {
            key: event.id,
            class: (i === here ? 'here' : '') + (picked.has(event.id) ? ' picked' : ''),
            onClick: () => open(event),
          },
          onPick
            ? h(
                'td',
                { class: 'pick', onClick: (e) => e.stopPropagation() },
                h('input', {
                  'type': 'checkbox',
                  'aria-label': t('Select') + ' ' + event.id,
                  'checked': picked.has(event.id),
                  'onChange': () => onPick(event.id),
                }),
              )
            : null,
          shown.map((column) =>
            h(
              'td',
              {
                'key': column.id,
                'class': column.rest ? 'rest' : column.number ? 'num' : '',
                'data-label': t(column.label),
              },
              column.cell(event, { href }),
            ),
          ),
        ),
      ),
    ),
  );
}

/** Removes the package name, so that more of the message is visible. */
const short = (error) => error.replace(/^([a-z_][\w$]*\.)+(?=[A-Z])/, '');
