// One source: its heatmap, and everything about what is selected in it.

import {html, useMemo, useRef} from './vendor/htm-preact.js';
import {Difference, Facets} from './difference.js';
import {nanosAt, nanosIn} from './format.js';
import {Groups, Percentiles} from './groups.js';
import {Heatmap} from './heatmap.js';
import {Outcome, Tabs, useAnswer} from './parts.js';
import {Records} from './records.js';
import {Search, Tail} from './search.js';
import {entry} from './overview.js';
import {NOTHING_SELECTED, change, go, scope, selection} from './state.js';

const RANGES = [['', 'all'], ['1m', '1 minute'], ['5m', '5 minutes'], ['15m', '15 minutes'], ['1h', '1 hour'], ['6h', '6 hours'],
  ['1d', '1 day'], ['7d', '7 days']];
const NO_NUMBERS = /^(utf8|bytes|bool|text|string|object|array|null)/;
const TABS = [['records', 'records'], ['differs', 'what differs'], ['facets', 'values'], ['percentiles', 'percentiles'],
  ['groups', 'groups over time'], ['search', 'search'], ['tail', 'live tail']];

/**
 * The range that the records' own times take up, with the answer that told it; null if nobody asked. The range is null until it is known,
 * and if there are no records; while it is asked for again, it is the last one of the source.
 */
function useExtent(state, asked) {
  const isAsked = state.time === 'event' && !state.since && !(state.from && state.to);
  const body = {...scope(state), by: ['time']};
  const answer = useAnswer(isAsked ? 'hist' : null, body, asked);
  const known = useRef({});
  if (known.current.source !== state.source) known.current = {source: state.source, range: null};
  if (answer.end) {
    const full = answer.rows.filter(row => row.count > 0);
    known.current.range = full.length ? {from: BigInt(full[0].from), to: BigInt(full.at(-1).to)} : null;
  }
  return isAsked ? {range: known.current.range, answer, body} : null;
}

/** The range that is looked at; null if only the store knows it. It may end later, unless it is fixed. */
function rangeOf(state, source, now) {
  const from = state.from ? nanosAt(state.from) : null;
  const to = state.to ? nanosAt(state.to) : null;
  if (from !== null && to !== null) return {from, to, isFixed: true};
  const since = nanosIn(state.since ?? '');
  if (since !== null) return {from: now - since, to: now};
  if (state.time === 'event' || !source?.first) return null;
  return {from: from ?? BigInt(source.first), to: to ?? BigInt(source.last) + 1n};
}

/** The view of a source. */
export function Explore({state, sources, theme, round, asked}) {
  const source = sources.find(each => each.name === state.source);
  const own = source?.indexes ?? [];
  const fields = useAnswer('fields', {source: state.source}, round);
  const names = useMemo(() => fields.rows.map(each => each.name), [fields.rows]);
  const types = useMemo(() => Object.fromEntries(fields.rows.map(each => [each.name, each.type])), [fields.rows]);
  const numbers = fields.rows.filter(each => !NO_NUMBERS.test(each.type)).map(each => each.name);
  const unit = fields.rows.find(each => each.name === state.field)?.unit;
  const extent = useExtent(state, asked);
  const now = useMemo(() => BigInt(Date.now()) * 1000000n, [asked]);
  const range = useMemo(() => rangeOf(state, source, now) ?? extent?.range,
    [state.from, state.to, state.since, state.time, source?.first, source?.last, now, extent?.range?.from, extent?.range?.to]);
  const tab = state.tab ?? 'records';
  const hasEventTime = own.some(each => each.kind === 'event-time');
  const common = {state, round, theme, unit, names, types};
  return html`<main>
    <div class="row controls">
      <label>source <select id="source" value=${state.source} onChange=${event => go(entry(sources.find(each => each.name === event.target.value)))}>
        ${sources.map(each => html`<option value=${each.name}>${each.title}</option>`)}</select></label>
      <label>field <select id="field" value=${state.field ?? ''} onChange=${event => change({...NOTHING_SELECTED, field: event.target.value})}>
        <option value="">choose …</option>
        ${[...new Set([...own.map(each => each.field).filter(Boolean), ...numbers])].map(each => html`<option value=${each}>${each}${
          own.some(index => index.field === each) ? '' : ' (no index)'}</option>`)}</select></label>
      <label>range <select id="since" value=${state.from || state.to ? 'fixed' : state.since ?? ''} onChange=${event =>
        change({...NOTHING_SELECTED, since: event.target.value, from: '', to: ''})}>
        ${(state.from || state.to) && html`<option value="fixed">as chosen</option>`}
        ${state.since && RANGES.every(([value]) => value !== state.since) && html`<option value=${state.since}>${state.since}</option>`}
        ${RANGES.map(([value, text]) => html`<option value=${value}>${text}</option>`)}</select></label>
      ${hasEventTime && html`<label>by <select id="time" value=${state.time ?? 'arrival'} onChange=${event =>
        change({...NOTHING_SELECTED, time: event.target.value === 'event' ? 'event' : ''})}>
        <option value="arrival">arrival</option><option value="event">the records' own time</option></select></label>`}
    </div>
    <${Conditions} state=${state} />
    ${state.field ? range && html`<${Heatmap} key=${state.field} state=${state} range=${range} unit=${unit} theme=${theme} round=${round} />`
      : html`<p class="hint">Choose a field of numbers to see it over time.</p>`}
    ${state.field && !range && extent && html`<section class="heatmap" aria-label="heatmap">
      ${extent.answer.end && html`<p class="hint">no values in this range</p>`}
      <${Outcome} answer=${extent.answer} name="hist" body=${extent.body} /></section>`}
    <${Tabs} label="about the selection" tabs=${TABS} active=${tab} onChange=${name => change({tab: name})} />
    <section role="tabpanel" aria-labelledby=${`tab-${tab}`} id="panel">
      ${tab === 'records' && html`<${Records} ...${common} sources=${sources} />`}
      ${tab === 'differs' && html`<${Difference} ...${common} />`}
      ${tab === 'facets' && html`<${Facets} ...${common} />`}
      ${tab === 'percentiles' && (state.field ? html`<${Percentiles} key=${state.field} ...${common} />` : html`<p class="hint">Choose a field.</p>`)}
      ${tab === 'groups' && html`<${Groups} key=${state.field} ...${common} range=${range} />`}
      ${tab === 'search' && html`<${Search} ...${common} range=${range} />`}
      ${tab === 'tail' && html`<${Tail} state=${state} round=${round} />`}
    </section>
  </main>`;
}

/** The conditions, each of which can be removed, and a new one. */
function Conditions({state}) {
  const add = event => {
    event.preventDefault();
    const text = new FormData(event.target).get('where').trim();
    if (text) change({where: [...state.where, text]});
    event.target.reset();
  };
  return html`<div class="row conditions">
    ${state.where.map((text, index) => html`<span class="condition"><code>${text}</code>
      <button type="button" aria-label=${`remove ${text}`} onClick=${() => change({where: state.where.filter((each, i) => i !== index)})}>×</button></span>`)}
    <form onSubmit=${add}><input name="where" id="where" aria-label="condition" placeholder="condition, such as latency_ns > 50ms" size="34" />
      <button>add</button></form>
  </div>`;
}

/** What the selection says, for the title. */
export function titleOf(state) {
  if (state.view === 'trace') return `trace ${state.trace}`;
  if (state.view === 'traces') return 'traces';
  if (state.view !== 'explore') return 'sources';
  return `${state.source}${state.field ? ` ${state.field}` : ''}${selection(state) || scope(state).where ? ' (selection)' : ''}`;
}
