// The text form of an event filter, as typed into the query bar: state:dead type:Order* error:"timed out" from:1h
// Pure functions; the filter itself is the URL's query.

/** The keys of the query bar, and the parameters of the API they stand for. */
export const KEYS = {
  state: 'state',
  type: 'type',
  key: 'aggregateId',
  aggregate: 'aggregateType',
  tenant: 'tenant',
  error: 'error',
  id: 'id',
  from: 'from',
  to: 'to',
};
export const STATE_NAMES = ['new', 'scheduled', 'held', 'retry', 'dead', 'done'];
const AGES = ['15m', '1h', '6h', '1d', '7d', '30d'];
const ALIASES = { aggregateid: 'key', aggregatetype: 'aggregate', since: 'from', until: 'to' };
const PARAMETERS = Object.fromEntries(Object.entries(KEYS).map(([key, name]) => [name, key]));

/** Splits at blanks that are not in quotes: [{ text, start, end }]. */
export function tokens(text) {
  const found = [];
  const pattern = /(?:[^\s"]|"(?:[^"\\]|\\.)*"?)+/g;
  for (let match = pattern.exec(text); match; match = pattern.exec(text))
    found.push({ text: match[0], start: match.index, end: match.index + match[0].length });
  return found;
}

const unquoted = (value) => (value.startsWith('"') ? value.replace(/^"|"$/g, '').replace(/\\(.)/g, '$1') : value);
const quoted = (value) => (/[\s"]/.test(value) ? '"' + value.replace(/(["\\])/g, '\\$1') + '"' : value);

/** An age such as 15m or 7d as ISO 8601; other values as they are. */
export function isoAge(value) {
  const age = /^(\d+)(s|m|h|d|w)$/.exec(value);
  if (!age) return value;
  const [, n, unit] = age;
  if (unit === 'w') return `P${n * 7}D`;
  return unit === 'd' ? `P${n}D` : `PT${n}${unit.toUpperCase()}`;
}

const shortAge = (value) => {
  const age = /^P(?:T(\d+)([SMH])|(\d+)D)$/.exec(value);
  if (!age) return value;
  return age[3] ? `${age[3]}d` : age[1] + age[2].toLowerCase();
};

/** A word without a key: an event id, the id of an aggregate, or the beginning of a type. */
function bare(word) {
  if (/^[0-9A-HJKMNP-TV-Z]{26}$/.test(word) || /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(word))
    return ['id', word];
  if (/^01[0-9A-HJKMNP-TV-Z]{6,}$/.test(word)) return ['id', word + '*'];
  if (/\d/.test(word)) return ['aggregateId', word];
  return ['type', word.endsWith('*') ? word : word + '*'];
}

/** The parameters of the API for a typed text, and the keys it does not know: { params, unknown }. */
export function parse(text) {
  const params = {};
  const unknown = [];
  for (const { text: token } of tokens(text)) {
    const colon = token.indexOf(':');
    if (colon <= 0) {
      const [name, value] = bare(unquoted(token));
      params[name] = value;
      continue;
    }
    const typed = token.slice(0, colon).toLowerCase();
    const name = KEYS[ALIASES[typed] ?? typed];
    const value = unquoted(token.slice(colon + 1));
    if (!name) unknown.push(token.slice(0, colon));
    else if (value) params[name] = name === 'from' || name === 'to' ? isoAge(value) : value;
  }
  return { params, unknown };
}

/** The text for the parameters of a URL; parameters that are not filters are left out. */
export function format(params) {
  return [...params]
    .filter(([name, value]) => PARAMETERS[name] && value)
    .map(([name, value]) => `${PARAMETERS[name]}:${quoted(name === 'from' || name === 'to' ? shortAge(value) : value)}`)
    .join(' ');
}

/**
 * What can be typed next at this position: [{ text, label }] where text replaces the token at the cursor.
 * known: { types, aggregateTypes, tenants } of recent events.
 */
export function complete(text, cursor, known) {
  const here = tokens(text).find((token) => token.start < cursor && cursor <= token.end);
  const typed = here ? text.slice(here.start, cursor) : '';
  const colon = typed.indexOf(':');
  if (colon < 0) {
    const start = typed.toLowerCase();
    const keys = Object.keys(KEYS).filter((key) => key.startsWith(start));
    const types = start ? known.types.filter((type) => type.toLowerCase().includes(start)) : [];
    return [
      ...keys.map((key) => ({ text: key + ':', label: key + ':' })),
      ...types.map((type) => ({ text: 'type:' + quoted(type), label: 'type:' + type })),
    ].slice(0, 9);
  }
  const key = typed.slice(0, colon).toLowerCase();
  const start = typed.slice(colon + 1).toLowerCase();
  const values =
    {
      state: STATE_NAMES,
      type: known.types,
      aggregate: known.aggregateTypes,
      tenant: known.tenants,
      from: AGES,
      to: AGES,
    }[ALIASES[key] ?? key] ?? [];
  return values
    .filter((value) => value.toLowerCase().includes(start) && value.toLowerCase() !== start)
    .slice(0, 9)
    .map((value) => ({ text: `${key}:${quoted(value)}`, label: value }));
}

/** The text with the token at the cursor replaced: { text, cursor }. A key is left open for its value. */
export function accept(text, cursor, choice) {
  const here = tokens(text).find((token) => token.start < cursor && cursor <= token.end);
  const before = text.slice(0, here ? here.start : cursor);
  const after = text.slice(here ? here.end : cursor).trimStart();
  const filled = choice.text.endsWith(':') ? choice.text : choice.text + ' ';
  return { text: before + filled + after, cursor: (before + filled).length };
}
