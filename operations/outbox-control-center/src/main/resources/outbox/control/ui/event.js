import { h, Fragment, useEffect, useLayoutEffect, useRef, useState } from './parts.js';
import { Badge, When, Note, Dialog, Top, useLoad, keys } from './parts.js';
import { get, post, del, app as path } from './api.js';
import { words, bytes } from './i18n.js';
import { Bulk } from './bulk.js';
import { Clone } from './clone.js';
import { Compare } from './compare.js';
import { Payload } from './payload.js';
import { Timeline } from './timeline.js';
import { useLive } from './live.js';

const t = words({
  'Handler': '处理器',
  'Previous': '上一个',
  'Next': '下一个',
  'Previous event of the same aggregate': '同一聚合的上一个事件',
  'Next event of the same aggregate': '同一聚合的下一个事件',
  'Root cause': '根本原因',
  'Dead since': '成为死信于',
  'Held back by an open circuit breaker, a pause or a limit.': '因熔断、暂停或限流已暂缓。',
  'Next attempt': '下次尝试',
  'Handler progress': '各处理器的进度',
  'The new event was written.': '新事件已写入。',
  'Redeliver': '重新投递',
  'This event waits until these are delivered, skipped or parked.': '本事件要等它们被投递、跳过或搁置之后才会投递。',
});

const WORDS = {
  retry: ['Retry', 'Retry this event?', 'It will be delivered again as soon as possible.'],
  skip: ['Skip', 'Skip this event?', 'It is marked as delivered without being delivered.'],
  park: ['Park', 'Park this event?', 'It is set aside as dead; events behind it are delivered.'],
  delete: ['Delete', 'Delete this event?', 'The row is deleted. This cannot be undone.'],
};
const possible = (event, rights) =>
  event.lockedBy
    ? []
    : rights.log && event.state === 'new'
      ? ['delete']
      : {
          new: ['skip', 'park', 'delete'],
          scheduled: ['skip', 'park', 'delete'],
          held: ['skip', 'park', 'delete'],
          retry: ['retry', 'skip', 'park', 'delete'],
          dead: event.parked ? ['retry', 'skip', 'delete'] : ['retry', 'skip', 'park', 'delete'],
          done: ['delete'],
        }[event.state];

