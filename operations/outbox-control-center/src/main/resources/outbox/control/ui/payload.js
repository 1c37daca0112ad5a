import { h, Fragment, useState, Note } from './parts.js';
import { get } from './api.js';
import { words, number } from './i18n.js';
import { Icon } from './icons.js';
import { parseExact, printExact } from './exactjson.js';

const t = words({
  Copy: '复制',
  entries: '项',
});

const FOLDED_ABOVE = 50;

/** The payload, shown on request, because viewing it is recorded. */
export function Payload({ base, allowed, toast }) {
  const [shown, show] = useState(null);
  const [raw, setRaw] = useState(false);
  const load = () =>
    get(base + '/payload').then(
      (value) => show({ value }),
      (error) => show({ error }),
    );
  let body;
  if (!allowed) body = h('span', { class: 'label' }, t('You are not allowed to read payloads.'));
  else if (!shown)
    body = h(
      Fragment,
      null,
      h('button', { type: 'button', onClick: load }, t('Show the payload')),
      ' ',
      h('span', { class: 'label' }, t('Viewing the payload is recorded in the audit log.')),
    );
  else if (shown.error) body = h(Note, { kind: 'bad' }, shown.error.message);
  else body = h(Content, { text: shown.value.payload, raw, setRaw, toast });
  return h('section', { class: 'card' }, h('h2', null, t('Payload')), body);
}

function Content({ text, raw, setRaw, toast }) {
  const tree = readable(text);
  const copied = raw || !tree ? text : printExact(tree);
  return h(
    Fragment,
    null,
    h(
      'div',
      { class: 'filters' },
      h(
        'div',
        { class: 'segmented' },
        [
          [false, 'Tree'],
          [true, 'Raw'],
        ].map(([value, label]) =>
          h(
            'button',
            { 'type': 'button', 'aria-pressed': String(raw === value), 'onClick': () => setRaw(value) },
            t(label),
          ),
        ),
      ),
      h(
        'button',
        {
          type: 'button',
          class: 'quiet',
          onClick: () => navigator.clipboard.writeText(copied).then(() => toast(t('Copied.'))),
        },
        h(Icon, { name: 'copy' }),
        t('Copy'),
      ),
    ),
    raw || !tree
      ? h('pre', { tabindex: 0 }, text)
      : h('div', { class: 'tree', tabindex: 0 }, h('ul', null, h(Node, { node: tree }))),
  );
}

/** The tree of a JSON text; null for other texts. */
export function readable(text) {
  try {
    return parseExact(text);
  } catch {
    return null;
  }
}

/** One value. Objects and arrays fold; long ones are folded at first. */
function Node({ name, node }) {
  const key = name === undefined ? null : h('span', { class: 'k' }, name, ': ');
  const children =
    node.kind === 'object' ? node.entries : node.kind === 'array' ? node.items.map((v, i) => [i, v]) : [];
  const [open, close] = node.kind === 'array' ? ['[', ']'] : ['{', '}'];
  if (children.length)
    return h(
      'li',
      null,
      h(
        'details',
        { open: children.length <= FOLDED_ABOVE },
        h(
          'summary',
          null,
          key,
          open,
          h('span', { class: 'folded' }, `… ${number(children.length)} ${t('entries')} `, close),
        ),
        h(
          'ul',
          null,
          children.map(([k, v]) => h(Node, { name: k, node: v })),
        ),
        close,
      ),
    );
  return h(
    'li',
    null,
    key,
    node.kind === 'object' || node.kind === 'array'
      ? open + close
      : h('span', { class: node.kind === 'string' ? 's' : 'v' }, printExact(node)),
  );
}
