// All sources with their rates, sizes, losses and indexes, and the health of the store.

import {html, useEffect, useState} from './vendor/htm-preact.js';
import {health} from './api.js';
import {bytes, count, duration, short, time} from './format.js';
import {Command, Outcome, Table, useAnswer} from './parts.js';
import {address, go} from './state.js';

function rate(source) {
  const seconds = Number(BigInt(source.last ?? 0) - BigInt(source.first ?? 0)) / 1e9;
  return seconds > 0 ? `${short(source.records / seconds)}/s` : '–';
}

/** What there is, and a way in. */
export function Overview({answer, sources, round}) {
  const info = useAnswer('info', {}, round);
  const store = info.rows[0];
  const [ready, setReady] = useState(null);
  useEffect(() => {
    const abort = new AbortController();
    health(abort.signal).then(() => setReady({ok: true}),
      error => abort.signal.aborted || setReady(error.status ? {text: error.message} : null)); // or nobody answers
    return () => abort.abort();
  }, [round]);
  const open = source => go(entry(source));
  return html`<main>
    <section aria-label="store" class="facts">
      ${ready && html`<span class=${ready.ok ? 'fine' : 'error'} id="health">${ready.ok ? 'healthy' : ready.text}</span>`}
      ${store && html`<span>${store.state}</span>
        <span><b>${count(store.records)}</b> records</span>
        <span><b>${bytes(store.disk_bytes)}</b> on disk of at most ${store.max_bytes ? bytes(store.max_bytes) : '∞'}</span>
        <span class=${store.lost ? 'warn' : ''}><b>${count(store.lost)}</b> lost</span>
        <span class="path" title=${store.directory}>${store.directory}</span>`}
    </section>
    <h2>Sources</h2>
    <${Table} label="sources" rows=${sources} onChoose=${open} busy=${answer.loading} columns=${[
      {label: 'source', cell: source => html`<a href=${address(entry(source))}>${source.title}</a>`},
      {label: 'records', number: true, cell: source => count(source.records)},
      {label: 'rate', number: true, cell: rate},
      {label: 'size', number: true, cell: source => bytes(source.bytes)},
      {label: 'lost', number: true, cell: source => count(source.lost)},
      {label: 'first', cell: source => (source.first ? time(source.first).slice(0, 19) : '–')},
      {label: 'over', number: true, cell: source => (source.first ? duration(BigInt(source.last) - BigInt(source.first)) : '–')},
      {label: 'indexes', cell: source => source.indexes.map(each => each.name).join(', ')},
      {label: 'format', cell: source => source.format, title: source => source.format},
    ]} />
    ${!answer.loading && !answer.error && !sources.length && html`<p class="empty">The store has no sources yet.</p>`}
    <${Outcome} answer=${answer} name="sources" body=${{}} />
    <p class="hint">Enter opens a source. Other views: <a href="#view=traces">traces</a>. <kbd>?</kbd> lists the keys.</p>
  </main>`;
}

/** How a source is looked at first: by the records' own times if it has them, and a field that has an index. */
export function entry(source) {
  const state = {view: 'explore', source: source.name, field: firstField(source), where: []};
  if (source.indexes.some(each => each.kind === 'event-time')) state.time = 'event';
  return state;
}

function firstField(source) {
  const own = source.indexes;
  const index = own.find(each => each.kind === 'value' && each.field) ?? own.find(each => each.field && each.kind !== 'event-time');
  const number = /(?:^struct:|,|:struct:)([\w.]+):(?:i64|u64|i32|u32|f64)/.exec(source.format);
  return index?.field ?? number?.[1];
}