export function Event({ app, id, rights, session, toast, go }) {
  const base = `${path(app)}/events/${encodeURIComponent(id)}`;
  const detail = useLoad((signal) => get(base, signal), base);
  const attempts = useLoad((signal) => get(base + '/attempts', signal), base);
  const neighbours = useLoad((signal) => get(base + '/neighbours', signal), base);
  const handlers = useLoad((signal) => get(base + '/handlers', signal), base);
  const [asking, ask] = useState(null);
  const [cloning, clone] = useState(false);
  const [comparing, compare] = useState(false);
  const [redelivering, redeliver] = useState(false);
  const event = detail.value?.event;
  const live = useFresh(app, event, [detail, attempts, handlers, neighbours]);
  const changed = useChanged(event);

  // Before the paint: users may type as soon as they see the event.
  useLayoutEffect(
    () =>
      keys({
        r: () => {
          if (event && rights.act && possible(event, rights).includes('retry')) ask('retry');
        },
      }),
    [event, rights.act],
  );

  const act = async (action, reason) => {
    ask(null);
    try {
      if (action === 'delete') await del(base, { reason });
      else await post(`${base}/${action}`, { reason });
      toast(t('Done: ' + action));
      if (action === 'delete') go(`#/${encodeURIComponent(app)}/events`);
      else [detail, attempts, handlers, neighbours].forEach((one) => one.reload());
    } catch (error) {
      toast(error.message);
      detail.reload();
    }
  };
  const curl = () => {
    const url = new URL('api/v1' + base, document.baseURI);
    navigator.clipboard
      .writeText(`curl -H "Authorization: Bearer $OUTBOX_TOKEN" '${url.href.replaceAll("'", '%27')}'`)
      .then(() => toast(t('Copied.')));
  };
  if (detail.error)
    return h(Fragment, null, h(Top, { title: t('Event') }), h(Note, { kind: 'bad' }, detail.error.message));
  if (!event)
    return h(
      Fragment,
      null,
      h(Top, { title: t('Event') }),
      h('div', { 'class': 'empty', 'aria-busy': 'true' }, t('Loading…')),
    );
  const before = neighbours.value?.before.at(-1);
  const after = neighbours.value?.after[0];
  const failing = event.state === 'dead' || event.state === 'retry';
  const trace = /^[0-9a-f]{2}-([0-9a-f]{32})-/.exec(detail.value.headers.traceparent ?? '')?.[1];
  return h(
    Fragment,
    null,
    h(
      'div',
      { class: 'top' },
      h('h1', null, event.type),
      h('span', { class: changed ? 'changed' : '', key: event.state }, h(Badge, event)),
      h('span', { class: 'live ' + (live ? 'on' : '') }, h('i'), t(live ? 'live' : 'paused')),
      rights.log && event.state === 'new' ? h('span', { class: 'label' }, t('delivered by CDC')) : null,
      h('span', { class: 'grow' }),
      rights.act
        ? possible(event, rights).map((action) =>
            h(
              'button',
              {
                type: 'button',
                class: action === 'retry' ? 'primary' : action === 'delete' ? 'danger' : '',
                onClick: () => ask(action),
              },
              t(WORDS[action][0]),
            ),
          )
        : null,
      rights.act && event.state === 'done' && !rights.log && !detail.value.headers['outbox-redelivery-of']
        ? h('button', { type: 'button', onClick: () => redeliver(true) }, t('Redeliver'))
        : null,
      rights.clone ? h('button', { type: 'button', onClick: () => clone(true) }, t('Clone')) : null,
      h('button', { type: 'button', onClick: () => compare(true) }, t('Compare')),
      h('button', { type: 'button', class: 'quiet', onClick: curl }, t('Copy as curl')),
      event.aggregateId ? h(Steps, { app, before, after }) : null,
    ),
    failing && event.error ? h(RootCause, { error: event.error, state: event.state }) : null,
    event.state === 'held'
      ? h(
          Note,
          null,
          t('Held back by an open circuit breaker, a pause or a limit.'),
          ' ',
          h(When, { at: event.availableAt }),
        )
      : null,
    neighbours.value?.blockers.length
      ? h(
          Note,
          null,
          t('Blocked by'),
          ' ',
          neighbours.value.blockers.map((other) =>
            h('a', { href: link(app, other.id) }, other.type + ' ' + other.id + ' '),
          ),
          h('div', null, t('This event waits until these are delivered, skipped or parked.')),
        )
      : null,
    h(
      'div',
      { class: 'grid cols-2' },
      h(
        'section',
        { class: 'card' },
        h('h2', null, t('Details')),
        h(
          'dl',
          { class: 'facts' },
          fact('Event id', h('code', null, event.id)),
          fact(
            'Aggregate',
            event.aggregateId
              ? [
                  event.aggregateType,
                  ' ',
                  h(
                    'a',
                    {
                      href: `#/${encodeURIComponent(app)}/events?aggregateId=${encodeURIComponent(event.aggregateId)}`,
                    },
                    h('code', null, event.aggregateId),
                  ),
                ]
              : '–',
          ),
          event.tenant ? fact('Tenant', event.tenant) : null,
          fact('Created', h(When, { at: event.createdAt, full: true })),
          event.doneAt
            ? fact(event.state === 'dead' ? 'Dead since' : 'Done', h(When, { at: event.doneAt, full: true }))
            : fact('Due', h(When, { at: event.availableAt, full: true })),
          fact('Attempts', event.attempts),
          event.lockedBy ? fact('Leased by', h('code', null, event.lockedBy)) : null,
          detail.value.seq !== null ? fact('Sequence', detail.value.seq) : null,
          fact('Size', bytes(detail.value.payloadBytes)),
          detail.value.payloadPlace ? fact('Payload stored in', h('code', null, detail.value.payloadPlace)) : null,
          trace && session.traceLink
            ? fact(
                'Trace',
                h(
                  'a',
                  { href: session.traceLink.replace('{traceId}', trace), rel: 'noreferrer', target: '_blank' },
                  trace,
                ),
              )
            : null,
        ),
      ),
      h(
        'section',
        { class: 'card' },
        h('h2', null, t('Timeline')),
        h(Timeline, {
          event,
          attempts: attempts.value,
          error: detail.value.error,
          headers: detail.value.headers,
        }),
      ),
    ),
    h(
      'div',
      { class: 'grid below' },
      h(Payload, { base, allowed: rights.payloads, key: id, toast }),
      h(
        'section',
        { class: 'card' },
        h('h2', null, t('Headers')),
        Object.keys(detail.value.headers).length
          ? h(
              'dl',
              { class: 'facts' },
              Object.entries(detail.value.headers).map(([name, value]) => [
                h('dt', null, h('code', null, name)),
                h('dd', null, h('code', null, value)),
              ]),
            )
          : h('span', { class: 'label' }, t('none')),
      ),
      handlers.value?.handlers.length
        ? h(
            'section',
            { class: 'card scroll' },
            h('h2', { class: 'pad' }, t('Handler progress')),
            h(
              'table',
              { class: 'table cards' },
              h(
                'thead',
                null,
                h(
                  'tr',
                  null,
                  ['State', 'Handler', 'Attempts', 'Next attempt', 'Error'].map((name) =>
                    h('th', { scope: 'col' }, t(name)),
                  ),
                ),
              ),
              h(
                'tbody',
                null,
                handlers.value.handlers.map((one) =>
                  h(
                    'tr',
                    { key: one.handler },
                    h('td', null, h(Badge, { state: one.state })),
                    h('td', null, h('code', null, one.handler)),
                    h('td', null, one.attempts),
                    h('td', null, one.state === 'retry' ? h(When, { at: one.nextAttemptAt }) : '–'),
                    h(
                      'td',
                      null,
                      h('div', { class: 'error', title: one.error ?? '' }, (one.error ?? '').split('\n')[0]),
                    ),
                  ),
                ),
              ),
            ),
          )
        : null,
      event.aggregateId && neighbours.value
        ? h(
            'section',
            { class: 'card' },
            h('h2', null, t('Same aggregate')),
            h(
              'ol',
              { class: 'timeline' },
              [...neighbours.value.before, event, ...neighbours.value.after].map((other) =>
                h(
                  'li',
                  { class: other.state },
                  other.id === event.id
                    ? h('b', null, other.type, ' ', h('span', { class: 'label' }, t('this event')))
                    : h('a', { href: link(app, other.id) }, other.type),
                  ' ',
                  h(Badge, other),
                  ' ',
                  h('span', { class: 'label' }, h(When, { at: other.createdAt })),
                ),
              ),
            ),
          )
        : null,
    ),
    cloning
      ? h(Clone, {
          base,
          detail: detail.value,
          rights,
          onClose: () => clone(false),
          onMade: (made) => {
            clone(false);
            toast(t('The new event was written.'));
            go(link(app, made.id));
          },
        })
      : null,
    redelivering
      ? h(Bulk, {
          app,
          scope: { ids: [event.id] },
          about: h('code', null, event.type + ' ' + event.id),
          first: 'redeliver',
          onClose: () => redeliver(false),
          onStart: (operation) => go(`#/${encodeURIComponent(app)}/operations/${operation.id}`),
        })
      : null,
    comparing
      ? h(Compare, {
          app,
          detail: detail.value,
          candidates: [...(neighbours.value?.before ?? []), ...(neighbours.value?.after ?? [])],
          payloads: rights.payloads,
          onClose: () => compare(false),
        })
      : null,
    asking
      ? h(Confirm, { action: asking, event, onCancel: () => ask(null), onDo: (reason) => act(asking, reason) })
      : null,
  );
}

