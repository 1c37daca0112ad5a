import { h, useState, Dialog, Note } from './parts.js';
import { post } from './api.js';
import { words } from './i18n.js';

const t = words({
  'Change password': '修改密码',
  'Current password': '当前密码',
  'New password': '新密码',
  'This ends your other sessions.': '你的其他会话都会结束。',
  'Password changed.': '密码已修改。',
  'At least 12 characters': '至少 12 个字符',
});

/** Changes the user's own password; the user's other sessions end. */
export function OwnPassword({ name, toast, refresh, onClose }) {
  const [problem, setProblem] = useState(null);
  const submit = async (e) => {
    e.preventDefault();
    const data = new FormData(e.target);
    try {
      await post('/password', { current: data.get('current'), password: data.get('password') });
      toast(t('Password changed.'));
      onClose();
      refresh();
    } catch (error) {
      setProblem(error.message);
    }
  };
  const field = (label, of, autocomplete, note) =>
    h(
      'label',
      null,
      t(label),
      h('input', { name: of, type: 'password', required: true, minLength: note ? 12 : undefined, autocomplete }),
      note ? t(note) : null,
    );
  return h(
    Dialog,
    { label: t('Change password'), onClose },
    h(
      'form',
      { class: 'form', onSubmit: submit },
      h('h2', null, t('Change password')),
      h('input', { type: 'hidden', name: 'username', value: name, autocomplete: 'username' }),
      problem ? h(Note, { kind: 'bad' }, problem) : null,
      field('Current password', 'current', 'current-password'),
      field('New password', 'password', 'new-password', 'At least 12 characters'),
      h('p', { class: 'label' }, t('This ends your other sessions.')),
      h(
        'div',
        { class: 'row' },
        h('button', { type: 'button', onClick: onClose }, t('Cancel')),
        h('button', { class: 'primary' }, t('Change password')),
      ),
    ),
  );
}
