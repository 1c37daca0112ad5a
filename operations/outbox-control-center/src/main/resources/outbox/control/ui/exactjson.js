// JSON that keeps numbers as they were written: JSON.parse would turn 12345678901234567890 into 12345678901234567000.

/**
 * A tree of { kind: 'object', entries: [[name, node]] }, { kind: 'array', items: [node] }, { kind: 'string', value },
 * { kind: 'number', text } and { kind: 'word', text } for true, false and null. Throws a SyntaxError for other texts.
 */
export function parseExact(text) {
  let at = 0;
  const fail = () => {
    throw new SyntaxError('no JSON at ' + at);
  };
  const blank = () => {
    while (at < text.length && ' \t\r\n'.includes(text[at])) at++;
  };
  const take = (pattern) => {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (!match) fail();
    at += match[0].length;
    return match[0];
  };
  const list = (end, one) => {
    const found = [];
    at++;
    blank();
    if (text[at] === end) {
      at++;
      return found;
    }
    for (;;) {
      found.push(one());
      blank();
      const next = text[at++];
      if (next === end) return found;
      if (next !== ',') fail();
      blank();
    }
  };
  const string = () => JSON.parse(take(/"(?:[^"\\]|\\.)*"/y));
  const entry = () => {
    const name = string();
    blank();
    if (text[at++] !== ':') fail();
    return [name, value()];
  };
  const value = () => {
    blank();
    if (text[at] === '{') return { kind: 'object', entries: list('}', entry) };
    if (text[at] === '[') return { kind: 'array', items: list(']', value) };
    if (text[at] === '"') return { kind: 'string', value: string() };
    if (/[-\d]/.test(text[at] ?? '')) return { kind: 'number', text: take(/-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/y) };
    return { kind: 'word', text: take(/true|false|null/y) };
  };
  const tree = value();
  blank();
  if (at < text.length) fail();
  return tree;
}

/** Indented text; numbers as they were written. */
export function printExact(node, indent = '') {
  const deeper = indent + '  ';
  const block = (open, close, lines) =>
    lines.length ? `${open}\n${deeper}${lines.join(`,\n${deeper}`)}\n${indent}${close}` : open + close;
  if (node.kind === 'object')
    return block(
      '{',
      '}',
      node.entries.map(([name, one]) => `${JSON.stringify(name)}: ${printExact(one, deeper)}`),
    );
  if (node.kind === 'array')
    return block(
      '[',
      ']',
      node.items.map((one) => printExact(one, deeper)),
    );
  return node.kind === 'string' ? JSON.stringify(node.value) : node.text;
}

/** Every value with its path, such as lines[0].price: [[path, text]]. */
export function flatten(node, path = '') {
  if (node.kind === 'object' && node.entries.length)
    return node.entries.flatMap(([name, one]) => flatten(one, path ? `${path}.${name}` : name));
  if (node.kind === 'array' && node.items.length) return node.items.flatMap((one, i) => flatten(one, `${path}[${i}]`));
  return [[path || '$', printExact(node)]];
}
