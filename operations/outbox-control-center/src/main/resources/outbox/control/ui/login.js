import { h, useState, Note } from './parts.js';
import { session as readSession, logIn, post } from './api.js';
import { t } from './i18n.js';

/** The login form, or the form that creates the first admin. */
export function Login({ session, refresh, go, choices }) {
  const [problem, setProblem] = useState(null);
  const [busy, setBusy] = useState(false);
  const submit = async (e) => {
    e.preventDefault();
    const data = new FormData(e.target);
    setBusy(true);
    setProblem(null);
    try {
      await readSession(); // the CSRF token may have expired
      if (session.setup)
        await post('/setup', {
          token: data.get('token').trim(),
          name: data.get('name'),
          password: data.get('password'),
        });
      await logIn(data.get('name'), data.get('password'));
      if (location.hash === '#/setup') go('#/');
      await refresh();
    } catch (error) {
      setProblem(error.message);
    } finally {
      setBusy(false);
    }
  };
  if (!session.login) return h('main', { class: 'center' }, h(Note, null, t('You are not logged in.')));
  return h(
    'main',
    { class: 'center login' },
    h(
      'form',
      { class: 'form card', onSubmit: submit },
      h(
        'div',
        { class: 'brand' },
        h('img', { src: 'icon.svg', alt: '' }),
        h('h1', null, session.setup ? t('First administrator') : t('Control center')),
      ),
      problem ? h(Note, { kind: 'bad' }, problem) : null,
      session.setup
        ? h(
            'label',
            null,
            t('The setup token from the startup log'),
            h('input', { name: 'token', required: true, autocomplete: 'off' }),
          )
        : null,
      h('label', null, t('Name'), h('input', { name: 'name', required: true, autocomplete: 'username' })),
      h(
        'label',
        null,
        t('Password'),
        h('input', {
          name: 'password',
          type: 'password',
          required: true,
          minLength: session.setup ? 12 : undefined,
          autocomplete: session.setup ? 'new-password' : 'current-password',
        }),
        session.setup ? t('At least 12 characters') : null,
      ),
      h('button', { class: 'primary', disabled: busy }, session.setup ? t('Create') : t('Log in')),
      session.setup
        ? null
        : Object.entries(session.logins ?? {}).map(([name, href]) => h('a', { class: 'button', href }, name)),
      choices,
    ),
  );
}
