// Every page of the control center, in menu order. A page is one file with its own translations.
// scope 'app': #/application/path, of one application. scope 'center': #/-path, of the whole control center.
import { Applications } from './applications.js';
import { Overview } from './overview.js';
import { Events } from './events.js';
import { Event } from './event.js';
import { Errors } from './errors.js';
import { Failures } from './failures.js';
import { Operations } from './operations.js';
import { Operation } from './operation.js';
import { Handlers } from './handlers.js';
import { Nodes } from './nodes.js';
import { Jobs } from './jobs.js';
import { Alerts } from './alerts.js';
import { Audit } from './audit.js';
import { Users } from './users.js';
import { Settings } from './settings.js';

/** The first page of users with several applications: #/ */
export const APPLICATIONS = {
  path: 'applications',
  label: 'Applications',
  icon: 'applications',
  scope: 'center',
  view: Applications,
  first: true,
  shown: (session) => session.applications.length > 1,
};

/** shown(session): whether the menu contains the page; default: always. offered(rights): the same, by application. */
export const PAGES = [
  APPLICATIONS,
  { path: '', label: 'Overview', icon: 'overview', scope: 'app', view: Overview },
  { path: 'events', label: 'Events', icon: 'events', scope: 'app', view: Events, one: Event },
  { path: 'errors', label: 'Error groups', icon: 'errors', scope: 'app', view: Errors },
  { path: 'failures', label: 'Failures', icon: 'failures', scope: 'app', view: Failures },
  { path: 'operations', label: 'Operations', icon: 'operations', scope: 'app', view: Operations, one: Operation },
  { path: 'handlers', label: 'Handlers', icon: 'handlers', scope: 'app', view: Handlers },
  { path: 'nodes', label: 'Nodes', icon: 'nodes', scope: 'app', view: Nodes },
  {
    path: 'jobs',
    label: 'Scheduled jobs',
    icon: 'jobs',
    scope: 'app',
    view: Jobs,
    offered: (rights) => rights.jobs,
  },
  { path: 'alerts', label: 'Alerts', icon: 'alerts', scope: 'app', view: Alerts },
  { path: 'audit', label: 'Audit', icon: 'audit', scope: 'center', view: Audit, shown: (session) => session.admin },
  {
    path: 'users',
    label: 'Users and tokens',
    icon: 'users',
    scope: 'center',
    view: Users,
    shown: (session) => session.admin && session.login,
  },
  {
    path: 'settings',
    label: 'Settings',
    icon: 'settings',
    scope: 'center',
    view: Settings,
    shown: (session) => session.admin,
  },
];
