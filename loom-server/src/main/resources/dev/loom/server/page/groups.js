// Percentiles of a selection, and groups and steps as lines.

import {html, useMemo} from './vendor/htm-preact.js';
import {stringify} from './api.js';
import {Lines} from './chart.js';
import {count, exact, niceStep, quantity, short, step as stepText, time} from './format.js';
import {Export, Outcome, Table, useAnswer} from './parts.js';
import {change, equalTo, isNamed, selected, selection} from './state.js';

const PERCENTILES = [0, 25, 50, 75, 90, 95, 99, 99.9, 99.99, 100];
const LINES = 10;
const STEPS = 60;

/** Objects have names that are whole numbers first. */
const ascending = percentiles => Object.entries(percentiles).sort(([a], [b]) => a - b);

/** Count, sum, extremes, mean and exact percentiles. */
export function Percentiles({state, unit, round}) {
  const body = {...selected(state), field: state.field, percentile: PERCENTILES};
  const answer = useAnswer('agg', body, round);
  const row = answer.rows[0];
  return html`<div>${row && html`<${Table} label="percentiles" rows=${ascending(row.percentiles ?? {})} columns=${[
    {label: 'percentile', cell: ([name]) => `p${name}`},
    {label: state.field, number: true, cell: ([, value]) => quantity(state.field, unit, value)},
    {label: 'exactly', number: true, cell: ([, value]) => count(value)}]} />
    <p class="hint"><b>${count(row.count)}</b> values, sum ${count(row.sum)}, mean ${quantity(state.field, unit, row.mean)}</p>`}
    <${Outcome} answer=${answer} name="agg" body=${body} /></div>`;
}

/** The measures that groups can be compared by. */
const MEASURES = [['rate', 'rate a second'], ['count', 'count'], ['p50', 'p50'], ['p99', 'p99'], ['max', 'max'], ['mean', 'mean'], ['sum', 'sum']];

function measure(row, name) {
  const value = name[0] === 'p' ? row.percentiles?.[name.slice(1)] : row[name];
  return value === undefined || value === null ? null : Number(value);
}

/** What is shown: without a field there is nothing but the count to show. */
function measureName(state) {
  return (state.field || state.measure === 'count' ? state.measure : '') || 'rate';
}

/** The request for groups, in steps if there are any. */
export function groupsRequest(state, span) {
  const body = {...selected(state)};
  const name = measureName(state);
  if (state.field && name !== 'rate' && name !== 'count') body.field = state.field;
  if (name[0] === 'p') body.percentile = [name.slice(1)];
  if (state.by) body.by = state.by.split(',');
  if (span > 0) body.step = stepText(niceStep(span / STEPS));
  if (state.by) body.limit = LINES;
  return body;
}

/** Groups over time. */
export function Groups({state, unit, names, types, range, theme, round}) {
  const name = measureName(state);
  const shown = selection(state) ?? range;
  const span = shown ? Number(shown.to - shown.from) : 0;
  const body = groupsRequest(state, span);
  const answer = useAnswer('agg', body, round);
  const {times, lines} = useMemo(() => series(answer.rows, name), [answer.rows, name]);
  const isValue = name !== 'rate' && name !== 'count';
  return html`<div>
    <div class="row">
      <label>by <select id="by" value=${state.by ?? ''} onChange=${event => change({by: event.target.value})}>
        <option value="">nothing</option>${names.map(each => html`<option value=${each}>${each}</option>`)}
        ${state.by && !names.includes(state.by) && html`<option value=${state.by}>${state.by}</option>`}</select></label>
      <label>show <select id="measure" value=${name} onChange=${event => change({measure: event.target.value})}>
        ${MEASURES.filter(([each]) => state.field || each === 'rate' || each === 'count')
          .map(([each, text]) => html`<option value=${each}>${text}</option>`)}</select></label>
      <${Export} name="agg" body=${body} />
    </div>
    <${Lines} times=${times} lines=${lines} field=${isValue ? state.field : ''} unit=${isValue ? unit : ''} theme=${theme}
      label=${`${name} over time, ${lines.length} lines; the table below has the values`} />
    <${Table} label="groups and steps" rows=${answer.rows.slice(0, 1000)} busy=${answer.loading}
      onChoose=${row => choose(state, row, types)} columns=${[
        {label: 'from', cell: row => (row.from ? time(row.from) : '')},
        ...(state.by ? [{label: state.by, cell: row => (row.other ? '(other)' : labelOf(row))}] : []),
        {label: 'count', number: true, cell: row => count(row.count)},
        {label: 'rate', number: true, cell: row => (row.rate === undefined ? '–' : `${short(row.rate)}/s`)},
        ...(isValue ? [{label: name, number: true, cell: row => quantity(state.field, unit, measure(row, name))}] : [])]} />
    <${Outcome} answer=${answer} name="agg" body=${body} />
  </div>`;
}

function labelOf(row) {
  return Object.values(row.by ?? {}).map(value => (value === null ? '(none)' : exact(value))).join(', ');
}

function choose(state, row, types) {
  if (!row.by || !Object.entries(row.by).every(([name, value]) => isNamed(value, types[name]))) return;
  change({where: [...state.where, ...Object.entries(row.by).map(([name, value]) => equalTo(name, value))]});
}

/** A line for each group. Where steps have no records, one time more breaks the lines, which would go on as if there were some. */
function series(rows, name) {
  const steps = new Map();
  const lines = new Map();
  for (const row of rows) {
    if (!row.from) continue;
    steps.set(String(row.from), [BigInt(row.from), BigInt(row.to)]);
    const key = row.other ? 'other' : stringify(row.by ?? {}); // different groups may read alike
    if (!lines.has(key)) lines.set(key, {label: row.other ? '(other)' : labelOf(row) || 'all', values: new Map()});
    lines.get(key).values.set(String(row.from), measure(row, name));
  }
  const found = [...steps.values()].sort(([a], [b]) => (a < b ? -1 : 1));
  const times = found.flatMap(([from, to], i) => (i + 1 < found.length && to < found[i + 1][0] ? [from, to] : [from]));
  return {
    times,
    lines: [...lines.values()].map(({label, values}) => ({label, values: times.map(at => values.get(String(at)) ?? null)})),
  };
}
