import { h } from './parts.js';

/**
 * A table; on a phone each row is a card, with the name of the column beside each value. t translates the names.
 * columns: [{ name, cell: (row) => content, title, num, rest, wide, action }]. A title has no name beside it, an
 * action has none above it either. With `open`, a click on a row calls it.
 */
export const Table = ({ t, columns, rows, id, open }) =>
  h(
    'table',
    { class: 'table cards' + (open ? '' : ' still') },
    h(
      'thead',
      null,
      h(
        'tr',
        null,
        columns.map(({ name, num, action }) =>
          h(
            'th',
            { scope: 'col', class: num ? 'num' : '' },
            action ? h('span', { class: 'visually-hidden' }, t(name)) : t(name),
          ),
        ),
      ),
    ),
    h(
      'tbody',
      null,
      rows.map((row) =>
        h(
          'tr',
          { key: id(row), onClick: open ? () => open(row) : undefined },
          columns.map((column) => h(Cell, { ...column, t, row })),
        ),
      ),
    ),
  );

function Cell({ t, name, cell, title, num, rest, wide, action, row }) {
  const kinds = { name: title, num, rest, wide, action };
  return h(
    'td',
    {
      'class': Object.keys(kinds)
        .filter((kind) => kinds[kind])
        .join(' '),
      'data-label': title || action ? undefined : t(name),
    },
    h('div', { class: 'cell' }, cell(row)),
  );
}
