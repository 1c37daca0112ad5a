import { h, useState, Dialog, Note } from './parts.js';
import { post, logIn, session as readSession } from './api.js';
import { t, words } from './i18n.js';

words({ 'Change password': '修改密码', 'Current password': '当前密码', 'New password': '新密码', 'Your other sessions end.': '其他会话将结束。', 'The password is changed.': '密码已修改。', 'At least 12 characters': '至少 12 个字符' });

/** Another password for oneself. The session of the old one has ended then, so the new one logs in at once. */
export function OwnPassword({ name, toast, refresh, onClose }) {
  const [problem, setProblem] = useState(null);
  const submit = async (e) => {
    e.preventDefault();
    const data = new FormData(e.target);
    try {
      await post('/password', { current: data.get('current'), password: data.get('password') });
      await readSession();
      await logIn(name, data.get('password'));
      toast(t('The password is changed.'));
      onClose();
      refresh();
    } catch (error) { setProblem(error.message); }
  };
  const field = (label, of, autocomplete, note) => h('label', null, t(label), h('input', { name: of, type: 'password', required: true, minLength: note ? 12 : undefined, autocomplete }), note ? t(note) : null);
  return h(Dialog, { label: t('Change password'), onClose }, h('form', { class: 'form', onSubmit: submit },
    h('h2', null, t('Change password')), h('input', { type: 'hidden', name: 'username', value: name, autocomplete: 'username' }), problem ? h(Note, { kind: 'bad' }, problem) : null,
    field('Current password', 'current', 'current-password'), field('New password', 'password', 'new-password', 'At least 12 characters'),
    h('p', { class: 'label' }, t('Your other sessions end.')),
    h('div', { class: 'row' }, h('button', { type: 'button', onClick: onClose }, t('Cancel')), h('button', { class: 'primary' }, t('Change password')))));
}
