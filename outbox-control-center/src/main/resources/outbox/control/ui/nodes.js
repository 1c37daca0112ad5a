import { h, Fragment, Top } from './parts.js';
import { t } from './i18n.js';

export function Nodes() {
  return h(Fragment, null, h(Top, { title: t('Nodes') }));
}
