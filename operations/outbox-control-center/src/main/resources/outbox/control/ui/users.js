import { h, Fragment, useState, When, Note, Dialog, useLoad } from './parts.js';
import { Table } from './table.js';
import { get, post, put, del } from './api.js';
import { words } from './i18n.js';

const t = words({
  'Edit': '编辑',
  'Set password': '设置密码',
  'Edit user': '编辑用户',
  'Save': '保存',
  'Remove': '移除',
  'Add a role': '添加角色',
  'This ends all sessions of this user.': '该用户的所有会话都会结束。',
  'At least 12 characters': '至少 12 个字符',
  'May read payloads': '可查看消息体',
  'May clone events, with the role operator or admin': '可克隆事件（需操作员或管理员角色）',
  'Clones': '克隆',
  'viewer': '查看者',
  'operator': '操作员',
  'admin': '管理员',
});

const ROLES = ['viewer', 'operator', 'admin'];

export function Users({ session, toast }) {
  const users = useLoad((signal) => get('/users', signal), 'users');
  const tokens = useLoad((signal) => get('/tokens', signal), 'tokens');
  const [dialog, open] = useState(null);
  const [secret, setSecret] = useState(null);
  const run = (promise, after) => promise.then(after, (error) => toast(error.message));
  const close = () => open(null);
  const saved = (made) => {
    close();
    if (made.secret) setSecret(made.secret);
    users.reload();
    tokens.reload();
  };
  const of = (user) => '/users/' + encodeURIComponent(user.name);
  const roles = (given) =>
    Object.entries(given)
      .map(([app, role]) => `${app === '*' ? t('everywhere') : app}: ${t(role)}`)
      .join(', ');
  const button = (label, onClick, cls) => h('button', { type: 'button', class: cls, onClick }, t(label));
  const rights = [
    { name: 'Roles', cell: (one) => roles(one.roles) },
    { name: 'Payloads', cell: (one) => t(one.payloads ? 'yes' : 'no') },
    { name: 'Clones', cell: (one) => t(one.clones ? 'yes' : 'no') },
  ];
  const userActions = (u) =>
    h(
      'div',
      { class: 'row' },
      button('Edit', () => open({ view: EditUser, user: u, onSave: (body) => run(put(of(u), body), saved) })),
      button('Set password', () =>
        open({ view: NewPassword, user: u, onSave: (body) => run(post(of(u) + '/password', body), saved) }),
      ),
      button(u.disabled ? 'Enable' : 'Disable', () =>
        run(post(`${of(u)}/${u.disabled ? 'enable' : 'disable'}`), users.reload),
      ),
    );
  const userColumns = [
    {
      name: 'Name',
      title: true,
      cell: (u) => [u.name, ' ', u.disabled ? h('span', { class: 'badge' }, t('disabled')) : null],
    },
    ...rights,
    { name: 'Created', cell: (u) => h(When, { at: u.createdAt }) },
    { name: 'Action', action: true, cell: (u) => (u.name === session.operator ? null : userActions(u)) },
  ];
  const tokenColumns = [
    { name: 'Name', title: true, cell: (k) => [k.name, h('div', { class: 'label' }, k.createdBy)] },
    ...rights,
    { name: 'Expires', cell: (k) => h(When, { at: k.expiresAt }) },
    {
      name: 'Action',
      action: true,
      cell: (k) => button('Revoke', () => run(del('/tokens/' + k.id), tokens.reload), 'danger'),
    },
  ];
  return h(
    Fragment,
    null,
    h('div', { class: 'top' }, h('h1', null, t('Users and tokens'))),
    secret ? h(Note, { kind: 'good' }, t('Shown only once. Copy it now.'), h('pre', { tabindex: 0 }, secret)) : null,
    h(
      'div',
      { class: 'grid' },
      h(
        'section',
        { 'class': 'card scroll', 'aria-busy': String(!users.value && !users.error) },
        h(
          'div',
          { class: 'bar' },
          h('h2', null, t('Users')),
          button('New user', () => open({ view: NewUser, onSave: (body) => run(post('/users', body), saved) })),
        ),
        h(Table, { t, columns: userColumns, rows: users.value?.users ?? [], id: (u) => u.name }),
      ),
      h(
        'section',
        { 'class': 'card scroll', 'aria-busy': String(!tokens.value && !tokens.error) },
        h(
          'div',
          { class: 'bar' },
          h('h2', null, t('Tokens')),
          button('New token', () => open({ view: NewToken, onSave: (body) => run(post('/tokens', body), saved) })),
        ),
        h(Table, { t, columns: tokenColumns, rows: tokens.value?.tokens ?? [], id: (k) => k.id }),
      ),
    ),
    dialog ? h(dialog.view, { ...dialog, session, onCancel: close }) : null,
  );
}

