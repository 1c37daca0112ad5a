import { h, useState, Dialog, Note } from './parts.js';
import { get, post } from './api.js';
import { words } from './i18n.js';

const OWN_ID =
  'The new event gets its own id and is delivered as usual. Its header outbox-cloned-from contains the ' +
  'id of this event.';

const t = words({
  'Clone': '克隆',
  'Write a copy as a new event': '作为新事件再写一次',
  'Write the new event': '写入新事件',
  'Edit the payload': '编辑消息体',
  'Enter a new payload': '输入新的消息体',
  'The payload is not changed.': '消息体保持不变。',
  'Headers, as JSON': '消息头（JSON）',
  'Payload, as JSON': '消息体（JSON）',
  'The headers are not valid JSON.': '消息头不是合法的 JSON。',
  [OWN_ID]: '新事件有自己的 ID，按正常流程投递；消息头 outbox-cloned-from 记录原事件的 ID。',
});

/** A new event like this one, with edits. */
export function Clone({ base, detail, rights, onClose, onMade }) {
  const event = detail.event;
  const [payload, setPayload] = useState(null);
  const [problem, setProblem] = useState(null);
  const [busy, setBusy] = useState(false);
  const edit = () =>
    get(base + '/payload').then(
      (found) => setPayload(pretty(found.payload)),
      (error) => setProblem(error.message),
    );
  const submit = async (e) => {
    e.preventDefault();
    const data = new FormData(e.target);
    let headers;
    try {
      headers = JSON.parse(data.get('headers'));
    } catch {
      setProblem(t('The headers are not valid JSON.'));
      return;
    }
    for (const name of Object.keys(detail.headers)) if (!(name in headers)) headers[name] = null;
    setBusy(true);
    setProblem(null);
    try {
      onMade(
        await post(base + '/clone', {
          type: data.get('type'),
          aggregateType: data.get('aggregateType') || undefined,
          aggregateId: data.get('aggregateId') || undefined,
          tenant: data.get('tenant') || undefined,
          headers,
          payload: payload === null ? undefined : data.get('payload'),
          reason: data.get('reason') || undefined,
        }),
      );
    } catch (error) {
      setProblem(error.message);
      setBusy(false);
    }
  };
  const field = (name, label, value, required) =>
    h('label', null, t(label), h('input', { name, defaultValue: value ?? '', required, autocomplete: 'off' }));
  return h(
    Dialog,
    { label: t('Clone'), onClose, wide: true },
    h(
      'form',
      { class: 'stack', onSubmit: submit },
      h('h2', null, t('Write a copy as a new event')),
      h('p', { class: 'label' }, t(OWN_ID)),
      problem ? h(Note, { kind: 'bad' }, problem) : null,
      h(
        'div',
        { class: 'grid cols-2' },
        field('type', 'Type', event.type, true),
        field('aggregateType', 'Aggregate type', event.aggregateType),
        field('aggregateId', 'Aggregate id', event.aggregateId),
        field('tenant', 'Tenant', event.tenant),
      ),
      h(
        'label',
        null,
        t('Headers, as JSON'),
        h('textarea', {
          name: 'headers',
          class: 'mono',
          rows: 4,
          defaultValue: JSON.stringify(detail.headers, null, 2),
        }),
      ),
      payload !== null
        ? h(
            'label',
            null,
            t('Payload, as JSON'),
            h('textarea', { name: 'payload', class: 'mono', rows: 10, defaultValue: payload }),
          )
        : h(
            'p',
            { class: 'label' },
            t('The payload is not changed.'),
            ' ',
            rights.payloads
              ? h('button', { type: 'button', onClick: edit }, t('Edit the payload'))
              : h('button', { type: 'button', onClick: () => setPayload('{}') }, t('Enter a new payload')),
          ),
      h(
        'label',
        null,
        t('Reason'),
        h('input', { name: 'reason', maxLength: 500, placeholder: t('optional, recorded in the audit log') }),
      ),
      h(
        'div',
        { class: 'row' },
        h('button', { type: 'button', onClick: onClose }, t('Cancel')),
        h('button', { class: 'primary', disabled: busy }, t('Write the new event')),
      ),
    ),
  );
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
