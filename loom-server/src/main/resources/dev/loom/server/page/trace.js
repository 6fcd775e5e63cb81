// Traces: the newest, and the waterfall of one with its logs.

import {html, useRef, useState} from './vendor/htm-preact.js';
import {count, duration, exact, time} from './format.js';
import {Export, Outcome, Table, TextField, useAnswer} from './parts.js';
import {change, go} from './state.js';

/** The newest traces that fit the filters. */
export function Traces({state, round}) {
  const body = {limit: 50};
  for (const member of ['service', 'name', 'min-duration', 'max-duration', 'since']) {
    if (state[member]) body[member] = state[member];
  }
  if (state.error) body.error = true;
  const answer = useAnswer('traces', body, round);
  const field = (name, label, placeholder) => html`<label>${label} <${TextField} name=${name} text=${state[name] ?? ''} placeholder=${placeholder}
    onChange=${event => change({[name]: event.target.value.trim()})} /></label>`;
  const open = event => {
    event.preventDefault();
    const id = new FormData(event.target).get('trace').trim();
    if (id) go({view: 'trace', trace: id, where: []});
  };
  return html`<main><h2>Traces</h2>
    <form class="row" onSubmit=${open}><label>trace id <input name="trace" size="34" /></label><button>open</button></form>
    <div class="row">${field('service', 'service', 'any')}${field('name', 'span', 'any')}${field('min-duration', 'at least', '50ms')}
      ${field('max-duration', 'at most', '2s')}
      <label><input type="checkbox" checked=${Boolean(state.error)} onChange=${event => change({error: event.target.checked ? '1' : ''})} />
        with errors</label></div>
    <${Table} label="traces" rows=${answer.rows} busy=${answer.loading} onChoose=${row => go({view: 'trace', trace: row.trace_id, where: []})}
      columns=${[
        {label: 'start', cell: row => time(row.start)},
        {label: 'duration', number: true, cell: row => duration(row.duration)},
        {label: 'service', cell: row => row.service}, {label: 'name', cell: row => row.name},
        {label: 'spans', number: true, cell: row => `${count(row.spans)}${row.counts_exact ? '' : '+'}`},
        {label: 'errors', number: true, cell: row => count(row.errors)},
        {label: 'trace', cell: row => html`<a href=${`#view=trace&trace=${row.trace_id}`}>${row.trace_id}</a>`}]} />
    ${answer.end && !answer.rows.length && html`<p class="empty">No traces are like that.</p>`}
    <${Outcome} answer=${answer} name="traces" body=${body} /></main>`;
}

function what(row) {
  if (row.row === 'missing') return html`<em>${`a span that is missing: ${row.span_id}`}</em>`;
  if (row.row === 'log') return html`<i>${row.severity ?? 'log'}</i>${' '}${exact(row.text)}`;
  return html`<b>${row.service}</b>${' '}${row.name}`;
}

/** The waterfall of a trace. */
export function Trace({state, round}) {
  const body = {trace_id: state.trace, rows: true};
  const answer = useAnswer('trace', body, round);
  const [chosen, setChosen] = useState(null);
  const list = useRef(null);
  const {rows} = answer;
  const logs = rows.filter(row => row.row === 'log').length;
  const spans = rows.filter(row => row.row === 'span' && row.start !== null);
  // without spans, those of the log records
  const times = (spans.length ? spans.flatMap(row => [row.start, row.end]) : rows.map(row => row.time).filter(at => at != null)).map(BigInt);
  const from = times.reduce((least, at) => (at < least ? at : least), times[0] ?? 0n);
  const to = times.reduce((most, at) => (at > most ? at : most), from + 1n);
  const percent = at => Math.min(100, Math.max(0, (100 * Number(BigInt(at) - from)) / Number(to - from)));
  const walk = event => {
    const next = {ArrowDown: 1, ArrowUp: -1}[event.key];
    const at = [...list.current.children].indexOf(document.activeElement.closest('li'));
    if (next && list.current.children[at + next]) {
      event.preventDefault();
      list.current.children[at + next].querySelector('button').focus();
    }
  };
  return html`<main><h2>Trace ${state.trace}</h2>
    <p class="hint">${rows.length ? `${time(from)}, ${duration(to - from)}, ${count(spans.length)} spans, ${count(logs)} logs` : answer.end ? 'The store has no such trace.' : ''}</p>
    <ol class="waterfall" ref=${list} onKeyDown=${walk} aria-label="spans and logs">
      ${rows.map(row => html`<li class=${`${row.row} ${row.error ? 'failed' : ''}`}>
        <button type="button" aria-expanded=${chosen === row} onClick=${() => setChosen(chosen === row ? null : row)}>
          <span class="what" style=${{paddingLeft: `${(row.depth ?? 0) * 12 + 4}px`}}>
            ${what(row)}
            ${(row.marks ?? []).map(mark => html`<em>${exact(mark)}</em>`)}</span>
          <span class="took">${row.row === 'span' ? duration(row.duration) : ''}</span>
          <span class="track">${row.row === 'span'
            ? html`<span class="bar" style=${{left: `${percent(row.start)}%`, width: `${Math.max(0.3, percent(row.end) - percent(row.start))}%`}} />`
            : row.row === 'log' && html`<span class="tick" style=${{left: `${percent(row.time ?? from)}%`}} />`}</span>
        </button>
        ${chosen === row && html`<dl>${Object.entries(row).filter(([name]) => name !== 'row')
          .map(([name, value]) => html`<dt>${name}</dt><dd>${/^(start|end|time|ts)$/.test(name) && value ? time(value)
            : /^(duration|self)$/.test(name) ? `${duration(value)} (${value} ns)` : exact(value)}</dd>`)}</dl>`}
      </li>`)}
    </ol>
    <div class="row"><${Export} name="trace" body=${{trace_id: state.trace}} /></div>
    <${Outcome} answer=${answer} name="trace" body=${body} /></main>`;
}
