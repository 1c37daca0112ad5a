import { h, useLayoutEffect, useRef, useState } from './parts.js';
import { words, clock, time } from './i18n.js';
import { ceiling, nearest, sections, timeTicks, valueTicks } from './scale.js';

const t = words({
  'higher values are cut off; the highest is': '过高的值已截断，最高为',
  'No data in this range.': '该时间范围内没有数据。',
});

const HEIGHT = 148;
const PAD = { left: 52, right: 10, top: 8, bottom: 20 };

/**
 * Lines over time. times in milliseconds; series: [{ name, values, cls, format }]; marks: [{ at, text, cls }] are drawn
 * as vertical lines. A line is interrupted where nothing was sampled for longer than `gap`.
 */
export function Chart({ title, note, series, times, from, to, gap = Infinity, marks = [] }) {
  const box = useRef();
  const [width, setWidth] = useState(560);
  const [pointer, setPointer] = useState(null); // pixels from the left; it rests there while new samples move the lines
  useLayoutEffect(() => {
    const fit = () => setWidth(Math.max(220, Math.floor(box.current.clientWidth)));
    fit();
    const watch = new ResizeObserver(fit);
    watch.observe(box.current);
    return () => watch.disconnect();
  }, []);
  const start = from ?? times[0];
  const end = Math.max(to ?? times.at(-1) ?? 0, start + 1);
  const { top, clipped } = ceiling(series.flatMap((s) => s.values));
  const ticks = valueTicks(top, { seconds: series[0].seconds });
  const limit = ticks.at(-1);
  const x = (at) => PAD.left + ((at - start) / (end - start)) * (width - PAD.left - PAD.right);
  const y = (v) => PAD.top + (1 - Math.min(v, limit) / limit) * (HEIGHT - PAD.top - PAD.bottom);
  const timeAt = (left) => start + ((left - PAD.left) / (width - PAD.left - PAD.right)) * (end - start);
  const last = (s) => s.format(s.values.length ? s.values.at(-1) : null);
  const shown = pointer === null || !times.length ? null : nearest(times, timeAt(pointer));
  const value = (s) => (shown === null ? last(s) : s.format(s.values[shown]));
  const max = Math.max(...series.flatMap((s) => s.values.filter((v) => v !== null && v !== undefined)));
  return h(
    'section',
    { class: 'card chart-card' },
    h(
      'div',
      { class: 'card-head' },
      h('h2', null, title, note ? h('span', { class: 'label' }, ' ', note) : null),
      h('span', { class: 'label num' }, shown === null ? '' : time(new Date(times[shown]).toISOString())),
    ),
    h(
      'div',
      { class: 'chart-box', ref: box },
      h(
        'svg',
        {
          'class': 'chart',
          width,
          'height': HEIGHT,
          'role': 'img',
          'aria-label': title + ': ' + series.map((s) => s.name + ' ' + last(s)).join(', '),
          'onMouseMove': (e) => setPointer(e.clientX - box.current.getBoundingClientRect().left),
          'onMouseLeave': () => setPointer(null),
        },
        ticks.map((tick) => [
          h('line', { class: 'grid-line', x1: PAD.left, x2: width - PAD.right, y1: y(tick), y2: y(tick) }),
          h(
            'text',
            { 'class': 'axis', 'x': PAD.left - 6, 'y': y(tick) + 4, 'text-anchor': 'end' },
            series[0].axis?.(tick) ?? series[0].format(tick),
          ),
        ]),
        times.length
          ? timeTicks(start, end, Math.max(2, Math.floor(width / 90))).map((at) =>
              h(
                'text',
                { 'class': 'axis', 'x': x(at), 'y': HEIGHT - 4, 'text-anchor': 'middle' },
                clock(at, end - start),
              ),
            )
          : h(
              'text',
              { 'class': 'axis', 'x': width / 2, 'y': HEIGHT / 2, 'text-anchor': 'middle' },
              t('No data in this range.'),
            ),
        marks
          .filter((mark) => mark.at >= start && mark.at <= end)
          .map((mark) =>
            h(
              'g',
              { class: 'mark ' + (mark.cls ?? '') },
              h('line', { x1: x(mark.at), x2: x(mark.at), y1: PAD.top, y2: HEIGHT - PAD.bottom }),
              h('path', { d: `M${x(mark.at) - 4} ${PAD.top - 6}h8l-4 6z` }),
              h('title', null, mark.text),
            ),
          ),
        series.map((s) =>
          sections(times, s.values, gap).map((indexes) =>
            indexes.length === 1
              ? h('circle', { class: s.cls, cx: x(times[indexes[0]]), cy: y(s.values[indexes[0]]), r: 1.6 })
              : h('path', {
                  class: s.cls,
                  d: 'M' + indexes.map((i) => `${x(times[i]).toFixed(1)} ${y(s.values[i]).toFixed(1)}`).join('L'),
                }),
          ),
        ),
        shown === null
          ? null
          : h('line', {
              class: 'cross',
              x1: x(times[shown]),
              x2: x(times[shown]),
              y1: PAD.top,
              y2: HEIGHT - PAD.bottom,
            }),
        shown === null
          ? null
          : series
              .filter((s) => s.values[shown] !== null && s.values[shown] !== undefined)
              .map((s) => h('circle', { class: 'hit ' + s.cls, cx: x(times[shown]), cy: y(s.values[shown]), r: 3 })),
      ),
    ),
    h(
      'div',
      { class: 'legend' },
      series.map((s) => h('span', null, h('i', { class: 'dot ' + s.cls }), s.name + ' ', h('b', null, value(s)))),
      clipped
        ? h('span', { class: 'label' }, `${t('higher values are cut off; the highest is')} ${series[0].format(max)}`)
        : null,
    ),
  );
}

/** A small line without axes, for tables. */
export function Sparkline({ values, label }) {
  const width = 120;
  const height = 22;
  const top = Math.max(1, ...values);
  const step = values.length > 1 ? width / (values.length - 1) : 0;
  const points = values.map((v, i) => `${(i * step).toFixed(1)} ${(height - 2 - (v / top) * (height - 4)).toFixed(1)}`);
  return h(
    'svg',
    { 'class': 'spark', width, height, 'viewBox': `0 0 ${width} ${height}`, 'role': 'img', 'aria-label': label },
    points.length > 1 ? h('path', { class: 'area', d: `M0 ${height}L${points.join('L')}L${width} ${height}Z` }) : null,
    points.length > 1 ? h('path', { class: 'l2', d: 'M' + points.join('L') }) : null,
  );
}
