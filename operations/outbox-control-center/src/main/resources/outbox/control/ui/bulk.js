import { h, useEffect, useState, Badge, Dialog, Note } from './parts.js';
import { post, app as path } from './api.js';
import { t, words, time } from './i18n.js';

words({
  'Do this to many events': '批量处理事件', 'Action': '操作', 'Count them first': '先统计数量', 'events match': '个事件符合', 'or more': '或更多', 'The first of them': '其中最早的',
  'Reason, recorded in the audit log': '为什么？会记入审计日志。', 'At most per second': '每秒最多', 'Start': '开始', 'Nothing matches: there is nothing to do.': '没有符合的事件，无需处理。',
  'picked events': '个选中的事件', 'all events of the filter': '筛选出的全部事件', 'all events of this error': '该错误的全部事件', 'Counting…': '统计中…',
  'Events being delivered at that moment are not touched.': '当时正在投递的事件不受影响。', 'Oldest first: events of one aggregate keep their order.': '从旧到新：同一聚合的事件保持顺序。',
  'Retry events': '批量重试', 'Skip events': '批量跳过', 'Park events': '批量搁置', 'Delete events': '批量删除',
});

const ACTIONS = ['retry', 'skip', 'park', 'delete'];
const HEADS = { retry: 'Retry events', skip: 'Skip events', park: 'Park events', delete: 'Delete events' };

/** From the dry run to the start. scope: {filter} or {ids} or {errorGroup}; what it is about, in words. */
export function Bulk({ app, scope, about, first = 'retry', onClose, onStart }) {
  const [action, setAction] = useState(first);
  const [dry, setDry] = useState(null);
  const [problem, setProblem] = useState(null);
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    let ended = false;
    setDry(null); setProblem(null);
    post(`${path(app)}/operations/dry-run`, { action, ...scope }).then((found) => { if (!ended) setDry(found); }, (error) => { if (!ended) setProblem(error.message); });
    return () => { ended = true; };
  }, [action]);
  const submit = async (e) => {
    e.preventDefault();
    const data = new FormData(e.target);
    setBusy(true); setProblem(null);
    try { onStart(await post(`${path(app)}/operations`, { action, ...scope, reason: data.get('reason'), perSecond: Number(data.get('perSecond')) })); } catch (error) { setProblem(error.message); setBusy(false); }
  };
  return h(Dialog, { label: t(HEADS[action]), onClose, wide: true }, h('form', { class: 'stack', onSubmit: submit },
    h('h2', null, t(HEADS[action])),
    h('p', { class: 'label' }, about),
    h('label', null, t('Action'), h('select', { value: action, onChange: (e) => setAction(e.target.value) }, ACTIONS.map((a) => h('option', { value: a }, t(HEADS[a]))))),
    problem ? h(Note, { kind: 'bad' }, problem) : null,
    h('div', { class: 'dry', 'aria-live': 'polite' },
      dry ? h('p', null, h('b', { class: 'count' }, dry.more ? '≥ ' : '', dry.count), ' ', t('events match')) : problem ? null : h('p', { class: 'label' }, t('Counting…')),
      dry?.sample.length ? h('div', null, h('div', { class: 'label' }, t('The first of them')), h('ul', { class: 'sample' }, dry.sample.slice(0, 5).map((event) => h('li', { key: event.id }, h(Badge, event), ' ', event.type, ' ', h('code', null, event.aggregateId ?? event.id), h('span', { class: 'label' }, ' ', time(event.createdAt)))))) : null),
    dry && !dry.count && !dry.more ? h(Note, null, t('Nothing matches: there is nothing to do.')) : null,
    h('label', null, t('Reason'), h('textarea', { name: 'reason', required: true, maxLength: 500, placeholder: t('Reason, recorded in the audit log') })),
    h('label', { class: 'inline' }, t('At most per second'), h('input', { name: 'perSecond', type: 'number', min: 1, max: 1000, value: 50, required: true })),
    h('p', { class: 'label' }, t('Oldest first: events of one aggregate keep their order.'), ' ', t('Events being delivered at that moment are not touched.')),
    h('div', { class: 'row' }, h('button', { type: 'button', onClick: onClose }, t('Cancel')),
      h('button', { class: action === 'delete' ? 'danger' : 'primary', disabled: busy || !dry || (!dry.count && !dry.more) }, t('Start')))));
}
