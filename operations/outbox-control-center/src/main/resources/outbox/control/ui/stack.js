import { h } from './parts.js';
import { words } from './i18n.js';

const t = words({
  'frames of libraries': '个库的栈帧',
});

/** Packages whose frames say little to the author of a listener. */
const LIBRARIES = [
  'java',
  'javax',
  'jdk',
  'sun',
  'com.sun',
  'jakarta',
  'kotlin',
  'scala',
  'org.springframework',
  'org.apache',
  'org.hibernate',
  'org.postgresql',
  'com.mysql',
  'org.mariadb',
  'org.h2',
  'com.zaxxer',
  'io.netty',
  'reactor',
  'io.micrometer',
  'com.fasterxml',
  'tools.jackson',
  'okhttp3',
  'org.eclipse.jetty',
  'outbox',
];
const FOREIGN = new RegExp(`^\\s*at (?:[\\w.]+/)?(?:${LIBRARIES.join('|').replaceAll('.', '\\.')})\\.`);

/** The lines of a stack trace, with runs of library frames folded: [{ line }] and [{ folded: [lines] }]. */
export function folded(trace) {
  const parts = [];
  for (const line of trace.split('\n')) {
    const last = parts.at(-1);
    if (!FOREIGN.test(line)) parts.push({ line });
    else if (last?.folded) last.folded.push(line);
    else parts.push({ folded: [line] });
  }
  return parts.flatMap((part) =>
    part.folded && part.folded.length < 3 ? part.folded.map((line) => ({ line })) : [part],
  );
}

/** A stack trace that wraps, with the frames of libraries folded. */
export const Stack = ({ trace }) =>
  h(
    'div',
    { class: 'stacktrace', tabindex: 0 },
    folded(trace).map((part) =>
      part.folded
        ? h(
            'details',
            null,
            h('summary', null, `… ${part.folded.length} ${t('frames of libraries')}`),
            part.folded.map((line) => h('div', { class: 'foreign' }, line)),
          )
        : h('div', null, part.line),
    ),
  );
