import { h, Fragment, useLayoutEffect, useState, Badge, When, Note, Dialog, Top, useLoad, keys } from './parts.js';
import { get, post, del, app as path } from './api.js';
import { t, words, time, number, duration } from './i18n.js';
import { Clone } from './clone.js';

words({ 'Handler': '处理器', 'Next attempt': '下次尝试', 'What each handler did': '各处理器的状态', 'Written as a new event.': '已写入新事件。', 'It waits until these are delivered, skipped or parked.': '要等它们被投递、跳过或搁置。' });

const WORDS = {
  retry: ['Retry', 'Retry this event?', 'It will be delivered again as soon as possible.'],
  skip: ['Skip', 'Skip this event?', 'It is marked as delivered without being delivered.'],
  park: ['Park', 'Park this event?', 'It is set aside as dead; events behind it are delivered.'],
  delete: ['Delete', 'Delete this event?', 'The row is deleted. This cannot be undone.'],
};
const possible = (event, rights) => (event.lockedBy ? [] : rights.log && event.state === 'new' ? ['delete'] : { new: ['skip', 'park', 'delete'], retry: ['retry', 'skip', 'park', 'delete'], dead: event.parked ? ['retry', 'skip', 'delete'] : ['retry', 'skip', 'park', 'delete'], done: ['delete'] }[event.state]);

