import { h, render, Fragment, useEffect, useRef, useState, Note, Dialog, keys } from './parts.js';
import { session as readSession, logOut } from './api.js';
import { t, use as useLanguage, current as language } from './i18n.js';
import { theme, toggleTheme } from './theme.js';
import { Icon } from './icons.js';
import { Login } from './login.js';
import { OwnPassword } from './password.js';
import { PAGES, APPLICATIONS } from './pages.js';
import { Banner } from './banner.js';
import './scroll.js';

/** The URL is the state: #/application/page/id?filters, or #/-page for pages without an application. */
function parse() {
  const [path, query] = location.hash.replace(/^#\/?/, '').split('?');
  const parts = path.split('/').map((part) => {
    try {
      return decodeURIComponent(part);
    } catch {
      return part;
    }
  });
  return { parts, query: new URLSearchParams(query ?? '') };
}
const go = (hash) => {
  location.hash = hash;
};

function App() {
  const [session, setSession] = useState(null);
  const [failure, setFailure] = useState(null);
  const [route, setRoute] = useState(parse());
  const [, redraw] = useState(0);
  const [message, setMessage] = useState(null);
  const [help, setHelp] = useState(false);
  const reads = useRef(0);
  // Only the latest answer counts: one that was asked before a login or a change of password may arrive after it.
  const load = (onFailure) => {
    const read = ++reads.current;
    return readSession().then((found) => read === reads.current && setSession(found), onFailure);
  };
  const refresh = () => load(setFailure);
  useEffect(() => {
    refresh();
  }, []);
  useEffect(() => {
    const moved = () => {
      setRoute(parse());
      window.scrollTo(0, 0);
    };
    const look = () => load(() => {});
    addEventListener('hashchange', moved);
    addEventListener('outbox:session', look);
    const forget = keys({ '?': () => setHelp(true) });
    return () => {
      removeEventListener('hashchange', moved);
      removeEventListener('outbox:session', look);
      forget();
    };
  }, []);
  const toast = (text) => {
    setMessage(text);
    clearTimeout(toast.timer);
    toast.timer = setTimeout(() => setMessage(null), 6000);
  };
  const settings = {
    language: () => {
      useLanguage(language() === 'zh' ? 'en' : 'zh');
      redraw((n) => n + 1);
    },
    theme: () => {
      toggleTheme();
      redraw((n) => n + 1);
    },
  };

  if (failure) return h('main', { class: 'center' }, h(Note, { kind: 'bad' }, failure.message));
  if (!session) return h('main', { class: 'center label' }, t('Loading…'));
  if (!session.operator) return h(Login, { session, refresh, go, choices: h(Choices, { settings }) });
  return h(
    Fragment,
    null,
    h(Shell, { session, route, settings, toast, refresh, showHelp: () => setHelp(true) }),
    h('div', { 'role': 'status', 'aria-live': 'polite' }, message ? h('div', { class: 'toast' }, message) : null),
    help ? h(Help, { onClose: () => setHelp(false) }) : null,
  );
}

function Choices({ settings }) {
  const dark = theme() === 'dark';
  return h(
    'div',
    { class: 'row' },
    h(
      'button',
      {
        'type': 'button',
        'class': 'quiet',
        'onClick': settings.language,
        'aria-label': t('Language') + ': ' + (language() === 'zh' ? 'English' : '中文'),
      },
      language() === 'zh' ? 'English' : '中文',
    ),
    h(
      'button',
      {
        'type': 'button',
        'class': 'quiet',
        'onClick': settings.theme,
        'aria-label': t(dark ? 'Light' : 'Dark'),
        'title': t(dark ? 'Light' : 'Dark'),
      },
      h(Icon, { name: dark ? 'sun' : 'moon' }),
    ),
  );
}

/** The page of the URL, if this user has access to it. */
function chosen(session, { parts }) {
  const [first, second, third] = parts;
  if (!first && APPLICATIONS.shown(session)) return { page: APPLICATIONS, rights: null };
  if (first?.startsWith('-')) {
    const page = PAGES.find((p) => p.scope === 'center' && '-' + p.path === first && (!p.shown || p.shown(session)));
    if (page) return { page, rights: null, id: second };
  }
  const rights = session.applications.find((a) => a.name === first) ?? session.applications[0];
  const pages = PAGES.filter((p) => p.scope === 'app' && (!p.offered || (rights && p.offered(rights))));
  const page = pages.find((p) => p.path === (second ?? '')) ?? pages[0];
  return { page, rights, id: third };
}

function Shell({ session, route, settings, toast, refresh, showHelp }) {
  const [open, setOpen] = useState(false);
  const [changing, setChanging] = useState(false);
  const { page, rights, id } = chosen(session, route);
  const apps = session.applications;
  const name = rights?.name ?? apps[0]?.name;
  const href = (p) =>
    p.first ? '#/' : p.scope === 'center' ? '#/-' + p.path : `#/${encodeURIComponent(name)}/${p.path}`;
  const item = (p) =>
    h(
      'a',
      {
        'class': 'nav',
        'href': href(p),
        'aria-current': p === page ? 'page' : undefined,
        'onClick': () => setOpen(false),
      },
      h(Icon, { name: p.icon }),
      t(p.label),
    );
  const current = rights ?? apps[0];
  const menu = (scope) =>
    PAGES.filter(
      (p) =>
        p.scope === scope &&
        !p.first &&
        (scope === 'center' || name) &&
        (!p.shown || p.shown(session)) &&
        (!p.offered || p.offered(current)),
    ).map(item);
  const out = async () => {
    await logOut();
    go('#/');
    refresh();
  };
  useEffect(() => {
    document.title = `${t(page.label)}${rights ? ' · ' + rights.name : ''} · Outbox`;
  });
  const props = {
    key: (rights?.name ?? '-') + page.path + (id ?? ''),
    app: rights?.name,
    id,
    rights,
    query: route.query,
    session,
    toast,
    go,
  };
  const body =
    page.scope === 'app' && !rights
      ? h(Note, null, t('You do not have access to this control center.'))
      : h(id && page.one ? page.one : page.view, props);
  return h(
    'div',
    { class: 'shell' },
    h(
      'a',
      {
        class: 'skip',
        href: '#main',
        onClick: (e) => {
          e.preventDefault();
          document.getElementById('main').focus();
        },
      },
      t('Skip to content'),
    ),
    h(
      'header',
      { class: 'side' + (open ? ' open' : '') },
      h(
        'div',
        { class: 'head' },
        h('a', { class: 'brand', href: '#/' }, h('img', { src: 'icon.svg', alt: '' }), 'Outbox'),
        h(
          'button',
          {
            'type': 'button',
            'class': 'quiet burger',
            'aria-expanded': String(open),
            'aria-controls': 'menu',
            'aria-label': t('Menu'),
            'onClick': () => setOpen(!open),
          },
          h(Icon, { name: 'menu' }),
        ),
      ),
      h(
        'div',
        { class: 'menu', id: 'menu' },
        APPLICATIONS.shown(session) ? h('nav', { 'aria-label': t('Applications') }, item(APPLICATIONS)) : null,
        apps.length > 1
          ? h(
              'select',
              {
                'class': 'apps',
                'aria-label': t('Application'),
                'value': name,
                'onChange': (e) =>
                  go(`#/${encodeURIComponent(e.target.value)}/${page.scope === 'app' ? page.path : ''}`),
              },
              apps.map((a) => h('option', { value: a.name }, a.name)),
            )
          : name
            ? h('div', { class: 'apps label' }, name)
            : null,
        h('nav', { 'aria-label': t('Control center') }, menu('app'), h('hr'), menu('center')),
        h(
          'div',
          { class: 'foot' },
          session.readOnly ? h('span', { class: 'badge' }, t('read-only')) : null,
          h(
            'div',
            { class: 'who' },
            h('span', { class: 'name', title: session.operator }, session.operator),
            session.password
              ? h(
                  'button',
                  {
                    'type': 'button',
                    'class': 'quiet',
                    'onClick': () => setChanging(true),
                    'aria-label': t('Change password'),
                    'title': t('Change password'),
                  },
                  h(Icon, { name: 'key' }),
                )
              : null,
            session.login
              ? h(
                  'button',
                  {
                    'type': 'button',
                    'class': 'quiet',
                    'onClick': out,
                    'aria-label': t('Log out'),
                    'title': t('Log out'),
                  },
                  h(Icon, { name: 'out' }),
                )
              : null,
          ),
          h(
            'div',
            { class: 'row' },
            h(Choices, { settings }),
            h(
              'button',
              {
                'type': 'button',
                'class': 'quiet',
                'onClick': showHelp,
                'aria-label': t('Keyboard'),
                'title': t('Keyboard'),
              },
              h('kbd', null, '?'),
            ),
          ),
        ),
      ),
    ),
    h('main', { id: 'main', tabindex: -1 }, rights ? h(Banner, { app: rights.name, key: rights.name }) : null, body),
    changing ? h(OwnPassword, { name: session.operator, toast, refresh, onClose: () => setChanging(false) }) : null,
  );
}

function Help({ onClose }) {
  const all = [
    ['/', 'search'],
    ['j', 'next row'],
    ['k', 'previous row'],
    ['Enter', 'open'],
    ['x', 'select row'],
    ['r', 'retry the selected events'],
    ['?', 'this help'],
  ];
  return h(
    Dialog,
    { label: t('Keyboard'), onClose },
    h('h2', null, t('Keyboard')),
    h(
      'dl',
      { class: 'facts' },
      all.map(([key, what]) => [h('dt', null, h('kbd', null, key)), h('dd', null, t(what))]),
    ),
    h('div', { class: 'row' }, h('button', { type: 'button', onClick: onClose }, t('Close'))),
  );
}

render(h(App), document.getElementById('app'));
