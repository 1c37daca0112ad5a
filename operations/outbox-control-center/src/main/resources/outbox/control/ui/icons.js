import { h } from './parts.js';

// SVG paths on a 24 × 24 grid.
const PATHS = {
  applications: 'M4 4h7v7H4V4Zm9 0h7v7h-7V4ZM4 13h7v7H4v-7Zm9 0h7v7h-7v-7Z',
  columns: 'M4 5h16v14H4V5Zm5 0v14m6-14v14',
  download: 'M12 4v11m0 0-4-4m4 4 4-4M5 19h14',
  search: 'M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13Zm5-1.5L20 20',
  copy: 'M8 8h11v12H8V8Zm-3 8V4h11',
  overview: 'M4 19V9m5 10V5m5 14v-7m5 7V8',
  events: 'M4 6h16M4 12h16M4 18h10',
  errors: 'M12 4 2.8 19.5h18.4L12 4Zm0 6v4.5m0 2.5v.1',
  failures: 'M12 20.5a8.5 8.5 0 1 0 0-17 8.5 8.5 0 0 0 0 17Zm-3-11.5 6 6m0-6-6 6',
  operations: 'M4 7h10m4 0h2M4 17h2m4 0h10M14 7a2 2 0 1 0 4 0 2 2 0 0 0-4 0ZM6 17a2 2 0 1 0 4 0 2 2 0 0 0-4 0Z',
  handlers: 'M5 12h6m0 0 4-6h4m-8 6 4 6h4',
  jobs: 'M12 20.5a8.5 8.5 0 1 0 0-17 8.5 8.5 0 0 0 0 17Zm0-13.5v5.5l3.5 2',
  nodes: 'M5 5h14v5H5V5Zm0 9h14v5H5v-5Zm3-6.5v.1m0 8.9v.1',
  alerts: 'M6 16v-5a6 6 0 1 1 12 0v5l1.5 2h-15L6 16Zm4 4.5h4',
  audit: 'M7 3.5h7l4 4v13H7v-17Zm3 8h5m-5 4h5',
  users: 'M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7Zm-6 9a6 6 0 0 1 12 0m1-9a3 3 0 0 0 0-6m5 15a5 5 0 0 0-4-5',
  settings:
    'M12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6Zm0-11.5v2m0 13v2M3.5 12h2m13 ' +
    '0h2M6 6l1.4 1.4m9.2 9.2L18 18M6 18l1.4-1.4m9.2-9.2L18 6',
  menu: 'M4 7h16M4 12h16M4 17h16',
  sun:
    'M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8Zm0-13v2m0 14v2M3 12h2m14 ' +
    '0h2M5.6 5.6 7 7m10 10 1.4 1.4M5.6 18.4 7 17M17 7l1.4-1.4',
  moon: 'M20 14.5A8 8 0 0 1 9.5 4a8 8 0 1 0 10.5 10.5Z',
  key: 'M8 20a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9Zm3.2-7.7L20 3.5m-5 5 3 3m-.5-5.5 2.5 2.5',
  out: 'M14 5H6v14h8m-3-7h9m0 0-3-3m3 3-3 3',
};

export const Icon = ({ name }) =>
  h('svg', { 'class': 'icon', 'viewBox': '0 0 24 24', 'aria-hidden': 'true' }, h('path', { d: PATHS[name] }));