/** A form in a dialog; fields maps its values to the request body. */
function Form({ title, action, fields, onCancel, onSave, children }) {
  const submit = (e) => {
    e.preventDefault();
    onSave(fields(new FormData(e.target)));
  };
  return h(
    Dialog,
    { label: t(title), onClose: onCancel },
    h(
      'form',
      { class: 'form', onSubmit: submit },
      h('h2', null, t(title)),
      children,
      h(
        'div',
        { class: 'row' },
        h('button', { type: 'button', onClick: onCancel }, t('Cancel')),
        h('button', { class: 'primary' }, t(action)),
      ),
    ),
  );
}

const Grant = ({ name, label, checked }) =>
  h('label', null, h('span', null, h('input', { type: 'checkbox', name, defaultChecked: checked }), ' ', t(label)));
/** Rights that no role includes. */
const Grants = ({ user }) =>
  h(
    Fragment,
    null,
    h(Grant, { name: 'payloads', label: 'May read payloads', checked: user?.payloads }),
    h(Grant, { name: 'clones', label: 'May clone events, with the role operator or admin', checked: user?.clones }),
  );
const PasswordField = () =>
  h(
    'label',
    null,
    t('Password'),
    h('input', { name: 'password', type: 'password', minLength: 12, required: true, autocomplete: 'new-password' }),
    t('At least 12 characters'),
  );
const NameField = () => h('label', null, t('Name'), h('input', { name: 'name', required: true, autocomplete: 'off' }));

/** One row for each application, or for all. */
function RoleLines({ session, given }) {
  const [lines, set] = useState(Object.entries(given ?? { '*': 'viewer' }));
  const places = ['*', ...session.applications.map((a) => a.name)];
  const change = (i, line) => set(lines.map((old, at) => (at === i ? line : old)));
  const free = places.find((place) => !lines.some(([app]) => app === place));
  return h(
    Fragment,
    null,
    lines.map(([app, role], i) =>
      h(
        'div',
        { class: 'row', key: app },
        h(
          'select',
          {
            'name': 'application',
            'aria-label': t('Application'),
            'value': app,
            'onChange': (e) => change(i, [e.target.value, role]),
          },
          [...new Set([...places, app])].map((p) =>
            h(
              'option',
              { value: p, disabled: p !== app && lines.some(([other]) => other === p) },
              p === '*' ? t('everywhere') : p,
            ),
          ),
        ),
        h(
          'select',
          {
            'name': 'role',
            'aria-label': t('Role'),
            'value': role,
            'onChange': (e) => change(i, [app, e.target.value]),
          },
          ROLES.map((r) => h('option', { value: r }, t(r))),
        ),
        lines.length > 1
          ? h('button', { type: 'button', onClick: () => set(lines.filter((_, at) => at !== i)) }, t('Remove'))
          : null,
      ),
    ),
    free
      ? h(
          'div',
          null,
          h('button', { type: 'button', onClick: () => set([...lines, [free, 'viewer']]) }, t('Add a role')),
        )
      : null,
  );
}

const rights = (data) => ({
  roles: Object.fromEntries(data.getAll('application').map((app, i) => [app, data.getAll('role')[i]])),
  payloads: data.get('payloads') === 'on',
  clones: data.get('clones') === 'on',
});

const NewUser = (props) =>
  h(
    Form,
    {
      ...props,
      title: 'New user',
      action: 'Create',
      fields: (data) => ({ name: data.get('name'), password: data.get('password'), ...rights(data) }),
    },
    h(NameField),
    h(PasswordField),
    h(RoleLines, props),
    h(Grants),
  );

const EditUser = (props) =>
  h(
    Form,
    { ...props, title: 'Edit user', action: 'Save', fields: rights },
    h('p', null, h('b', null, props.user.name)),
    h(RoleLines, { ...props, given: props.user.roles }),
    h(Grants, { user: props.user }),
  );

const NewPassword = (props) =>
  h(
    Form,
    { ...props, title: 'Set password', action: 'Save', fields: (data) => ({ password: data.get('password') }) },
    h('p', null, h('b', null, props.user.name)),
    h('p', { class: 'label' }, t('This ends all sessions of this user.')),
    h(PasswordField),
  );

const NewToken = (props) =>
  h(
    Form,
    {
      ...props,
      title: 'New token',
      action: 'Create',
      fields: (data) => ({ name: data.get('name'), days: Number(data.get('days')), ...rights(data) }),
    },
    h(NameField),
    h(
      'label',
      null,
      t('Days until it expires'),
      h('input', { name: 'days', type: 'number', min: 1, max: 366, value: 90, required: true }),
    ),
    h(RoleLines, props),
    h(Grants),
  );
