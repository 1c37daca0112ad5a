import { h, useEffect, useRef, useState, useLoad } from './parts.js';
import { get, app as path } from './api.js';
import { words } from './i18n.js';
import { Icon } from './icons.js';
import { accept, complete, format, parse } from './query.js';

const t = words({
  'Search events': '搜索事件',
  'Suggestions': '建议',
  'state:dead type:Order* key:order-1 error:"timed out" from:1h':
    'state:dead type:Order* key:order-1 error:"timed out" from:1h',
  'Unknown key': '未知的键',
});

const NOTHING = { types: [], aggregateTypes: [], tenants: [] };

/** One text for the whole filter, with completion of keys and of values that recent events have. */
export function QueryBar({ app, query, onChange, input }) {
  const shown = format(query);
  const [text, setText] = useState(shown);
  const [cursor, setCursor] = useState(0);
  const [open, setOpen] = useState(false);
  const [at, setAt] = useState(-1);
  const [problem, setProblem] = useState(null);
  const caret = useRef(null); // where the caret goes after a completion
  const known = useLoad((signal) => get(`${path(app)}/suggestions`, signal), app).value ?? NOTHING;
  useEffect(() => {
    setText(shown);
    setProblem(null);
  }, [shown]);
  useEffect(() => {
    if (caret.current === null) return;
    input.current.setSelectionRange(caret.current, caret.current);
    caret.current = null;
  }, [text]);
  const choices = open ? complete(text, cursor, known) : [];
  const run = (wanted) => {
    const { params, unknown } = parse(wanted);
    setOpen(false);
    if (unknown.length) {
      setProblem(`${t('Unknown key')}: ${unknown.join(', ')}`);
      return;
    }
    setProblem(null);
    onChange(params);
  };
  const choose = (choice, typedText = text, typedAt = cursor) => {
    const next = accept(typedText, typedAt, choice);
    caret.current = next.cursor;
    setText(next.text);
    setCursor(next.cursor);
    setAt(-1);
    setOpen(true);
    input.current.focus();
  };
  const typed = (e) => {
    caret.current = null; // whoever types faster than it is drawn has put it where it belongs
    setText(e.target.value);
    setCursor(e.target.selectionStart ?? e.target.value.length);
    setOpen(true);
    setAt(-1);
  };
  // A key may come before the last one is drawn: what counts is what the field contains.
  const pressed = (e) => {
    const { value, selectionStart } = e.target;
    const drawn = value === text;
    const choices = open || !drawn ? complete(value, selectionStart, known) : [];
    const picked = drawn ? at : -1;
    if (e.key === 'ArrowDown' && choices.length) setAt((n) => (n + 1) % choices.length);
    else if (e.key === 'ArrowUp' && choices.length) setAt((n) => (n <= 0 ? choices.length - 1 : n - 1));
    else if (e.key === 'Tab' && choices.length && !e.shiftKey)
      choose(choices[Math.max(picked, 0)], value, selectionStart);
    else if (e.key === 'Enter') {
      if (picked >= 0 && choices[picked]) choose(choices[picked], value, selectionStart);
      else run(value);
    } else if (e.key === 'Escape') {
      if (open) setOpen(false);
      else e.target.blur();
    } else return;
    e.preventDefault();
  };
  return h(
    'div',
    { class: 'querybar', role: 'search' },
    h(Icon, { name: 'search' }),
    h('input', {
      'ref': input,
      'type': 'text',
      'role': 'combobox',
      'aria-label': t('Search events'),
      'aria-expanded': String(choices.length > 0),
      'aria-controls': 'query-choices',
      'aria-autocomplete': 'list',
      'aria-activedescendant': at >= 0 && choices[at] ? 'query-choice-' + at : undefined,
      'aria-invalid': problem ? 'true' : undefined,
      'autocomplete': 'off',
      'spellcheck': false,
      'placeholder': t('state:dead type:Order* key:order-1 error:"timed out" from:1h'),
      'value': text,
      'onInput': typed,
      'onKeyDown': pressed,
      'onClick': (e) => {
        setCursor(e.target.selectionStart);
        setOpen(true);
      },
      'onBlur': () => setOpen(false),
    }),
    h(
      'ul',
      { 'id': 'query-choices', 'role': 'listbox', 'aria-label': t('Suggestions'), 'hidden': !choices.length },
      choices.map((choice, i) =>
        h(
          'li',
          {
            'id': 'query-choice-' + i,
            'role': 'option',
            'aria-selected': String(i === at),
            'onMouseDown': (e) => {
              e.preventDefault();
              choose(choice);
            },
          },
          choice.label,
        ),
      ),
    ),
    problem ? h('span', { class: 'bad problem', role: 'alert' }, problem) : null,
  );
}
