// Axes of charts. Pure functions.

const SECONDS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 21_600, 43_200, 86_400];

/** Round values from zero to the maximum, about as many as wanted; of seconds, full minutes and hours. */
export function valueTicks(max, { wanted = 4, seconds = false } = {}) {
  if (!(max > 0)) return [0, 1];
  const rough = max / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step =
    (seconds && rough > 1 && SECONDS.find((n) => n >= rough)) ||
    [1, 2, 2.5, 5, 10].map((n) => n * power).find((n) => n >= rough);
  const ticks = [];
  for (let i = 0; i * step < max + step; i++) ticks.push(Number((i * step).toPrecision(12)));
  return ticks;
}

const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440, 2880, 7200, 14400].map((minutes) => minutes * 60_000);

/** Round times in a range, in local time: midnights and full hours rather than any moment. */
export function timeTicks(from, to, wanted = 6) {
  const step = STEPS.find((one) => (to - from) / one <= wanted) ?? STEPS.at(-1);
  const zone = -new Date(from).getTimezoneOffset() * 60_000;
  const ticks = [];
  for (let at = Math.ceil((from + zone) / step) * step - zone; at <= to; at += step) ticks.push(at);
  return ticks;
}

/**
 * The top of a chart: the maximum, unless a few spikes would flatten all the rest. Then it is three times what 95 % of
 * the values stay below, and the spikes are cut off.
 */
export function ceiling(values) {
  const known = values.filter((v) => v !== null && v !== undefined).sort((a, b) => a - b);
  if (!known.length) return { top: 1, clipped: false };
  const max = known.at(-1);
  const usual = known[Math.floor(0.95 * (known.length - 1))];
  const clipped = known.length >= 20 && usual > 0 && max > 5 * usual;
  return { top: Math.max(clipped ? 3 * usual : max, 0), clipped };
}

/** The index of the time nearest to the given one; -1 if there is none. */
export function nearest(times, at) {
  let best = -1;
  times.forEach((time, i) => {
    if (best < 0 || Math.abs(time - at) < Math.abs(times[best] - at)) best = i;
  });
  return best;
}

/** Sections without a gap: a line is interrupted where samples are missing. [[index, …], …] */
export function sections(times, values, gap) {
  const found = [];
  let last = -1;
  values.forEach((value, i) => {
    if (value === null || value === undefined) return;
    if (last >= 0 && last === i - 1 && times[i] - times[last] <= gap) found.at(-1).push(i);
    else found.push([i]);
    last = i;
  });
  return found;
}
