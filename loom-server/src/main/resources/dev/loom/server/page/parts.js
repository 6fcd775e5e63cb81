// Parts that several views have: answers as they arrive, tables, costs, commands, exports.

import {html, useEffect, useLayoutEffect, useRef, useState} from './vendor/htm-preact.js';
import {download, stream, stringify} from './api.js';
import {command, curl} from './command.js';
import {bytes, count, duration} from './format.js';

const NONE = {rows: [], end: null, error: null, loading: false};
/** How long an answer that is still arriving waits until it is shown again: each time all of it is drawn. */
const PART_MS = 150;

/**
 * The answer to a request, as it arrives; asked again when the request changes, and the old one is cancelled. Of the old answer the
 * rows stay until the new one has some. No request is made if the name is null.
 */
export function useAnswer(name, body, round = 0) {
  const [answer, setAnswer] = useState(NONE);
  const key = name && `${name} ${stringify(body)} ${round}`;
  useEffect(() => {
    if (!name) {
      setAnswer(NONE);
      return undefined;
    }
    const abort = new AbortController();
    const rows = [];
    let timer = 0;
    const show = () => {
      timer = 0;
      setAnswer(old => ({...old, rows: rows.slice()}));
    };
    const finish = outcome => {
      clearTimeout(timer);
      if (!abort.signal.aborted) setAnswer({rows: rows.slice(), end: null, error: null, loading: false, ...outcome});
    };
    setAnswer(old => ({...old, end: null, error: null, loading: true}));
    stream(name, body, {
      signal: abort.signal,
      onRow: row => {
        rows.push(row);
        if (!timer) timer = setTimeout(show, PART_MS);
      },
    }).then(end => finish({end}), error => finish({error}));
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [key]);
  return answer;
}

/** What an answer cost, whether it is complete, or why there is none. */
export function Outcome({answer, name, body}) {
  const {end, error, loading} = answer;
  return html`<div class="outcome">
    ${loading && html`<span class="busy" role="status">asking …</span>`}
    ${error && html`<span class="error" role="alert">${error.message}</span>`}
    ${end && html`<span class=${end.complete && !end.lost && !end.without_time ? 'fine' : 'warn'} role="status">${verdict(end)}</span>`}
    ${end && html`<span class="cost">${cost(end)}</span>`}
    ${name && html`<${Command} name=${name} body=${body} />`}
  </div>`;
}

/** What an answer lacks, in words. */
export function verdict(end) {
  if (end.complete && !end.lost) return end.without_time ? 'complete, but records without a time are left out' : 'complete';
  const reasons = [];
  if (end.lost) reasons.push(`${count(end.lost)} records lost`);
  if (end.damaged_pages) reasons.push(`${count(end.damaged_pages)} damaged pages`);
  if (end.expired) reasons.push('the oldest were deleted meanwhile');
  if (end.limit && end.limit !== 'none') reasons.push(`ended by its limit of ${end.limit}`);
  if (end.without_time) reasons.push('records without a time are left out');
  return `incomplete: ${reasons.join(', ') || 'not all was read'}`;
}

function cost(end) {
  const stats = end.stats ?? {};
  const parts = [`${Math.round(end.millis)} ms`];
  if (stats.cpu_ns) parts.push(`CPU ${duration(stats.cpu_ns)}`);
  if (stats.bytes_read !== undefined) parts.push(`read ${bytes(stats.bytes_read)}`);
  const known = (stats.chunks_from_totals ?? 0) + (stats.chunks_from_bins ?? 0) + (stats.runs ?? 0);
  if (known) parts.push(`${count(known)} from summaries`);
  return parts.join(' · ');
}

/** The command and the HTTP request of what is on screen. */
export function Command({name, body}) {
  const [open, setOpen] = useState(false);
  return html`<span class="command">
    <button type="button" aria-expanded=${open} onClick=${() => setOpen(!open)}>as command</button>
    ${open && html`<div class="forms">
      <${Copied} label="command" text=${command(name, body)} />
      <${Copied} label="HTTP" text=${curl(name, body)} />
    </div>`}
  </span>`;
}

/** A text that can be copied. */
export function Copied({label, text}) {
  const [done, setDone] = useState(false);
  const copy = () => navigator.clipboard?.writeText(text).then(() => setDone(true), () => setDone(false));
  return html`<div class="copied"><span class="label">${label}</span><code>${text}</code>
    <button type="button" onClick=${copy}>${done ? 'copied' : 'copy'}</button></div>`;
}

const FORMS = [['JSON lines', 'application/jsonl', 'jsonl'], ['CSV', 'text/csv', 'csv'],
  ['Arrow', 'application/vnd.apache.arrow.stream', 'arrows']];

/** Buttons that save an answer as a file. */
export function Export({name, body}) {
  const [error, setError] = useState(null);
  const save = (type, ending) => {
    setError(null);
    download(name, body, type, `${body.source ?? name}.${ending}`).catch(setError);
  };
  return html`<span class="export">save as
    ${FORMS.map(([label, type, ending]) => html`<button type="button" onClick=${() => save(type, ending)}>${label}</button>`)}
    ${error && html`<span class="error" role="alert">${error.message}</span>`}
  </span>`;
}

/**
 * A table whose rows can be walked by the arrow keys, and chosen by Enter or click.
 *
 * columns are {label, cell(row), number, title(row)}; actions of a row come last.
 */
export function Table({columns, rows, label, onChoose, chosen, busy}) {
  const body = useRef(null);
  const walk = event => {
    const row = event.target.closest('tr');
    if (!row || event.target !== row) return;
    const next = {ArrowDown: row.nextElementSibling, ArrowUp: row.previousElementSibling,
      Home: body.current.firstElementChild, End: body.current.lastElementChild}[event.key];
    if (next) {
      event.preventDefault();
      next.focus();
    } else if (event.key === 'Enter' && onChoose) {
      event.preventDefault();
      onChoose(rows[Number(row.dataset.row)]);
    }
  };
  return html`<div class="scroll" aria-busy=${Boolean(busy)}><table aria-label=${label}>
    <thead><tr>${columns.map(column => html`<th scope="col" class=${column.number ? 'number' : ''}>${column.label}</th>`)}</tr></thead>
    <tbody ref=${body} onKeyDown=${walk}>
      ${rows.map((row, index) => html`<tr key=${index} data-row=${index} tabindex=${index === 0 ? 0 : -1}
          class=${onChoose ? 'choosable' : ''} aria-selected=${chosen ? chosen(row) : undefined}
          onClick=${event => onChoose && !event.target.closest('button, a') && onChoose(row)}>
        ${columns.map(column => html`<td class=${column.number ? 'number' : ''} title=${column.title?.(row)}>${column.cell(row)}</td>`)}
      </tr>`)}
    </tbody></table></div>`;
}

/** A field with a text of the address. What is typed stays until that becomes another. */
export function TextField({text, ...rest}) {
  const input = useRef(null);
  useLayoutEffect(() => {
    input.current.value = text;
  }, [text]);
  return html`<input ref=${input} ...${rest} />`;
}

/** Tabs, walked by the arrow keys. */
export function Tabs({tabs, active, onChange, label}) {
  const walk = event => {
    const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
    if (!step) return;
    const at = tabs.findIndex(([name]) => name === active);
    const next = (at + step + tabs.length) % tabs.length;
    onChange(tabs[next][0]);
    event.currentTarget.children[next].focus();
  };
  return html`<div class="tabs" role="tablist" aria-label=${label} onKeyDown=${walk}>
    ${tabs.map(([name, text]) => html`<button type="button" role="tab" id=${`tab-${name}`} aria-selected=${name === active}
      tabindex=${name === active ? 0 : -1} onClick=${() => onChange(name)}>${text}</button>`)}
  </div>`;
}

/** The width of an element, as it changes; 0 until there is one. */
export function useWidth(ref) {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const measure = () => setWidth(Math.max(200, ref.current.clientWidth));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(ref.current);
    return () => observer.disconnect();
  }, []);
  return width;
}
