import { h, Fragment, Top } from './parts.js';
import { t } from './i18n.js';

export function Alerts() {
  return h(Fragment, null, h(Top, { title: t('Alerts') }));
}
