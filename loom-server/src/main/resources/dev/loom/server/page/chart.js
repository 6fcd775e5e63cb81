// Lines over time, drawn by uPlot.

import {html, useEffect, useRef} from './vendor/htm-preact.js';
import {quantity} from './format.js';
import {useWidth} from './parts.js';

const HUES = ['#4f9cff', '#ff9f40', '#3fbf7f', '#e05a7a', '#a06cff', '#c2b23a', '#40c4c4', '#b0764f', '#8a8f98', '#e070d0'];

/** The values without a neighbour, of which a line shows nothing. */
function alone(values) {
  return values.flatMap((value, i) =>
    (value !== null && (values[i - 1] ?? null) === null && (values[i + 1] ?? null) === null ? [i] : []));
}

/**
 * Lines over time.
 *
 * times are BigInt nanoseconds; lines are {label, values}, null where there is none.
 */
export function Lines({times, lines, field, unit, theme, label}) {
  const frame = useRef(null);
  const width = useWidth(frame);
  useEffect(() => {
    if (!times.length || !width) return undefined;
    const style = getComputedStyle(frame.current);
    const axis = {stroke: style.getPropertyValue('--ink'), grid: {stroke: style.getPropertyValue('--line'), width: 1}};
    const chart = new uPlot({
      width, height: 240, tzDate: at => uPlot.tzDate(new Date(at * 1e3), 'UTC'), legend: {live: true},
      scales: {x: {time: true}},
      axes: [axis, {...axis, size: 70, values: (self, ticks) => ticks.map(tick => quantity(field, unit, tick))}],
      series: [{label: 'time (UTC)'}, ...lines.map((line, i) => ({label: line.label, stroke: HUES[i % HUES.length], width: 1.5,
        points: {show: times.length < 60, filter: (self, number, shown) => (shown ? null : alone(line.values))}, value: (self, value) => quantity(field, unit, value)}))],
    }, [times.map(at => Number(at / 1000n) / 1e6), ...lines.map(line => line.values)], frame.current);
    return () => chart.destroy();
  }, [times, lines, width, theme]);
  return html`<div class="lines" ref=${frame} role="img" aria-label=${label} />`;
}
