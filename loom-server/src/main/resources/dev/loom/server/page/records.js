// The records of a selection, and one record as a whole.

import {html, useEffect, useState} from './vendor/htm-preact.js';
import {exact, time} from './format.js';
import {Copied, Export, Outcome, Table, useAnswer} from './parts.js';
import {change, equalTo, isNamed, selected} from './state.js';
import {text} from './api.js';
import {Correlated} from './correlate.js';

const LIMIT = 100;
const AROUND = 10;

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

/** A record in the page's address: its source and where in the log it is. */
export function linkOf(row) {
  return `${row.source}@${row.addr}`;
}

/** The request for the records of the selection. */
export function recordsRequest(state) {
  const body = selected(state);
  if (state.order === 'top' && state.field) return ['top', {...body, field: state.field, n: LIMIT}];
  return ['scan', {...body, limit: LIMIT}];
}

/** Records, newest or largest first, with the columns that are wanted. */
export function Records({state, sources, types, round}) {
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
      onChoose=${row => change({record: linkOf(row)})} chosen=${row => state.record === linkOf(row)}
      columns=${[{label: 'time', cell: row => time(row.ts)},
        ...wanted.map(field => ({label: field, number: typeof flat(answer.rows[0]?.fields)[field] === 'number',
          cell: row => exact(flat(row.fields)[field]), title: row => exact(flat(row.fields)[field])}))]} />
    <${Outcome} answer=${answer} name=${name} body=${body} />
    ${state.record && html`<${Detail} state=${state} rows=${answer.rows} sources=${sources} types=${types} round=${round} />`}
  </div>`;
}

/** One record: all of it, what came before and after it, and what happened meanwhile. */
function Detail({state, rows, sources, types, round}) {
  const [, source, addr] = /^(.*)@(\d+)$/s.exec(state.record) ?? [null, '', '-1']; // a source's name may have an @, too
  const there = rows.find(row => row.source === source && String(row.addr) === addr);
  const at = {...unconditional(state), ...only(addr), asc: true};
  const found = useAnswer(there ? null : 'scan', at, round);
  const record = there ?? found.rows.find(row => String(row.addr) === addr);
  const [around, setAround] = useState(false);
  useEffect(() => setAround(false), [state.record]);
  if (!record) {
    return html`<div>${found.end && html`<p class="hint">The source has no such record${
      state.time === 'event' ? ', or it has no time of its own' : ''}.</p>`}<${Outcome} answer=${found} name="scan" body=${at} /></div>`;
  }
  const fields = flat(record.fields);
  const trace = fields.trace_id;
  return html`<section class="detail" aria-label="record">
    <div class="row"><h3>${record.source} at ${time(record.ts)}</h3>
      <button type="button" id="around" aria-expanded=${around} onClick=${() => setAround(!around)}>before and after</button>
      ${trace && html`<a href=${`#view=trace&trace=${encodeURIComponent(trace)}`}>its trace</a>`}
      <button type="button" id="close-record" onClick=${() => change({record: ''})}>close</button></div>
    <dl>${Object.entries(fields).map(([name, value]) => html`<dt>${name}</dt><dd><span class="value">${exact(value)}</span>
      ${isNamed(value, types[name]) && html`<button type="button" title="only these"
        onClick=${() => change({where: [...state.where, equalTo(name, value)]})}>=</button>
      <button type="button" title="all but these"
        onClick=${() => change({where: [...state.where, `not ${equalTo(name, value)}`]})}>≠</button>`}</dd>`)}</dl>
    <${Copied} label="record" text=${text(record)} />
    ${around && html`<${Around} record=${record} state=${state} round=${round} />`}
    <${Correlated} record=${record} state=${state} sources=${sources} round=${round} />
  </section>`;
}

/** The members of a request for any of the source's records. */
function unconditional(state) {
  return {source: state.source, ...(state.time ? {time: state.time} : {})};
}

/** The members of a request for the record at an address. */
export function only(addr) {
  return {'from-address': String(addr), 'to-address': String(BigInt(addr) + 1n)};
}

/** The records before and after one, whatever the conditions. Those of the same time are in the order of their addresses. */
function Around({record, state, round}) {
  const all = unconditional(state);
  const at = time(record.ts);
  const next = time(BigInt(record.ts) + 1n);
  const addr = String(record.addr);
  const asked = [
    {...all, to: at, limit: AROUND},
    {...all, from: at, to: next, 'to-address': addr, limit: AROUND},
    {...all, from: at, to: next, 'from-address': addr, asc: true, limit: AROUND + 1},
    {...all, from: next, asc: true, limit: AROUND},
  ];
  const answers = asked.map(body => useAnswer('scan', body, round));
  const [older, before, after, newer] = answers.map(answer => answer.rows);
  const rows = [...[...before, ...older].slice(0, AROUND).reverse(), ...[...after, ...newer].slice(0, AROUND + 1)];
  const names = fieldNames(rows).slice(0, 10);
  return html`<div><h4>before and after</h4><${Table} label="records before and after" rows=${rows}
    chosen=${row => row.addr === record.addr}
    columns=${[{label: 'time', cell: row => time(row.ts)}, ...names.map(field => ({label: field, cell: row => exact(flat(row.fields)[field])}))]} />
    ${asked.map((body, i) => html`<${Outcome} answer=${answers[i]} name="scan" body=${body} />`)}</div>`;
}