/** Reloads with every sample while the event can still change. @return whether the page is live */
function useFresh(app, event, loads) {
  const final = event?.state === 'done';
  return useLive(app, () => {
    if (event && !final) loads.forEach((load) => load.reload());
  });
}

/** Whether the state of the event has changed while it was shown: the change is marked for a moment. */
function useChanged(event) {
  const before = useRef(null);
  const [changed, setChanged] = useState(false);
  useEffect(() => {
    const known = before.current;
    before.current = event?.state ?? null;
    if (!known || known === before.current) return undefined;
    setChanged(true);
    const timer = setTimeout(() => setChanged(false), 4000);
    return () => clearTimeout(timer);
  }, [event?.state]);
  return changed;
}

/** The exception that caused the failure, at the head of the page. */
const RootCause = ({ error, state }) => {
  const [, name, message] = /^([\w$.]+)(?::\s?(.*))?$/.exec(error) ?? [null, '', error];
  return h(
    'div',
    { class: 'note cause ' + (state === 'dead' ? 'bad' : '') },
    h('span', { class: 'label' }, t('Root cause'), ' '),
    name ? h('b', { title: name }, name.split('.').pop()) : null,
    ' ',
    message ?? '',
  );
};

const Steps = ({ app, before, after }) => {
  const step = (other, text, title) =>
    other
      ? h('a', { class: 'button', href: link(app, other.id), title: t(title) }, t(text))
      : h('span', { 'class': 'button off', 'aria-disabled': 'true' }, t(text));
  return h(
    'span',
    { class: 'segmented' },
    step(before, 'Previous', 'Previous event of the same aggregate'),
    step(after, 'Next', 'Next event of the same aggregate'),
  );
};

const link = (app, id) => `#/${encodeURIComponent(app)}/events/${encodeURIComponent(id)}`;
const fact = (name, value) => [h('dt', null, t(name)), h('dd', null, value)];

function Confirm({ action, event, onCancel, onDo }) {
  const [reason, setReason] = useState('');
  return h(
    Dialog,
    { label: t(WORDS[action][1]), onClose: onCancel },
    h('h2', null, t(WORDS[action][1])),
    h('p', null, h('code', null, event.type + ' ' + event.id)),
    h('p', null, t(WORDS[action][2])),
    h(
      'label',
      { class: 'label' },
      t('Reason'),
      ' (',
      t('optional, recorded in the audit log'),
      ')',
      h('textarea', { value: reason, maxLength: 500, onInput: (e) => setReason(e.target.value) }),
    ),
    h(
      'div',
      { class: 'row' },
      h('button', { type: 'button', onClick: onCancel }, t('Cancel')),
      h(
        'button',
        { type: 'button', class: action === 'delete' ? 'danger' : 'primary', onClick: () => onDo(reason || undefined) },
        t(WORDS[action][0]),
      ),
    ),
  );
}
