import { h, Fragment, useState, When, Note, Dialog, useLoad } from './parts.js';
import { get, post, del } from './api.js';
import { t, time, words } from './i18n.js';

words({ 'Export': '导出' });

export function Audit() {
  const [pages, setPages] = useState([]);
  const first = useLoad((signal) => get('/audit', signal), 'audit');
  const [report, setReport] = useState(null);
  const all = first.value ? [first.value, ...pages] : [];
  const next = all.at(-1)?.next;
  const more = () => get('/audit?before=' + next).then((page) => setPages((old) => [...old, page]));
  const verify = () => get('/audit/verify').then(setReport, (error) => setReport({ intact: false, problems: [error.message], entries: 0 }));
  return h(Fragment, null,
    h('div', { class: 'top' }, h('h1', null, t('Audit')), h('span', { class: 'grow' }), h('a', { class: 'button', href: 'api/v1/audit/export', download: 'outbox-audit.ndjson' }, t('Export')), h('button', { type: 'button', onClick: verify }, t('Verify'))),
    first.error ? h(Note, { kind: 'bad' }, first.error.message) : null,
    report ? report.intact ? h(Note, { kind: 'good' }, t('The log is as it was written.'), ` ${report.entries} `, t('entries')) : h(Note, { kind: 'bad' }, t('The log was changed:'), h('ul', null, report.problems.map((p) => h('li', null, p)))) : null,
    h('section', { class: 'card scroll' }, h('table', { class: 'table cards' },
      h('thead', null, h('tr', null, ['When', 'Who', 'What', 'Application', 'Target', 'Outcome', 'Detail'].map((name) => h('th', { scope: 'col' }, t(name))))),
      h('tbody', null, all.flatMap((page) => page.entries).map((e) => h('tr', { key: e.seq },
        h('td', null, h(When, { at: e.at })), h('td', null, e.actor, e.address ? h('div', { class: 'label' }, e.address) : null), h('td', null, h('code', null, e.action)),
        h('td', null, e.application ?? ''), h('td', null, h('code', null, e.target ?? '')), h('td', null, h('span', { class: 'badge ' + ({ ok: 'done', denied: 'dead' }[e.outcome] ?? 'retry') }, e.outcome)), h('td', null, e.detail ?? ''))))),
      next ? h('div', { class: 'more' }, h('button', { type: 'button', onClick: more }, t('More'))) : null));
}

export function People({ session, toast }) {
  const users = useLoad((signal) => get('/users', signal), 'users');
  const tokens = useLoad((signal) => get('/tokens', signal), 'tokens');
  const [making, make] = useState(null);
  const [secret, setSecret] = useState(null);
  const run = (promise, after) => promise.then(after, (error) => toast(error.message));
  const roles = (of) => Object.entries(of).map(([app, role]) => `${app === '*' ? t('everywhere') : app}: ${role}`).join(', ');
  return h(Fragment, null,
    h('div', { class: 'top' }, h('h1', null, t('People'))),
    secret ? h(Note, { kind: 'good' }, t('This is shown once. Keep it now.'), h('pre', { tabindex: 0 }, secret)) : null,
    h('div', { class: 'grid' },
      h('section', { class: 'card scroll' }, h('div', { class: 'bar' }, h('h2', null, t('Users')), h('button', { type: 'button', onClick: () => make('user') }, t('New user'))),
        h('table', { class: 'table cards' }, h('thead', null, h('tr', null, ['Name', 'Roles', 'Payloads', 'Created', ''].map((n) => h('th', { scope: 'col' }, n ? t(n) : h('span', { class: 'visually-hidden' }, '…'))))),
          h('tbody', null, (users.value?.users ?? []).map((u) => h('tr', { key: u.name }, h('td', null, u.name, u.disabled ? h('span', { class: 'badge' }, t('disabled')) : null), h('td', null, roles(u.roles)), h('td', null, t(u.payloads ? 'yes' : 'no')), h('td', null, h(When, { at: u.createdAt })),
            h('td', null, u.name === session.operator ? null : h('button', { type: 'button', onClick: () => run(post(`/users/${encodeURIComponent(u.name)}/${u.disabled ? 'enable' : 'disable'}`), users.reload) }, t(u.disabled ? 'Enable' : 'Disable')))))))),
      h('section', { class: 'card scroll' }, h('div', { class: 'bar' }, h('h2', null, t('Tokens')), h('button', { type: 'button', onClick: () => make('token') }, t('New token'))),
        h('table', { class: 'table cards' }, h('thead', null, h('tr', null, ['Name', 'Roles', 'Payloads', 'Expires', ''].map((n) => h('th', { scope: 'col' }, n ? t(n) : h('span', { class: 'visually-hidden' }, '…'))))),
          h('tbody', null, (tokens.value?.tokens ?? []).map((k) => h('tr', { key: k.id }, h('td', null, k.name, h('div', { class: 'label' }, k.createdBy)), h('td', null, roles(k.roles)), h('td', null, t(k.payloads ? 'yes' : 'no')), h('td', null, time(k.expiresAt)),
            h('td', null, h('button', { type: 'button', class: 'danger', onClick: () => run(del('/tokens/' + k.id), tokens.reload) }, t('End'))))))))),
    making ? h(Maker, { kind: making, session, onCancel: () => make(null), onMake: (body) => run(post(making === 'user' ? '/users' : '/tokens', body), (made) => { make(null); if (made.secret) setSecret(made.secret); users.reload(); tokens.reload(); }) }) : null);
}

function Maker({ kind, session, onCancel, onMake }) {
  const submit = (e) => {
    e.preventDefault();
    const data = new FormData(e.target);
    onMake({ name: data.get('name'), roles: { [data.get('application')]: data.get('role') }, payloads: data.get('payloads') === 'on',
      ...(kind === 'user' ? { password: data.get('password') } : { days: Number(data.get('days')) }) });
  };
  return h(Dialog, { label: t(kind === 'user' ? 'New user' : 'New token'), onClose: onCancel }, h('form', { class: 'form', onSubmit: submit },
    h('h2', null, t(kind === 'user' ? 'New user' : 'New token')),
    h('label', null, t('Name'), h('input', { name: 'name', required: true, autocomplete: 'off' })),
    kind === 'user' ? h('label', null, t('Password'), h('input', { name: 'password', type: 'password', minLength: 12, required: true, autocomplete: 'new-password' }))
      : h('label', null, t('Days until it expires'), h('input', { name: 'days', type: 'number', min: 1, max: 366, value: 90, required: true })),
    h('label', null, t('Application'), h('select', { name: 'application' }, h('option', { value: '*' }, t('everywhere')), session.applications.map((a) => h('option', { value: a.name }, a.name)))),
    h('label', null, t('Role'), h('select', { name: 'role' }, ['viewer', 'operator', 'admin'].map((r) => h('option', { value: r }, r)))),
    h('label', null, h('span', null, h('input', { type: 'checkbox', name: 'payloads' }), ' ', t('May read payloads'))),
    h('div', { class: 'row' }, h('button', { type: 'button', onClick: onCancel }, t('Cancel')), h('button', { class: 'primary' }, t('Create')))));
}
