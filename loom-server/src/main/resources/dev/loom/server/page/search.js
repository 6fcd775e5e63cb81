// Search with counts over time, and the live tail.

import {html, useEffect, useMemo, useRef, useState} from './vendor/htm-preact.js';
import {ask, stream} from './api.js';
import {Lines} from './chart.js';
import {count, exact, niceStep, step as stepText, time} from './format.js';
import {Command, Export, Outcome, Table, TextField, useAnswer, verdict} from './parts.js';
import {change, selected, selection} from './state.js';
import {fieldNames, flat, linkOf} from './records.js';

const LIMIT = 100;
const STEPS = 60;
const SHOWN = 500;
const UNSEEN_MAX = 5000;
const LOOK_MILLIS = 5000;

/** The field that has a record's text: the only one, or the longest. */
function textOf(row) {
  const fields = flat(row.fields);
  const body = fields.body ?? fields.text ?? fields.message ?? fields.msg;
  if (body !== undefined) return exact(body);
  return Object.entries(fields).map(([name, value]) => `${name}=${exact(value)}`).join(' ');
}

/** Records whose text matches, and their counts over time. */
export function Search({state, range, names, theme, round}) {
  const text = state.q ?? '';
  const body = {...selected(state), query: text, limit: LIMIT};
  if (state.textfield) body.field = state.textfield;
  const found = useAnswer(text && 'search', body, round);
  const shown = selection(state) ?? range;
  const span = shown ? Number(shown.to - shown.from) : 0;
  const counting = {...body, count: true, within: '2%'};
  delete counting.limit;
  if (span) counting.step = stepText(niceStep(span / STEPS));
  const counts = useAnswer(text && 'search', counting, round);
  const lines = useMemo(() => [{label: 'records', values: counts.rows.map(row => row.count)}], [counts.rows]);
  const times = useMemo(() => counts.rows.map(row => BigInt(row.from)), [counts.rows]);
  const search = event => {
    event.preventDefault();
    change({q: new FormData(event.target).get('q')});
  };
  const total = counts.rows.reduce((sum, row) => sum + row.count, 0);
  return html`<div>
    <form class="row" role="search" onSubmit=${search}>
      <label>words <${TextField} id="q" name="q" size="40" text=${text} placeholder="error AND time* NOT retry" /></label>
      <label>in <select value=${state.textfield ?? ''} onChange=${event => change({textfield: event.target.value})}>
        <option value="">its text</option>${names.map(name => html`<option value=${name}>${name}</option>`)}</select></label>
      <button>search</button>
      ${text && html`<${Export} name="search" body=${body} />`}
    </form>
    ${text && html`<p class="hint">${counts.rows.every(row => row.exact) ? '' : 'about '}<b>${count(Math.round(total))}</b> records</p>
      <${Lines} times=${times} lines=${lines} field="" unit="" theme=${theme} label="matching records over time" />
      <${Outcome} answer=${counts} name="search" body=${counting} />
      <${Table} label="matching records" rows=${found.rows} busy=${found.loading}
        onChoose=${row => change({tab: 'records', record: linkOf(row)})}
        columns=${[{label: 'time', cell: row => time(row.ts)}, {label: 'record', cell: textOf}]} />
      <${Outcome} answer=${found} name="search" body=${body} />`}
  </div>`;
}

/** How many records a source has lost: a closed one is asked for by its id. */
export function lostOf(rows, name) {
  return rows.find(row => `#${row.id}` === name || (row.name === name && !row.closed))?.lost ?? 0;
}

/** How many records a source has lost since this is shown. */
function useLost(name) {
  const [lost, setLost] = useState(0);
  useEffect(() => {
    const abort = new AbortController();
    let before = null;
    const look = () => ask('sources', {}, abort.signal).then(({rows}) => {
      const now = lostOf(rows, name);
      before ??= now;
      setLost(now - before);
    }, () => {}); // the tail itself says what is wrong
    look();
    const timer = setInterval(look, LOOK_MILLIS);
    return () => {
      clearInterval(timer);
      abort.abort();
    };
  }, [name]);
  return lost;
}

/** Records as they arrive. It can be held; what arrives meanwhile is counted. */
export function Tail({state, round}) {
  const [rows, setRows] = useState([]);
  const [held, setHeld] = useState(false);
  const [unseen, setUnseen] = useState(0);
  const [dropped, setDropped] = useState(0);
  const [missing, setMissing] = useState(null);
  const [end, setEnd] = useState(null);
  const [error, setError] = useState(null);
  const lost = useLost(state.source);
  const waiting = useRef([]);
  const holding = useRef(false);
  const body = {source: state.source, follow: true, n: 20};
  if (state.where.length) body.where = state.where;
  if (state.q) body.query = state.q;
  if (state.q && state.textfield) body.field = state.textfield;
  useEffect(() => {
    const abort = new AbortController();
    let skipped = 0;
    waiting.current = [];
    setRows([]);
    setMissing(null);
    setError(null);
    setEnd(null);
    stream('tail', body, {
      signal: abort.signal,
      onRow: row => {
        if (row.missing) {
          const {damaged_pages: damaged, expired} = row.missing; // what is lost is counted anyway
          if (damaged || expired) setMissing(old => ({damaged_pages: damaged + (old?.damaged_pages ?? 0), expired: expired || old?.expired}));
          return;
        }
        waiting.current.push(row);
        if (waiting.current.length > UNSEEN_MAX) skipped += waiting.current.splice(0, waiting.current.length - UNSEEN_MAX).length;
      },
    }).then(setEnd, failure => abort.signal.aborted || setError(failure));
    const timer = setInterval(() => {
      setDropped(skipped);
      if (holding.current) {
        setUnseen(waiting.current.length);
      } else if (waiting.current.length) {
        const arrived = waiting.current.splice(0).reverse();
        setRows(old => [...arrived, ...old].slice(0, SHOWN));
      }
    }, 200);
    return () => {
      clearInterval(timer);
      abort.abort();
    };
  }, [state.source, state.q, state.textfield, state.where.join('\n'), round]);
  const hold = () => {
    holding.current = !held;
    setHeld(!held);
    if (held) setUnseen(0);
  };
  const names = fieldNames(rows.slice(0, 20)).slice(0, 10);
  return html`<div>
    <div class="row"><button type="button" id="pause" aria-pressed=${held} onClick=${hold}>${held ? 'go on' : 'pause'}</button>
      <span role="status" id="unseen">${held ? `${count(unseen)} not seen yet` : error || end ? '' : 'live'}</span>
      ${dropped > 0 && html`<span class="warn">${count(dropped)} left out: more arrived than can be shown</span>`}
      <span id="lost" class=${lost ? 'warn' : ''}>${count(lost)} lost meanwhile</span>
      ${missing && html`<span id="missing" class="warn" role="status">${verdict(missing)}</span>`}
      ${end && html`<span class=${end.lost ? 'warn' : ''}>ended${end.lost ? `, ${count(end.lost)} lost` : ''}</span>`}
      ${error && html`<span class="error" role="alert">${error.message}</span>`}
      ${state.q && html`<span class="condition">only what the search finds: <code>${state.q}</code>
        <button type="button" aria-label="all records" onClick=${() => change({q: ''})}>×</button></span>`}
      <${Command} name="tail" body=${body} /></div>
    <${Table} label="newest records" rows=${rows} onChoose=${row => change({tab: 'records', record: linkOf(row)})}
      columns=${[{label: 'time', cell: row => time(row.ts)}, ...names.map(name => ({label: name, cell: row => exact(flat(row.fields)[name])}))]} />
  </div>`;
}
