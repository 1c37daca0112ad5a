const SLOW_SECONDS = 30;
const BAD_SECONDS = 300;

/** Color of the headline: never good while the data is stale, or while events are held back or dead. */
export function headline(sample, stale) {
  if (!sample || stale) return '';
  if (sample.oldestSeconds > BAD_SECONDS) return 'bad';
  return sample.oldestSeconds > SLOW_SECONDS || sample.heldBack > 0 || sample.dead > 0 ? 'warn' : 'good';
}

const CAP = 10_000;
/** Scheduled and held-back events are counted together, up to the cap: each count may be too low then. */
export const isLaterCut = (sample) => !!sample && sample.scheduled + sample.heldBack > CAP;
/** Whether not everything was read. */
export const isCut = (sample) => !!sample && (isLaterCut(sample) || sample.fresh > CAP || sample.retry > CAP);

/** The state of a whole application in one word: the worst thing about it. */
export function verdict({ problem, sample }) {
  if (problem) return 'unreachable';
  if (!sample) return 'unknown';
  if (sample.nodes > 0 && sample.nodesAlive === 0) return 'stopped';
  if (sample.oldestSeconds > BAD_SECONDS) return 'late';
  if (sample.heldBack > 0) return 'held';
  if (sample.dead > 0) return 'dead';
  return sample.oldestSeconds > SLOW_SECONDS ? 'slow' : 'ok';
}

/** The cause of held-back events as [English, handler]; the page translates it. */
export const CAUSES = {
  pause: 'paused',
  breaker: 'circuit breaker open',
  limit: 'rate or concurrency limit',
  order: 'behind an earlier event of their key',
};
