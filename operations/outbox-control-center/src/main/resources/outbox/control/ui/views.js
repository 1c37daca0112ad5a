import { h, Fragment, useState, Dialog, useLoad } from './parts.js';
import { get, post, del, app as path } from './api.js';
import { words } from './i18n.js';

const t = words({
  'Saved views': '保存的视图',
  'Save this view': '保存此视图',
  'Save': '保存',
  'Visible to all users': '所有用户可见',
  'shared': '共享',
  'No views yet.': '还没有视图。',
  'Remove': '移除',
  'of': '/',
  'A view is a saved filter.': '视图即保存的筛选条件。',
});

/** Saved filters: a list to open one, and a form to save the current filter. */
export function Views({ app, query, change, rights, session, toast }) {
  const [open, setOpen] = useState(false);
  const views = useLoad((signal) => (open ? get(`${path(app)}/views`, signal) : Promise.resolve(null)), app + open);
  const mine = new URLSearchParams(query);
  mine.delete('cursor');
  const save = (e) => {
    e.preventDefault();
    const data = new FormData(e.target);
    post(`${path(app)}/views`, {
      name: data.get('name'),
      shared: data.get('shared') === 'on',
      filter: mine.toString(),
    }).then(
      () => {
        e.target.reset();
        views.reload();
      },
      (error) => toast(error.message),
    );
  };
  const remove = (view) => del(`${path(app)}/views/${view.id}`).then(views.reload, (error) => toast(error.message));
  return h(
    Fragment,
    null,
    h('button', { type: 'button', onClick: () => setOpen(true) }, t('Saved views')),
    open
      ? h(
          Dialog,
          { label: t('Saved views'), onClose: () => setOpen(false) },
          h('h2', null, t('Saved views')),
          views.value && !views.value.views.length
            ? h('p', { class: 'label' }, t('No views yet.'), ' ', t('A view is a saved filter.'))
            : null,
          h(
            'ul',
            { class: 'views' },
            (views.value?.views ?? []).map((view) =>
              h(
                'li',
                { key: view.id },
                h(
                  'button',
                  {
                    type: 'button',
                    class: 'link',
                    onClick: () => {
                      setOpen(false);
                      change(new URLSearchParams(view.filter));
                    },
                  },
                  view.name,
                ),
                view.shared
                  ? h(
                      'span',
                      { class: 'badge' },
                      t('shared'),
                      view.owner === session.operator ? '' : ' · ' + view.owner,
                    )
                  : null,
                h('span', { class: 'grow' }),
                view.owner === session.operator && !session.readOnly
                  ? h(
                      'button',
                      {
                        'type': 'button',
                        'class': 'quiet',
                        'aria-label': t('Remove') + ' ' + view.name,
                        'onClick': () => remove(view),
                      },
                      t('Remove'),
                    )
                  : null,
              ),
            ),
          ),
          session.readOnly
            ? null
            : h(
                'form',
                { class: 'stack', onSubmit: save },
                h(
                  'label',
                  null,
                  t('Save this view'),
                  h('input', { name: 'name', required: true, maxLength: 64, placeholder: t('Name') }),
                ),
                rights.act
                  ? h(
                      'label',
                      { class: 'check' },
                      h('input', { type: 'checkbox', name: 'shared' }),
                      ' ',
                      t('Visible to all users'),
                    )
                  : null,
                h(
                  'div',
                  { class: 'row' },
                  h('button', { type: 'button', onClick: () => setOpen(false) }, t('Close')),
                  h('button', { class: 'primary' }, t('Save')),
                ),
              ),
          session.readOnly
            ? h('div', { class: 'row' }, h('button', { type: 'button', onClick: () => setOpen(false) }, t('Close')))
            : null,
        )
      : null,
  );
}
