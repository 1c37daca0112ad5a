// Every page of the control center, in the order of the menu. A page is one file; it brings its own words along.
// scope 'app': #/application/path, of one application. scope 'center': #/-path, of the whole control center.
import { Overview } from './overview.js';
import { Events } from './events.js';
import { Event } from './event.js';
import { Errors } from './errors.js';
import { Operations } from './operations.js';
import { Operation } from './operation.js';
import { Handlers } from './handlers.js';
import { Nodes } from './nodes.js';
import { Alerts } from './alerts.js';
import { Audit } from './audit.js';
import { People } from './people.js';
import { Settings } from './settings.js';

/** shown(session) says whether the menu has it; without it everybody has. */
export const PAGES = [
  { path: '', label: 'Overview', icon: 'overview', scope: 'app', view: Overview },
  { path: 'events', label: 'Events', icon: 'events', scope: 'app', view: Events, one: Event },
  { path: 'errors', label: 'Error groups', icon: 'errors', scope: 'app', view: Errors },
  { path: 'operations', label: 'Operations', icon: 'operations', scope: 'app', view: Operations, one: Operation },
  { path: 'handlers', label: 'Handlers', icon: 'handlers', scope: 'app', view: Handlers },
  { path: 'nodes', label: 'Nodes', icon: 'nodes', scope: 'app', view: Nodes },
  { path: 'alerts', label: 'Alerts', icon: 'alerts', scope: 'app', view: Alerts },
  { path: 'audit', label: 'Audit', icon: 'audit', scope: 'center', view: Audit, shown: (session) => session.admin },
  { path: 'people', label: 'Users and tokens', icon: 'people', scope: 'center', view: People, shown: (session) => session.admin && session.login },
  { path: 'settings', label: 'Settings', icon: 'settings', scope: 'center', view: Settings, shown: (session) => session.admin },
];
