/** What the headline's colour says: never good while figures are stale, or while events are held back or dead. */
export function headline(sample, stale) {
  if (!sample || stale) return '';
  if (sample.oldestSeconds > 300) return 'bad';
  return sample.oldestSeconds > 30 || sample.heldBack > 0 || sample.dead > 0 ? 'warn' : 'good';
}

/** The state of an event as people see it: what is due later is scheduled, what a node released is held back. */
export function standing({ state, heldBack, lockedBy, availableAt, attempts }, now) {
  if (heldBack) return 'held';
  const later = state === 'new' && !lockedBy && !attempts && Date.parse(availableAt) > now;
  return later ? 'scheduled' : state;
}