export function Event({ app, id, rights, session, toast, go }) {
  const base = `${path(app)}/events/${encodeURIComponent(id)}`;
  const detail = useLoad((signal) => get(base, signal), base);
  const attempts = useLoad((signal) => get(base + '/attempts', signal), base);
  const neighbours = useLoad((signal) => get(base + '/neighbours', signal), base);
  const handlers = useLoad((signal) => get(base + '/handlers', signal), base);
  const [asking, ask] = useState(null);
  const [cloning, clone] = useState(false);
  const event = detail.value?.event;

  // At once: who sees the event may type.
  useLayoutEffect(() => keys({ r: () => { if (event && rights.act && possible(event, rights).includes('retry')) ask('retry'); } }), [event, rights.act]);

  const act = async (action, reason) => {
    ask(null);
    try {
      if (action === 'delete') await del(base, { reason }); else await post(`${base}/${action}`, { reason });
      toast(t('Done: ' + action));
      if (action === 'delete') go(`#/${encodeURIComponent(app)}/events`); else { detail.reload(); neighbours.reload(); }
    } catch (error) { toast(error.message); detail.reload(); }
  };
  const curl = () => {
    const url = new URL('api/v1' + base, document.baseURI);
    navigator.clipboard.writeText(`curl -H "Authorization: Bearer $OUTBOX_TOKEN" '${url.href.replaceAll("'", "%27")}'`).then(() => toast(t('Copied.')));
  };
  if (detail.error) return h(Fragment, null, h(Top, { title: t('Event') }), h(Note, { kind: 'bad' }, detail.error.message));
  if (!event) return h(Fragment, null, h(Top, { title: t('Event') }), h('div', { class: 'empty', 'aria-busy': 'true' }, t('Loading…')));
  const trace = /^[0-9a-f]{2}-([0-9a-f]{32})-/.exec(detail.value.headers.traceparent ?? '')?.[1];
  return h(Fragment, null,
    h('div', { class: 'top' }, h('h1', null, event.type), h(Badge, event), rights.log && event.state === 'new' ? h('span', { class: 'label' }, t('delivered from the database’s log')) : null, h('span', { class: 'grow' }),
      rights.act ? possible(event, rights).map((action) => h('button', { type: 'button', class: action === 'retry' ? 'primary' : action === 'delete' ? 'danger' : '', onClick: () => ask(action) }, t(WORDS[action][0]))) : null,
      rights.act ? h('button', { type: 'button', onClick: () => clone(true) }, t('Clone')) : null,
      h('button', { type: 'button', class: 'quiet', onClick: curl }, t('Copy as curl'))),
    neighbours.value?.blockers.length ? h(Note, null, t('Blocked by'), ' ', neighbours.value.blockers.map((other) => h('a', { href: link(app, other.id) }, other.type + ' ' + other.id + ' ')), h('div', null, t('It waits until these are delivered, skipped or parked.'))) : null,
    h('div', { class: 'grid cols-2' },
      h('section', { class: 'card' }, h('h2', null, t('Facts')), h('dl', { class: 'facts' },
        fact('Event id', h('code', null, event.id)),
        fact('Aggregate', event.aggregateId ? [event.aggregateType, ' ', h('a', { href: `#/${encodeURIComponent(app)}/events?aggregateId=${encodeURIComponent(event.aggregateId)}` }, h('code', null, event.aggregateId))] : '–'),
        event.tenant ? fact('Tenant', event.tenant) : null,
        fact('Created', h(When, { at: event.createdAt })),
        event.doneAt ? fact('Done', h(When, { at: event.doneAt })) : fact('Due', h(When, { at: event.availableAt })),
        fact('Attempts', event.attempts),
        event.lockedBy ? fact('Leased by', h('code', null, event.lockedBy)) : null,
        detail.value.seq !== null ? fact('Sequence', detail.value.seq) : null,
        fact('Size', number(detail.value.payloadBytes) + ' B'),
        trace && session.traceLink ? fact('Trace', h('a', { href: session.traceLink.replace('{traceId}', trace), rel: 'noreferrer', target: '_blank' }, trace)) : null)),
      h('section', { class: 'card' }, h('h2', null, t('Timeline')), h(Timeline, { event, attempts: attempts.value, error: detail.value.error }))),
    h('div', { class: 'grid below' },
      h(Payload, { base, allowed: rights.payloads, key: id }),
      h('section', { class: 'card' }, h('h2', null, t('Headers')),
        Object.keys(detail.value.headers).length ? h('dl', { class: 'facts' }, Object.entries(detail.value.headers).map(([name, value]) => [h('dt', null, h('code', null, name)), h('dd', null, h('code', null, value))])) : h('span', { class: 'label' }, t('none'))),
      handlers.value?.handlers.length ? h('section', { class: 'card scroll' }, h('h2', { class: 'pad' }, t('What each handler did')), h('table', { class: 'table cards' },
        h('thead', null, h('tr', null, ['State', 'Handler', 'Attempts', 'Next attempt', 'Error'].map((name) => h('th', { scope: 'col' }, t(name))))),
        h('tbody', null, handlers.value.handlers.map((one) => h('tr', { key: one.handler }, h('td', null, h(Badge, { state: one.state })), h('td', null, h('code', null, one.handler)), h('td', null, one.attempts),
          h('td', null, one.state === 'retry' ? h(When, { at: one.nextAttemptAt }) : '–'), h('td', null, h('div', { class: 'error', title: one.error ?? '' }, (one.error ?? '').split('\n')[0]))))))) : null,
      event.aggregateId && neighbours.value ? h('section', { class: 'card' }, h('h2', null, t('Same aggregate')), h('ol', { class: 'timeline' },
        [...neighbours.value.before, event, ...neighbours.value.after].map((other) => h('li', { class: other.state },
          other.id === event.id ? h('b', null, other.type, ' ', h('span', { class: 'label' }, t('this event'))) : h('a', { href: link(app, other.id) }, other.type), ' ', h(Badge, other), ' ', h('span', { class: 'label' }, time(other.createdAt)))))) : null),
    cloning ? h(Clone, { base, detail: detail.value, rights, onClose: () => clone(false), onMade: (made) => { clone(false); toast(t('Written as a new event.')); go(link(app, made.id)); } }) : null,
    asking ? h(Confirm, { action: asking, event, onCancel: () => ask(null), onDo: (reason) => act(asking, reason) }) : null);
}

const link = (app, id) => `#/${encodeURIComponent(app)}/events/${encodeURIComponent(id)}`;
const fact = (name, value) => [h('dt', null, t(name)), h('dd', null, value)];

