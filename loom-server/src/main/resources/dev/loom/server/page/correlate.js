// Everything that happened during one record, in all other sources, on one axis of time.

import {html, useEffect, useRef, useState} from './vendor/htm-preact.js';
import {ask, stringify} from './api.js';
import {count, duration, exact, nanosOf, step, time} from './format.js';
import {Command, Table, useWidth} from './parts.js';
import {flat, only} from './records.js';

const LIMIT = 500;
const LANE = 14;
const LANES_MAX = 24;
const HEAD = 120;

/** The field that says how long a record of a source took; null if there is none. */
export function durationField(source) {
  const ofIndex = source.indexes.filter(each => each.field && nanosOf(each.field, each.unit) !== null && each.kind !== 'event-time');
  const likely = ofIndex.find(each => /latency|duration|elapsed|took|held/.test(each.field)) ?? ofIndex[0];
  return likely ? {field: likely.field, nanos: nanosOf(likely.field, likely.unit)} : null;
}

function durationOf(row, field) {
  if (!field) return 0n;
  const value = flat(row.fields)[field.field];
  const nanos = typeof value === 'number' || typeof value === 'bigint' ? Math.round(Number(value) * field.nanos) : 0;
  return nanos > 0 && nanos < 2 ** 63 ? BigInt(nanos) : 0n; // others stand for something else
}

/** When a record began and ended: its time is one of the two, that of its arrival the end. */
function spanOf(row, took, source, state) {
  const at = BigInt(row.ts);
  return isStart(source, state) ? {begin: at, end: at + took} : {begin: at - took, end: at};
}

function isStart(source, state) {
  return state.time === 'event' && source.event_at === 'start';
}

/** What happened during a record, as swim lanes and as a table. */
export function Correlated({record, state, sources, round}) {
  const source = sources.find(each => each.name === state.source);
  return source && html`<${Lanes} record=${record} state=${state} source=${source} sources=${sources} round=${round} />`;
}

function Lanes({record, state, source, sources, round}) {
  const own = durationField(source) ?? guess(record);
  const took = durationOf(record, own);
  const {begin: from, end} = spanOf(record, took, source, state);
  const to = end + 1n;
  const [lanes, setLanes] = useState([]);
  const [chosen, setChosen] = useState(null);
  const others = sources.filter(each => each !== source);
  const timed = others.filter(each => !state.time || hasEventTime(each));
  const requests = took === 0n ? [] : timed
    .map(other => ({other, body: request(record, own, source, other, state)}));
  useEffect(() => {
    const abort = new AbortController();
    setLanes([]);
    setChosen(null);
    for (const lane of requests) {
      ask('correlate', lane.body, abort.signal).then(
        ({rows, end}) => setLanes(old => [...old, {...lane, rows: inOrder(rows), end}].sort(byName)),
        error => abort.signal.aborted || setLanes(old => [...old, {...lane, rows: [], error}]));
    }
    return () => abort.abort();
  }, [`${record.addr} ${round} ${stringify(requests.map(each => each.body))}`]);
  if (took === 0n) return html`<p class="hint">The record has no duration, so nothing happened during it.</p>`;
  return html`<section aria-label="during this record" class="correlated">
    <h4>during its ${duration(took)}</h4>
    <p class="axis"><span>${time(from)}</span><span>${duration(took / 2n)}</span><span>${duration(took)}</span></p>
    ${lanes.map(lane => html`<${Lane} lane=${lane} from=${from} to=${to} state=${state}
      chosen=${chosen} onChoose=${setChosen} />`)}
    ${timed.length < others.length && html`<p class="hint">${`Left out, as their records have no times of their own: ${
      others.filter(each => !timed.includes(each)).map(each => each.name).join(', ')}.`}</p>`}
    ${lanes.length < requests.length && html`<p class="busy" role="status">asking …</p>`}
    ${chosen && html`<div class="copied"><b>${chosen.source}</b> ${time(chosen.ts)}
      <code>${exact(chosen.fields)}</code></div>`}
  </section>`;
}

/** What overlaps the record in another source; of records without a duration, what happened until it ended or since it began. */
function request(record, own, source, other, state) {
  const otherField = durationField(other);
  const value = Number(flat(record.fields)[own.field]);
  const body = {source: state.source, field: own.field, above: String(Number.isInteger(value) ? value - 1 : value * (1 - 1e-12)),
    with: other.name, from: time(record.ts), to: time(BigInt(record.ts) + 1n), ...only(record.addr), limit: LIMIT,
    time: state.time || 'arrival'};
  if (otherField) body.overlap = [own.field, otherField.field];
  else body[isStart(source, state) ? 'after' : 'before'] = step(Math.round(value * own.nanos));
  return body;
}

