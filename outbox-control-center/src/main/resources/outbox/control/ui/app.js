import { h, render, Fragment, useEffect, useState, Note, Dialog } from './parts.js';
import { session as readSession, logIn, logOut, post } from './api.js';
import { t, use as useLanguage, current as language } from './i18n.js';
import { Overview } from './overview.js';
import { Events } from './events.js';
import { Event } from './event.js';
import { Audit, People } from './admin.js';

const storedTheme = () => localStorage.getItem('outbox.theme') ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
const showTheme = (theme) => { document.documentElement.dataset.theme = theme; };
showTheme(storedTheme());

/** The URL is the state: #/application/page/id?filters */
function parse() {
  const [path, query] = location.hash.replace(/^#\/?/, '').split('?');
  const parts = path.split('/').map((part) => { try { return decodeURIComponent(part); } catch { return part; } });
  return { parts, query: new URLSearchParams(query ?? '') };
}
const go = (hash) => { location.hash = hash; };

function App() {
  const [session, setSession] = useState(null);
  const [failure, setFailure] = useState(null);
  const [route, setRoute] = useState(parse());
  const [, redraw] = useState(0);
  const [message, setMessage] = useState(null);
  const [help, setHelp] = useState(false);
  const refresh = () => readSession().then(setSession, setFailure);
  useEffect(() => { refresh(); }, []);
  useEffect(() => {
    const moved = () => { setRoute(parse()); window.scrollTo(0, 0); };
    const pressed = (e) => { if (e.key === '?' && !e.target.closest('input, textarea, select, dialog')) setHelp(true); };
    addEventListener('hashchange', moved);
    addEventListener('keydown', pressed);
    return () => { removeEventListener('hashchange', moved); removeEventListener('keydown', pressed); };
  }, []);
  const toast = (text) => { setMessage(text); clearTimeout(toast.timer); toast.timer = setTimeout(() => setMessage(null), 5000); };
  const settings = { language: () => { useLanguage(language() === 'zh' ? 'en' : 'zh'); redraw((n) => n + 1); }, theme: () => { const next = storedTheme() === 'dark' ? 'light' : 'dark'; localStorage.setItem('outbox.theme', next); showTheme(next); redraw((n) => n + 1); } };

  if (failure) return h('div', { class: 'center' }, h(Note, { kind: 'bad' }, failure.message));
  if (!session) return h('div', { class: 'center label' }, t('Loading…'));
  if (!session.operator) return h(Door, { session, refresh, settings });
  return h(Fragment, null, h(Shell, { session, route, settings, toast, refresh }),
    message ? h('div', { class: 'toast', role: 'status' }, message) : null,
    help ? h(Help, { onClose: () => setHelp(false) }) : null);
}

function Settings({ settings }) {
  return h('div', { class: 'row' },
    h('button', { type: 'button', class: 'quiet', onClick: settings.language, 'aria-label': t('Language') + ': ' + (language() === 'zh' ? 'English' : '中文') }, language() === 'zh' ? 'English' : '中文'),
    h('button', { type: 'button', class: 'quiet', onClick: settings.theme }, t(storedTheme() === 'dark' ? 'Light' : 'Dark')));
}

function Shell({ session, route, settings, toast, refresh }) {
  const apps = session.applications;
  const [first, page, id] = route.parts;
  const admin = first === '-audit' || first === '-people';
  const rights = apps.find((a) => a.name === first) ?? apps[0];
  const name = rights?.name;
  const nav = (href, label, current) => h('a', { class: 'nav', href, 'aria-current': current ? 'page' : undefined }, t(label));
  let body;
  if (admin && session.admin) body = first === '-audit' ? h(Audit) : h(People, { session, toast });
  else if (!rights) body = h(Note, null, t('This application gave you no access to the control center.'));
  else if (page === 'events' && id) body = h(Event, { key: name + id, app: name, id, rights, session, toast, go });
  else if (page === 'events') body = h(Events, { key: name, app: name, query: route.query, go });
  else body = h(Overview, { key: name, app: name });
  const out = async () => { await logOut(); go('#/'); refresh(); };
  return h('div', { class: 'shell' },
    h('nav', { class: 'side', 'aria-label': t('Control center') },
      h('div', { class: 'brand' }, h('img', { src: 'icon.svg', alt: '' }), 'Outbox'),
      apps.length > 1 ? h('select', { 'aria-label': t('Application'), value: name, onChange: (e) => go(`#/${encodeURIComponent(e.target.value)}/${page === 'events' ? 'events' : ''}`) }, apps.map((a) => h('option', { value: a.name }, a.name))) : null,
      name ? [nav(`#/${encodeURIComponent(name)}/`, 'Overview', !admin && page !== 'events'), nav(`#/${encodeURIComponent(name)}/events`, 'Events', !admin && page === 'events')] : null,
      session.admin ? [nav('#/-audit', 'Audit', first === '-audit'), session.login ? nav('#/-people', 'People', first === '-people') : null] : null,
      h('div', { class: 'foot' }, session.readOnly ? h('span', { class: 'badge' }, t('read-only')) : null, h('span', null, session.operator), h(Settings, { settings }),
        session.login ? h('div', { class: 'row' }, h('button', { type: 'button', class: 'quiet', onClick: out }, t('Log out'))) : null)),
    h('main', { id: 'main' }, body));
}

function Door({ session, refresh, settings }) {
  const [problem, setProblem] = useState(null);
  const [busy, setBusy] = useState(false);
  const submit = async (e) => {
    e.preventDefault();
    const data = new FormData(e.target);
    setBusy(true); setProblem(null);
    try {
      if (session.setup) await post('/setup', { token: data.get('token').trim(), name: data.get('name'), password: data.get('password') });
      await readSession();
      await logIn(data.get('name'), data.get('password'));
      if (location.hash === '#/setup') go('#/');
      await refresh();
    } catch (error) { setProblem(error.message); } finally { setBusy(false); }
  };
  if (!session.login) return h('div', { class: 'center' }, h(Note, null, t('Nobody is logged in.')));
  return h('main', { class: 'center' }, h('form', { class: 'form card', onSubmit: submit },
    h('div', { class: 'brand' }, h('img', { src: 'icon.svg', alt: '' }), h('h1', null, session.setup ? t('First administrator') : t('Control center'))),
    problem ? h(Note, { kind: 'bad' }, problem) : null,
    session.setup ? h('label', null, t('The token printed when the control center started'), h('input', { name: 'token', required: true, autocomplete: 'off' })) : null,
    h('label', null, t('Name'), h('input', { name: 'name', required: true, autocomplete: 'username' })),
    h('label', null, t('Password'), h('input', { name: 'password', type: 'password', required: true, minLength: session.setup ? 12 : undefined, autocomplete: session.setup ? 'new-password' : 'current-password' }), session.setup ? t('At least 12 characters') : null),
    h('button', { class: 'primary', disabled: busy }, session.setup ? t('Create') : t('Log in')), h(Settings, { settings })));
}

function Help({ onClose }) {
  const keys = [['/', 'search'], ['j', 'next row'], ['k', 'previous row'], ['Enter', 'open'], ['r', 'retry the event'], ['x', 'back'], ['?', 'this help']];
  return h(Dialog, { label: t('Keyboard'), onClose }, h('h2', null, t('Keyboard')),
    h('dl', { class: 'facts' }, keys.map(([key, what]) => [h('dt', null, h('kbd', null, key)), h('dd', null, t(what))])),
    h('div', { class: 'row' }, h('button', { type: 'button', onClick: onClose }, t('Close'))));
}

render(h(App), document.getElementById('app'));