function Timeline({ event, attempts, error }) {
  return h(Fragment, null,
    attempts && !attempts.recorded && error ? h('p', { class: 'label' }, t('This application does not record attempts; only the last error is known.')) : null,
    h('ol', { class: 'timeline' },
      h('li', { class: 'new' }, h('b', null, t('written')), ' ', h('span', { class: 'label' }, time(event.createdAt))),
      (attempts?.attempts ?? []).map((attempt) => h('li', { class: attempt.dead ? 'dead' : 'retry' },
        h('b', null, `#${attempt.number} `, attempt.errorClass.split('.').pop()), ' ', h('span', { class: 'label' }, time(attempt.at),
          attempt.durationMicros !== null ? ' · ' + duration(attempt.durationMicros / 1e6) : '', attempt.node ? ' · ' + attempt.node : '', ' · ', t(attempt.dead ? 'given up' : 'will be retried')),
        h('div', null, attempt.error.split('\n')[0]), h('details', null, h('summary', null, t('stack trace')), h('pre', { tabindex: 0 }, attempt.error)))),
      attempts && !attempts.attempts.length && error ? h('li', { class: 'failed' }, h('b', null, t('Last error')), h('div', null, error.split('\n')[0]), h('details', null, h('summary', null, t('stack trace')), h('pre', { tabindex: 0 }, error))) : null,
      event.state === 'done' ? h('li', { class: 'done' }, h('b', null, t('delivered')), ' ', h('span', { class: 'label' }, time(event.doneAt))) : null));
}

function Payload({ base, allowed }) {
  const [shown, show] = useState(null);
  const [raw, setRaw] = useState(false);
  const load = () => get(base + '/payload').then((value) => show({ value }), (error) => show({ error }));
  let body;
  if (!allowed) body = h('span', { class: 'label' }, t('You may not read payloads.'));
  else if (!shown) body = h(Fragment, null, h('button', { type: 'button', onClick: load }, t('Show the payload')), ' ', h('span', { class: 'label' }, t('Viewing the payload is recorded in the audit log.')));
  else if (shown.error) body = h(Note, { kind: 'bad' }, shown.error.message);
  else {
    let parsed, readable = true;
    try { parsed = JSON.parse(shown.value.payload); } catch { readable = false; }
    body = h(Fragment, null,
      h('div', { class: 'filters' }, [[false, 'Tree'], [true, 'Raw']].map(([value, label]) => h('button', { type: 'button', 'aria-pressed': String(raw === value), onClick: () => setRaw(value) }, t(label)))),
      raw || !readable ? h('pre', { tabindex: 0 }, shown.value.payload) : h('div', { class: 'tree' }, h('ul', null, h(Node, { value: parsed }))));
  }
  return h('section', { class: 'card' }, h('h2', null, t('Payload')), body);
}

function Node({ name, value }) {
  const key = name === undefined ? null : h('span', { class: 'k' }, name, ': ');
  if (value !== null && typeof value === 'object') {
    const entries = Object.entries(value);
    const brackets = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
    return h('li', null, key, brackets[0], entries.length ? h('ul', null, entries.map(([k, v]) => h(Node, { name: k, value: v }))) : null, brackets[1]);
  }
  return h('li', null, key, h('span', { class: typeof value === 'string' ? 's' : 'v' }, JSON.stringify(value)));
}

function Confirm({ action, event, onCancel, onDo }) {
  const [reason, setReason] = useState('');
  return h(Dialog, { label: t(WORDS[action][1]), onClose: onCancel },
    h('h2', null, t(WORDS[action][1])), h('p', null, h('code', null, event.type + ' ' + event.id)), h('p', null, t(WORDS[action][2])),
    h('label', { class: 'label' }, t('Reason'), ' (', t('optional, recorded in the audit log'), ')', h('textarea', { value: reason, maxLength: 500, onInput: (e) => setReason(e.target.value) })),
    h('div', { class: 'row' }, h('button', { type: 'button', onClick: onCancel }, t('Cancel')),
      h('button', { type: 'button', class: action === 'delete' ? 'danger' : 'primary', onClick: () => onDo(reason || undefined) }, t(WORDS[action][0]))));
}
