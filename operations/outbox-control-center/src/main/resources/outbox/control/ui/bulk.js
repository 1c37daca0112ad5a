import { h, useEffect, useState, Badge, Dialog, Note, useLoad } from './parts.js';
import { get, post, app as path } from './api.js';
import { words, time } from './i18n.js';

const ONE_HANDLER =
  'The chosen handler alone receives a new event with the same content for each delivered one, with a ' +
  'header that names the original.';

const UNTIL_PURGED =
  'Delivered events can be redelivered until they are purged. If the application deletes events on ' +
  'delivery, there are none.';

const t = words({
  'Bulk action': '批量操作',
  'Action': '操作',
  'Preview': '预览',
  'events match': '个事件符合',
  'or more': '或更多',
  'Oldest matching events': '最早的匹配事件',
  'Reason, recorded in the audit log': '原因（记入审计日志）',
  'At most per second': '每秒最多',
  'Start': '开始',
  'No events match.': '没有符合条件的事件。',
  'selected events': '个选中的事件',
  'all events that match the filter': '筛选出的全部事件',
  'all events with this error': '该错误的全部事件',
  'Counting…': '统计中…',
  'Events in flight are skipped.': '正在投递的事件不受影响。',
  'Oldest events first, so that each aggregate keeps its order.': '从旧到新处理，保持每个聚合内的顺序。',
  'Retry events': '批量重试',
  'Skip events': '批量跳过',
  'Park events': '批量搁置',
  'Delete events': '批量删除',
  'Redeliver events': '重新投递',
  'To the handler': '投递给处理器',
  'Choose a handler': '请选择处理器',
  [ONE_HANDLER]: '仅所选处理器会收到：每个已投递事件生成一个内容相同的新事件，消息头注明原事件。',
  [UNTIL_PURGED]: '已投递的事件在被清理之前可以重新投递。若应用设置为投递后删除，则没有可重新投递的事件。',
  'No node reports a handler.': '没有节点上报处理器。',
});

const ACTIONS = ['retry', 'skip', 'park', 'delete', 'redeliver'];
const HEADS = {
  retry: 'Retry events',
  skip: 'Skip events',
  park: 'Park events',
  delete: 'Delete events',
  redeliver: 'Redeliver events',
};

/** Previews and starts a bulk operation. scope: {filter} or {ids} or {errorGroup}. */
export function Bulk({ app, scope, about, first = 'retry', onClose, onStart }) {
  const [action, setAction] = useState(first);
  const [dry, setDry] = useState(null);
  const [problem, setProblem] = useState(null);
  const [busy, setBusy] = useState(false);
  const [handler, setHandler] = useState('');
  const redeliver = action === 'redeliver';
  const actions = ACTIONS.filter((a) => a !== 'redeliver' || !scope.errorGroup); // failed events are not delivered
  const request = { action, ...scope, ...(redeliver ? { handler } : {}) };
  useEffect(() => {
    let ended = false;
    setDry(null);
    setProblem(null);
    if (redeliver && !handler) return undefined;
    post(`${path(app)}/operations/dry-run`, request).then(
      (found) => {
        if (!ended) setDry(found);
      },
      (error) => {
        if (!ended) setProblem(error.message);
      },
    );
    return () => {
      ended = true;
    };
  }, [action, handler]);
  const submit = async (e) => {
    e.preventDefault();
    const data = new FormData(e.target);
    setBusy(true);
    setProblem(null);
    try {
      onStart(
        await post(`${path(app)}/operations`, {
          ...request,
          reason: data.get('reason'),
          perSecond: Number(data.get('perSecond')),
        }),
      );
    } catch (error) {
      setProblem(error.message);
      setBusy(false);
    }
  };
  return h(
    Dialog,
    { label: t(HEADS[action]), onClose, wide: true },
    h(
      'form',
      { class: 'stack', onSubmit: submit },
      h('h2', null, t(HEADS[action])),
      h('p', { class: 'label' }, about),
      h(
        'label',
        null,
        t('Action'),
        h(
          'select',
          { value: action, onChange: (e) => setAction(e.target.value) },
          actions.map((a) => h('option', { value: a }, t(HEADS[a]))),
        ),
      ),
      redeliver ? h(HandlerField, { app, value: handler, onChange: setHandler }) : null,
      problem ? h(Note, { kind: 'bad' }, problem) : null,
      h(
        'div',
        { 'class': 'dry', 'aria-live': 'polite' },
        dry
          ? h('p', null, h('b', { class: 'count' }, dry.more ? '≥ ' : '', dry.count), ' ', t('events match'))
          : problem || (redeliver && !handler)
            ? null
            : h('p', { class: 'label' }, t('Counting…')),
        dry?.sample.length
          ? h(
              'div',
              null,
              h('div', { class: 'label' }, t('Oldest matching events')),
              h(
                'ul',
                { class: 'sample' },
                dry.sample
                  .slice(0, 5)
                  .map((event) =>
                    h(
                      'li',
                      { key: event.id },
                      h(Badge, event),
                      ' ',
                      event.type,
                      ' ',
                      h('code', null, event.aggregateId ?? event.id),
                      h('span', { class: 'label' }, ' ', time(event.createdAt)),
                    ),
                  ),
              ),
            )
          : null,
      ),
      dry && !dry.count && !dry.more ? h(Note, null, t('No events match.')) : null,
      dry && !dry.count && redeliver ? h('p', { class: 'label' }, t(UNTIL_PURGED)) : null,
      h(
        'label',
        null,
        t('Reason'),
        h('textarea', {
          name: 'reason',
          required: true,
          maxLength: 500,
          placeholder: t('Reason, recorded in the audit log'),
        }),
      ),
      h(
        'label',
        { class: 'inline' },
        t('At most per second'),
        h('input', { name: 'perSecond', type: 'number', min: 1, max: 1000, value: 50, required: true }),
      ),
      h(
        'p',
        { class: 'label' },
        t('Oldest events first, so that each aggregate keeps its order.'),
        ' ',
        t('Events in flight are skipped.'),
      ),
      h(
        'div',
        { class: 'row' },
        h('button', { type: 'button', onClick: onClose }, t('Cancel')),
        h(
          'button',
          { class: action === 'delete' ? 'danger' : 'primary', disabled: busy || !dry || (!dry.count && !dry.more) },
          t('Start'),
        ),
      ),
    ),
  );
}

/** The only receiver of a redelivery. */
function HandlerField({ app, value, onChange }) {
  const known = useLoad((signal) => get(`${path(app)}/handlers`, signal), app);
  const names = [...new Set(known.value?.handlers.map((one) => one.name) ?? [])];
  return h(
    'div',
    { class: 'stack' },
    h(
      'label',
      null,
      t('To the handler'),
      h(
        'select',
        { name: 'handler', value, required: true, onChange: (e) => onChange(e.target.value) },
        h('option', { value: '' }, t('Choose a handler')),
        names.map((name) => h('option', { value: name, key: name }, name)),
      ),
    ),
    known.error ? h(Note, { kind: 'bad' }, known.error.message) : null,
    known.value && !names.length ? h(Note, null, t('No node reports a handler.')) : null,
    h('p', { class: 'label' }, t(ONE_HANDLER)),
  );
}