function hasEventTime(source) {
  return source.indexes.some(each => each.kind === 'event-time');
}

function inOrder(rows) {
  return rows.sort((a, b) => (BigInt(a.ts) < BigInt(b.ts) ? -1 : 1));
}

function byName(one, other) {
  return one.body.with.localeCompare(other.body.with);
}

function guess(record) {
  const name = Object.keys(flat(record.fields)).find(each => nanosOf(each) !== null && /latency|duration|elapsed|took/.test(each));
  return name ? {field: name, nanos: nanosOf(name)} : null;
}

/** Records that overlap lie in lanes below each other. */
export function packed(rows, source, state) {
  const field = durationField(source);
  const ends = [];
  return rows.map(row => {
    const {begin, end} = spanOf(row, durationOf(row, field), source, state);
    let lane = ends.findIndex(each => each <= begin);
    if (lane < 0) lane = ends.length < LANES_MAX ? ends.length : LANES_MAX - 1;
    ends[lane] = end;
    return {row, begin, end, lane};
  });
}

/** The records of one source. */
function Lane({lane, from, to, state, chosen, onChoose}) {
  const frame = useRef(null);
  const canvas = useRef(null);
  const width = useWidth(frame);
  const [asTable, setAsTable] = useState(false);
  const bars = packed(lane.rows, lane.other, state);
  const height = LANE * (1 + Math.max(0, ...bars.map(bar => bar.lane))) + 4;
  const x = at => HEAD + (Number(at - from) * (width - HEAD - 4)) / Number(to - from);
  useEffect(() => {
    if (!width) return;
    const ratio = devicePixelRatio || 1;
    canvas.current.width = width * ratio;
    canvas.current.height = height * ratio;
    const context = canvas.current.getContext('2d');
    const style = getComputedStyle(canvas.current);
    context.scale(ratio, ratio);
    context.strokeStyle = style.getPropertyValue('--line');
    context.strokeRect(HEAD - 0.5, 0.5, width - HEAD - 3, height - 1);
    for (const bar of bars) {
      const left = Math.max(HEAD, x(bar.begin));
      context.fillStyle = style.getPropertyValue(bar.row === chosen ? '--accent' : '--bar');
      context.fillRect(left, 2 + bar.lane * LANE, Math.max(2, x(bar.end) - left), LANE - 3);
    }
  });
  const hit = event => {
    const box = canvas.current.getBoundingClientRect();
    const at = event.clientX - box.left;
    const row = Math.floor((event.clientY - box.top - 2) / LANE);
    const found = bars.filter(bar => bar.lane === row && x(bar.begin) - 3 <= at && x(bar.end) + 3 >= at).at(-1);
    if (found) onChoose(found.row);
  };
  const walk = event => {
    const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
    if (!step || !bars.length) return;
    event.preventDefault();
    const next = lane.rows.indexOf(chosen) + step;
    onChoose(lane.rows[Math.min(lane.rows.length - 1, Math.max(0, next))]);
  };
  return html`<div class="lane" ref=${frame}>
    <span class="lane-name"><b>${lane.body.with}</b> ${count(lane.rows.length)}${lane.rows.length === LIMIT ? '+' : ''}</span>
    <canvas ref=${canvas} tabindex="0" role="application" style=${{width: `${width}px`, height: `${height}px`}} onClick=${hit} onKeyDown=${walk}
      aria-label=${`${lane.rows.length} records of ${lane.body.with}. Arrow keys walk.`} />
    <div class="row"><button type="button" aria-expanded=${asTable} onClick=${() => setAsTable(!asTable)}>as table</button>
      ${lane.error ? html`<span class="error">${lane.error.message}</span>` : html`<${Command} name="correlate" body=${lane.body} />`}
      ${lane.end && !lane.end.complete && html`<span class="warn">incomplete</span>`}</div>
    ${asTable && html`<${Table} label=${`records of ${lane.body.with}`} rows=${lane.rows} onChoose=${onChoose} columns=${[
      {label: 'since the beginning', number: true, cell: row => duration(BigInt(row.ts) - from)},
      {label: 'time', cell: row => time(row.ts)}, {label: 'fields', cell: row => exact(row.fields)}]} />`}
  </div>`;
}
