import { h, Fragment, Top, Note, useLoad } from './parts.js';
import { Table } from './table.js';
import { get } from './api.js';
import { words } from './i18n.js';

const t = words({
  'Version': '版本',
  'Database': '数据库',
  'Table': '表',
  'Applications': '应用',
  'Masked fields and headers': '脱敏的字段与头',
  'Trace link': '追踪链接',
  'Mail': '邮件',
  'configured': '已配置',
  'not configured': '未配置',
  'Read-only': '只读',
  'This control center': '本控制中心',
  'OK': '正常',
  'API document': 'API 文档',
  'Settings are read-only here; change them in the configuration of the control center.':
    '此处仅展示；请在控制中心的配置文件中修改。',
});

export function Settings() {
  const { value, error } = useLoad((signal) => get('/settings', signal), 'settings');
  const fact = (name, content) => [h('dt', null, t(name)), h('dd', null, content)];
  return h(
    Fragment,
    null,
    h(Top, { title: t('Settings') }),
    error ? h(Note, { kind: 'bad' }, error.message) : null,
    value
      ? h(
          'div',
          { class: 'grid' },
          h(
            'section',
            { class: 'card' },
            h('h2', null, t('This control center')),
            h(
              'dl',
              { class: 'facts' },
              fact('Version', value.version),
              fact('Read-only', t(value.readOnly ? 'yes' : 'no')),
              fact('Mail', t(value.mail ? 'configured' : 'not configured')),
              fact('Trace link', value.traceLink ?? '–'),
              fact(
                'Masked fields and headers',
                value.masked.map((name) => [h('code', null, name), ' ']),
              ),
              fact(
                'API document',
                h('a', { href: 'api/v1/openapi.json', target: '_blank', rel: 'noopener' }, 'openapi.json'),
              ),
            ),
          ),
          h(
            'section',
            { class: 'card scroll' },
            h(Table, { t, columns: COLUMNS, rows: value.applications, id: (a) => a.name }),
          ),
          h(
            'p',
            { class: 'label' },
            t('Settings are read-only here; change them in the configuration of the control center.'),
          ),
        )
      : h('div', { class: 'empty' }, error ? '' : t('Loading…')),
  );
}

const COLUMNS = [
  { name: 'Application', title: true, cell: (a) => h('b', null, a.name) },
  { name: 'Database', cell: (a) => a.database },
  { name: 'Table', cell: (a) => h('code', null, a.table ?? a.apiUrl) },
  { name: 'State', cell: (a) => h('span', { class: 'badge ' + (a.problem ? 'dead' : 'done') }, a.problem ?? t('OK')) },
];
