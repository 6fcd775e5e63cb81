// Everything that happened during one record, in all other sources, on one axis of time.

import {html, useEffect, useRef, useState} from './vendor/htm-preact.js';
import {ask, stringify} from './api.js';
import {count, duration, exact, nanosOf, step, time} from './format.js';
import {Command, Table, useWidth} from './parts.js';
import {flat} from './records.js';

const LIMIT = 500;
const LANE = 14;
const LANES_MAX = 24;
const HEAD = 120;

/** The field that says how long a record of a source took; null if there is none. */
export function durationField(source, indexes) {
  const ofIndex = indexes.filter(each => each.source === source && each.field && nanosOf(each.field, each.unit) !== null
    && each.kind !== 'event-time');
  const likely = ofIndex.find(each => /latency|duration|elapsed|took|held/.test(each.field)) ?? ofIndex[0];
  return likely ? {field: likely.field, nanos: nanosOf(likely.field, likely.unit)} : null;
}

function durationOf(row, field) {
  if (!field) return 0n;
  const value = flat(row.fields)[field.field];
  return typeof value === 'number' || typeof value === 'bigint' ? BigInt(Math.round(Number(value) * field.nanos)) : 0n;
}

/** What happened during a record, as swim lanes and as a table. */
export function Correlated({record, state, sources, indexes, round}) {
  const own = durationField(record.source, indexes) ?? guess(record);
  const took = durationOf(record, own);
  const to = BigInt(record.ts) + 1n;
  const from = to - 1n - took;
  const [lanes, setLanes] = useState([]);
  const [chosen, setChosen] = useState(null);
  const others = sources.filter(each => each.name !== record.source);
  const timed = others.filter(each => !state.time || hasEventTime(each, indexes));
  const requests = took === 0n ? [] : timed
    .map(each => request(record, own, each, durationField(each.name, indexes), state));
  useEffect(() => {
    const abort = new AbortController();
    setLanes([]);
    setChosen(null);
    for (const body of requests) {
      ask('correlate', body, abort.signal).then(
        ({rows, end}) => setLanes(old => [...old, {body, rows: ofRecord(rows, record), end}].sort(byName)),
        error => abort.signal.aborted || setLanes(old => [...old, {body, rows: [], error}]));
    }
    return () => abort.abort();
  }, [`${record.addr} ${round} ${stringify(requests)}`]);
  if (took === 0n) return html`<p class="hint">The record has no duration, so nothing happened during it.</p>`;
  return html`<section aria-label="during this record" class="correlated">
    <h4>during its ${duration(took)}</h4>
    <p class="axis"><span>${time(from)}</span><span>${duration(took / 2n)}</span><span>${duration(took)}</span></p>
    ${lanes.map(lane => html`<${Lane} lane=${lane} from=${from} to=${to} field=${durationField(lane.body.with, indexes)}
      chosen=${chosen} onChoose=${setChosen} />`)}
    ${timed.length < others.length && html`<p class="hint">${`Left out, as their records have no times of their own: ${
      others.filter(each => !timed.includes(each)).map(each => each.name).join(', ')}.`}</p>`}
    ${lanes.length < requests.length && html`<p class="busy" role="status">asking …</p>`}
    ${chosen && html`<div class="copied"><b>${chosen.source}</b> ${time(chosen.ts)}
      <code>${exact(chosen.fields)}</code></div>`}
  </section>`;
}

/** What overlaps the record in another source; of records without a duration, what happened before it ended. */
function request(record, own, other, otherField, state) {
  const value = Number(flat(record.fields)[own.field]);
  const body = {source: state.source, field: own.field, above: String(Number.isInteger(value) ? value - 1 : value * (1 - 1e-12)),
    with: other.name, from: String(record.ts), to: String(BigInt(record.ts) + 1n), limit: LIMIT};
  if (otherField) body.overlap = [own.field, otherField.field];
  else body.before = step(Math.round(value * own.nanos));
  if (state.time) body.time = state.time;
  return body;
}

function hasEventTime(source, indexes) {
  return indexes.some(each => each.source === source.name && each.kind === 'event-time');
}

/** Other records that arrived in the same nanosecond have their own. */
function ofRecord(rows, record) {
  return rows.filter(row => row.cause === record.addr).sort((a, b) => (BigInt(a.ts) < BigInt(b.ts) ? -1 : 1));
}

function byName(one, other) {
  return one.body.with.localeCompare(other.body.with);
}

function guess(record) {
  const name = Object.keys(flat(record.fields)).find(each => nanosOf(each) !== null && /latency|duration|elapsed|took/.test(each));
  return name ? {field: name, nanos: nanosOf(name)} : null;
}

/** Records that overlap lie in lanes below each other. */
function packed(rows, field) {
  const ends = [];
  return rows.map(row => {
    const end = BigInt(row.ts);
    const begin = end - durationOf(row, field);
    let lane = ends.findIndex(each => each <= begin);
    if (lane < 0) lane = ends.length < LANES_MAX ? ends.length : LANES_MAX - 1;
    ends[lane] = end;
    return {row, begin, end, lane};
  });
}

/** The records of one source. */
function Lane({lane, from, to, field, chosen, onChoose}) {
  const frame = useRef(null);
  const canvas = useRef(null);
  const width = useWidth(frame);
  const [asTable, setAsTable] = useState(false);
  const bars = packed(lane.rows, field);
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
