// The records of a selection, and one record as a whole.

import {html, useEffect, useState} from './vendor/htm-preact.js';
import {exact, time} from './format.js';
import {Copied, Export, Outcome, Table, useAnswer} from './parts.js';
import {change, equalTo, isNamed, selected} from './state.js';
import {text} from './api.js';
import {Correlated} from './correlate.js';

const LIMIT = 100;

/** The fields that rows have, those of nested objects by their paths. */
export function flat(fields, prefix = '', into = {}) {
  for (const [name, value] of Object.entries(fields ?? {})) {
    if (value && typeof value === 'object' && !Array.isArray(value)) flat(value, `${prefix}${name}.`, into);
    else into[prefix + name] = value;
  }
  return into;
}

/** The names of all fields of some rows, in the order in which they are met. */
export function fieldNames(rows) {
  const names = new Set();
  rows.forEach(row => Object.keys(flat(row.fields)).forEach(name => names.add(name)));
  return [...names];
}

/** The request for the records of the selection. */
export function recordsRequest(state) {
  const body = selected(state);
  if (state.order === 'top' && state.field) return ['top', {...body, field: state.field, n: LIMIT}];
  return ['scan', {...body, limit: LIMIT}];
}

/** Records, newest or largest first, with the columns that are wanted. */
export function Records({state, sources, indexes, round}) {
  const [name, body] = recordsRequest(state);
  const answer = useAnswer(name, body, round);
  const names = fieldNames(answer.rows);
  const wanted = state.columns ? state.columns.split(',').filter(each => names.includes(each)) : names.slice(0, 10);
  const toggle = field => change({columns: (wanted.includes(field) ? wanted.filter(each => each !== field) : [...wanted, field]).join(',')});
  return html`<div>
    <div class="row">
      <label>order <select id="order" value=${state.order ?? 'new'} onChange=${event => change({order: event.target.value})}>
        <option value="new">newest first</option>
        ${state.field && html`<option value="top">largest ${state.field} first</option>`}
      </select></label>
      <details class="columns"><summary>columns</summary><div class="menu">
        ${names.map(field => html`<label><input type="checkbox" checked=${wanted.includes(field)} onChange=${() => toggle(field)} /> ${field}</label>`)}
      </div></details>
      <${Export} name=${name} body=${body} />
    </div>
    <${Table} label="records" rows=${answer.rows} busy=${answer.loading}
      onChoose=${row => change({record: `${row.source}@${row.addr}@${row.ts}`})}
      chosen=${row => state.record === `${row.source}@${row.addr}@${row.ts}`}
      columns=${[{label: 'time', cell: row => time(row.ts)},
        ...wanted.map(field => ({label: field, number: typeof flat(answer.rows[0]?.fields)[field] === 'number',
          cell: row => exact(flat(row.fields)[field]), title: row => exact(flat(row.fields)[field])}))]} />
    <${Outcome} answer=${answer} name=${name} body=${body} />
    ${state.record && html`<${Detail} state=${state} rows=${answer.rows} sources=${sources} indexes=${indexes} round=${round} />`}
  </div>`;
}

/** One record: all of it, what came before and after it, and what happened meanwhile. */
function Detail({state, rows, sources, indexes, round}) {
  // a source's name may have an @, too
  const [, source, addr, ts] = /^(.*)@(\d+)@(-?\d+)$/s.exec(state.record) ?? [null, '', '-1', '0'];
  const there = rows.find(row => row.source === source && String(row.addr) === addr);
  const at = {source: state.source, from: ts, to: String(BigInt(ts) + 1n), ...(state.time ? {time: state.time} : {})};
  const found = useAnswer(there ? null : 'scan', at, round);
  const record = there ?? found.rows.find(row => String(row.addr) === addr);
  const [around, setAround] = useState(false);
  useEffect(() => setAround(false), [state.record]);
  if (!record) return html`<${Outcome} answer=${found} />`;
  const fields = flat(record.fields);
  const trace = fields.trace_id;
  return html`<section class="detail" aria-label="record">
    <div class="row"><h3>${record.source} at ${time(record.ts)}</h3>
      <button type="button" id="around" aria-expanded=${around} onClick=${() => setAround(!around)}>before and after</button>
      ${trace && html`<a href=${`#view=trace&trace=${encodeURIComponent(trace)}`}>its trace</a>`}
      <button type="button" id="close-record" onClick=${() => change({record: ''})}>close</button></div>
    <dl>${Object.entries(fields).map(([name, value]) => html`<dt>${name}</dt><dd><span class="value">${exact(value)}</span>
      ${isNamed(value) && html`<button type="button" title="only these"
        onClick=${() => change({where: [...state.where, equalTo(name, value)]})}>=</button>
      <button type="button" title="all but these"
        onClick=${() => change({where: [...state.where, `not ${equalTo(name, value)}`]})}>≠</button>`}</dd>`)}</dl>
    <${Copied} label="record" text=${text(record)} />
    ${around && html`<${Around} record=${record} state=${state} round=${round} />`}
    <${Correlated} record=${record} state=${state} sources=${sources} indexes=${indexes} round=${round} />
  </section>`;
}

/** The records before and after one, whatever the conditions. */
function Around({record, state, round}) {
  const clock = state.time ? {time: state.time} : {};
  const before = {source: state.source, to: String(record.ts), limit: 10, ...clock};
  const after = {source: state.source, from: String(record.ts), asc: true, limit: 11, ...clock};
  const older = useAnswer('scan', before, round);
  const newer = useAnswer('scan', after, round);
  const rows = [...older.rows.slice().reverse(), ...newer.rows];
  const names = fieldNames(rows).slice(0, 10);
  return html`<div><h4>before and after</h4><${Table} label="records before and after" rows=${rows}
    chosen=${row => row.addr === record.addr}
    columns=${[{label: 'time', cell: row => time(row.ts)}, ...names.map(field => ({label: field, cell: row => exact(flat(row.fields)[field])}))]} />
    <${Outcome} answer=${older} name="scan" body=${before} /><${Outcome} answer=${newer} name="scan" body=${after} /></div>`;
}
