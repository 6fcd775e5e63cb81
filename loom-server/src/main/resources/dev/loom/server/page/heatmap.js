// The heatmap of a field over time, from the exact bins of the histogram operator. A brush selects time and value.

import {html, useLayoutEffect, useMemo, useRef, useState} from './vendor/htm-preact.js';
import {clock, count, niceStep, quantity, short, step as stepText, time} from './format.js';
import {Outcome, Table, useAnswer, useWidth} from './parts.js';
import {NOTHING_SELECTED, change, literal, scope, selection, valueConditions} from './state.js';

const HEIGHT = 320;
const LEFT = 62;
const BOTTOM = 24;
const COLUMN = 5;
const SUMMARY = 110;
const NARROW = 530;
const TABLE_ROWS = 500;
const HINT = 'Lines are p50 and, dashed, p99, to the bin.';
const PERCENTILES = [50, 99];
const COLOURS = 256;
const DARK = palette([[64, 84, 160], [49, 104, 142], [53, 183, 121], [253, 231, 37], [255, 250, 220]]);
const LIGHT = palette([[122, 166, 222], [78, 140, 190], [42, 120, 142], [122, 60, 130], [60, 0, 60]]);

/** The request whose answer is drawn. */
export function heatmapRequest(state, width, range) {
  const body = {...scope(state), field: state.field, by: ['value', 'time']};
  if (range) body.step = stepText(niceStep(Number(range.to - range.from) / (width / COLUMN)));
  return body;
}

/** Where a bin ends, given its greatest value: that of integers behind the last of them. */
function endOf(high, areWhole) {
  return Number(high) + (areWhole ? 1 : 0);
}

/** Whether values are integers: then so are all ends of bins that have one. */
function areIntegers(bins) {
  return bins.every(bin => [bin.low, bin.high].map(Number).filter(Number.isFinite).every(Number.isInteger));
}

/** Bins as rows of equal share of the height for each octave, or each width if all are equally wide. */
function valueScale(cells, areWhole) {
  let low = Infinity;
  let high = -Infinity;
  let widths = new Set();
  for (const cell of cells) {
    const ends = [Number(cell.low), endOf(cell.high, areWhole)].filter(Number.isFinite); // the outer bins have one, or none
    low = Math.min(low, ...ends);
    high = Math.max(high, ...ends);
    if (ends.length === 2) widths.add(ends[1] - ends[0]);
  }
  if (low > high) low = high = 0;
  const finite = value => Math.min(high, Math.max(low, value));
  const isLinear = widths.size <= 1 || high - low < 8;
  const place = isLinear ? value => value : value => Math.sign(value) * Math.log2(1 + Math.abs(value));
  const from = place(low);
  const to = place(high) > from ? place(high) : from + 1;
  const margin = (to - from) * 0.02;
  return {
    finite,
    y: (value, height) => height - (height * (place(finite(Number(value))) - from + margin)) / (to - from + 2 * margin),
    value: (y, height) => {
      const at = from - margin + ((height - y) * (to - from + 2 * margin)) / height;
      return isLinear ? at : Math.sign(at) * (2 ** Math.abs(at) - 1);
    },
  };
}

/** The rows of the answer by time and by value. */
function grid(rows, asked) {
  const columns = new Map();
  const values = new Map();
  let total = 0;
  let most = 0;
  for (const row of rows) {
    let column = columns.get(row.from);
    if (!column) columns.set(row.from, column = {from: BigInt(row.from), to: BigInt(row.to), cells: [], count: 0});
    column.cells.push(row);
    column.count += row.count;
    let bin = values.get(row.low);
    if (!bin) values.set(row.low, bin = {low: row.low, high: row.high, count: 0});
    bin.count += row.count;
    total += row.count;
    most = Math.max(most, row.count);
  }
  const ordered = [...columns.values()].sort((a, b) => (a.from < b.from ? -1 : 1));
  ordered.forEach(column => column.cells.sort((a, b) => Number(a.low) - Number(b.low)));
  const bins = [...values.values()].sort((a, b) => Number(a.low) - Number(b.low));
  let from = asked?.from ?? ordered[0]?.from ?? 0n;
  let to = asked?.to ?? ordered.at(-1)?.to ?? 1n;
  if (!asked?.isFixed && ordered.length) { // records may have arrived, and the server's clock may differ from this one's
    if (ordered[0].from < from) from = ordered[0].from;
    if (ordered.at(-1).to > to) to = ordered.at(-1).to;
  }
  const areWhole = areIntegers(bins);
  return {columns: ordered, bins, total, most, from, to: to > from ? to : from + 1n, areWhole, scale: valueScale(bins, areWhole)};
}

/** The bin that holds the value of a rank, in each column. */
function percentileLine(column, percentile) {
  let rank = Math.max(1, Math.ceil((column.count * percentile) / 100));
  for (const cell of column.cells) {
    rank -= cell.count;
    if (rank <= 0) return cell;
  }
  return column.cells.at(-1);
}

/** As many colours as an eye tells apart: making and setting one costs more than filling a cell. */
function palette(stops) {
  return Array.from({length: COLOURS}, (_, i) => mixed(stops, (i + 0.5) / COLOURS));
}

function mixed(stops, share) {
  const at = share * (stops.length - 1);
  const index = Math.floor(at);
  const [from, to] = [stops[index], stops[index + 1]];
  return `rgb(${from.map((each, i) => Math.round(each + (to[i] - each) * (at - index))).join(',')})`;
}

function colour(share, isDark) {
  return (isDark ? DARK : LIGHT)[Math.min(COLOURS - 1, Math.floor(share * COLOURS))];
}

function prepare(canvas, width, height) {
  const ratio = devicePixelRatio || 1;
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  const context = canvas.getContext('2d');
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
}

function draw(canvas, drawn, field, unit, width, theme) {
  const context = prepare(canvas, width, HEIGHT);
  const style = getComputedStyle(canvas);
  const ink = style.getPropertyValue('--ink');
  const plotWidth = width - LEFT;
  const plotHeight = HEIGHT - BOTTOM;
  const x = at => LEFT + (Number(at - drawn.from) * plotWidth) / Number(drawn.to - drawn.from);
  const y = value => drawn.scale.y(value, plotHeight);
  const logMost = Math.log(1 + drawn.most);
  for (const column of drawn.columns) {
    const left = Math.max(LEFT, x(column.from));
    const cellWidth = Math.max(1, x(column.to) - left);
    const boxes = new Map();
    for (const cell of column.cells) {
      const top = Math.round(y(endOf(cell.high, drawn.areWhole)));
      const bottom = Math.max(top + 2, Math.round(y(cell.low)));
      const key = top * 4096 + bottom;
      boxes.set(key, (boxes.get(key) ?? 0) + cell.count);
    }
    for (const [key, counted] of boxes) {
      const top = Math.floor(key / 4096);
      context.fillStyle = colour(Math.log(1 + counted) / logMost, theme === 'dark');
      context.fillRect(left, top, cellWidth + 0.3, (key % 4096) - top);
    }
  }
  context.strokeStyle = style.getPropertyValue('--line');
  context.fillStyle = ink;
  context.font = '11px system-ui, sans-serif';
  context.textBaseline = 'middle';
  context.textAlign = 'right';
  for (let tick = 0; tick <= 6; tick++) {
    const at = (plotHeight * (tick + 0.5)) / 7;
    context.fillText(quantity(field, unit, drawn.scale.value(at, plotHeight)), LEFT - 6, at);
  }
  context.textAlign = 'center';
  const span = Number(drawn.to - drawn.from);
  const tickStep = niceStep(span / Math.max(2, plotWidth / 110));
  const first = (drawn.from / BigInt(tickStep) + 1n) * BigInt(tickStep);
  for (let at = first; at < drawn.to; at += BigInt(tickStep)) {
    context.fillText(clock(at, tickStep), x(at), HEIGHT - BOTTOM / 2);
  }
  PERCENTILES.forEach((percentile, index) => {
    context.beginPath();
    context.lineWidth = 1.6;
    context.setLineDash(index === 0 ? [] : [5, 3]);
    context.strokeStyle = style.getPropertyValue('--accent');
    drawn.columns.forEach((column, i) => {
      const bin = percentileLine(column, percentile);
      const at = (y(bin.low) + y(endOf(bin.high, drawn.areWhole))) / 2;
      const middle = (x(column.from) + x(column.to)) / 2;
      const follows = i > 0 && drawn.columns[i - 1].to === column.from;
      if (!follows) context.moveTo(middle - 1, at);
      if (!follows) context.lineTo(middle + 1, at);
      else context.lineTo(middle, at);
    });
    context.stroke();
  });
  context.setLineDash([]);
  return {x, y, plotHeight};
}

function drawSummary(canvas, drawn, theme) {
  const context = prepare(canvas, SUMMARY, HEIGHT);
  const plotHeight = HEIGHT - BOTTOM;
  const most = Math.log(1 + Math.max(...drawn.bins.map(bin => bin.count), 1));
  context.fillStyle = colour(0.45, theme === 'dark');
  for (const bin of drawn.bins) {
    const top = drawn.scale.y(endOf(bin.high, drawn.areWhole), plotHeight);
    const bottom = Math.max(top + 1, drawn.scale.y(bin.low, plotHeight));
    context.fillRect(0, top, (SUMMARY * Math.log(1 + bin.count)) / most, Math.max(1, bottom - top - 0.5));
  }
}

/** The exact cells that a rectangle of time and value touches. */
function covered(drawn, from, to, low, high) {
  const columns = drawn.columns.filter(column => column.to > from && column.from < to);
  const {finite} = drawn.scale; // what is infinite is drawn at an edge
  const reaches = end => (drawn.areWhole ? end > low : end >= low);
  const bins = drawn.bins.filter(bin => reaches(finite(endOf(bin.high, drawn.areWhole))) && finite(Number(bin.low)) <= high);
  if (!columns.length || !bins.length) return null;
  const box = {from: columns[0].from, to: columns.at(-1).to, low: bins[0].low, high: bins.at(-1).high};
  return {...box, count: countIn(drawn, box)};
}

function countIn(drawn, box) {
  let sum = 0;
  for (const column of drawn.columns) {
    if (column.from < box.from || column.to > box.to) continue;
    for (const cell of column.cells) {
      if (Number(cell.low) >= Number(box.low) && Number(cell.high) <= Number(box.high)) sum += cell.count;
    }
  }
  return sum;
}

/** A later brush refines an earlier one that it touches. */
function refined(state, box) {
  const old = selection(state);
  if (!old || old.to <= box.from || old.from >= box.to) return box;
  const low = old.low === undefined || Number(box.low) > Number(old.low) ? box.low : old.low;
  const high = old.high === undefined || Number(box.high) < Number(old.high) ? box.high : old.high;
  if (Number(low) > Number(high)) return box;
  return {from: box.from > old.from ? box.from : old.from, to: box.to < old.to ? box.to : old.to, low, high};
}

function select(state, box) {
  const next = refined(state, box);
  const bound = value => (typeof value === 'number' ? literal(value) : value);
  change({selfrom: next.from, selto: next.to, sellow: bound(next.low), selhigh: bound(next.high)});
}

/** Shows the selection alone: its time becomes the range, its values a condition. */
export function zoom(state) {
  const box = selection(state);
  if (!box) return;
  change({...NOTHING_SELECTED, since: '', from: time(box.from), to: time(box.to), where: [...state.where, ...valueConditions(state)]});
}

/** Selects nothing. */
export function clear() {
  change(NOTHING_SELECTED);
}

/** The heatmap, with its summary beside it and its cells as a table. */
export function Heatmap({state, range, unit, theme, round}) {
  const frame = useRef(null);
  const canvas = useRef(null);
  const summary = useRef(null);
  const shown = useRef(null);
  const whole = useWidth(frame);
  const width = whole < NARROW ? whole : whole - SUMMARY - 8;
  const [drag, setDrag] = useState(null);
  const [cursor, setCursor] = useState(null);
  const [asTable, setAsTable] = useState(false);
  const body = heatmapRequest(state, Math.ceil(width / 100) * 100, range);
  const answer = useAnswer(whole ? 'hist' : null, body, round);
  const drawn = useMemo(() => grid(answer.rows, range), [answer.rows, range?.from, range?.to]);
  const chosen = selection(state);

  useLayoutEffect(() => {
    if (width <= 0) return;
    if (!answer.rows.length) {
      prepare(canvas.current, width, HEIGHT);
      prepare(summary.current, SUMMARY, HEIGHT);
      shown.current = null;
      return;
    }
    shown.current = draw(canvas.current, drawn, state.field, unit, width, theme);
    drawSummary(summary.current, drawn, theme);
    if (!answer.end) return;
    performance.clearMarks();
    performance.mark('heatmap drawn'); // for whoever measures it
  }, [drawn, width, theme, unit]);

  const at = event => {
    const box = canvas.current.getBoundingClientRect();
    return {x: Math.max(LEFT, event.clientX - box.left), y: Math.min(HEIGHT - BOTTOM, Math.max(0, event.clientY - box.top))};
  };
  const timeAt = x => drawn.from + BigInt(Math.round((Number(drawn.to - drawn.from) * (x - LEFT)) / (width - LEFT)));
  const valueAt = y => drawn.scale.value(y, HEIGHT - BOTTOM);
  const boxOf = (one, other) => {
    const left = Math.min(one.x, other.x);
    const right = Math.max(one.x, other.x);
    return covered(drawn, timeAt(left), timeAt(right) + 1n, valueAt(Math.max(one.y, other.y)), valueAt(Math.min(one.y, other.y)));
  };
  const begin = event => {
    if (!answer.rows.length || event.button !== 0) return;
    canvas.current.setPointerCapture(event.pointerId);
    setDrag({from: at(event), to: at(event)});
  };
  const move = event => drag && setDrag({...drag, to: at(event)});
  const end = event => {
    if (!drag) return;
    const box = boxOf(drag.from, at(event));
    setDrag(null);
    if (box) select(state, box);
  };
  const cursorBox = cursor && boxOfCursor(drawn, cursor);
  const keys = event => {
    const moves = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1]}[event.key];
    if (moves && drawn.columns.length) {
      event.preventDefault();
      setCursor(moved(drawn, cursor, moves, event.shiftKey));
    } else if (event.key === 'Enter' && cursorBox) {
      event.preventDefault();
      select(state, cursorBox);
      setCursor(null);
    } else if (event.key === 'Escape' && cursor) {
      event.preventDefault();
      event.stopPropagation();
      setCursor(null);
    }
  };
  const overlay = (box, kind) => {
    if (!box || !shown.current) return null;
    const {x, y} = shown.current;
    const left = Math.max(LEFT, x(box.from));
    const right = Math.min(width, x(box.to));
    const top = box.high === undefined ? 0 : Math.max(0, y(endOf(box.high, drawn.areWhole)));
    const bottom = box.low === undefined ? HEIGHT - BOTTOM : Math.min(HEIGHT - BOTTOM, y(Number(box.low)));
    if (right < left) return null;
    return html`<div class=${`brush ${kind}`} style=${{left: `${left}px`, top: `${top - 1}px`, width: `${right - left}px`,
      height: `${Math.max(3, bottom - top + 2)}px`}} />`;
  };
  const dragBox = drag && boxOf(drag.from, drag.to);
  const spoken = cursorBox ?? dragBox ?? (chosen && {...chosen, count: countIn(drawn, {low: -Infinity, high: Infinity, ...chosen})});
  return html`<section class="heatmap" aria-label="heatmap" ref=${frame}>
    <div class="plot">
      <div class="surface">
        <canvas ref=${canvas} tabindex="0" role="application" style=${{width: `${width}px`, height: `${HEIGHT}px`}}
          aria-label=${`Heatmap of ${state.field} over time. Arrow keys move, Shift and arrow keys extend, Enter selects.`}
          onPointerDown=${begin} onPointerMove=${move} onPointerUp=${end} onPointerCancel=${() => setDrag(null)} onKeyDown=${keys} />
        ${overlay(chosen, 'chosen')}${overlay(dragBox, 'drag')}${overlay(cursorBox, 'drag')}
        ${!answer.rows.length && html`<p class="empty">${answer.loading ? 'asking …' : answer.error ? '' : 'no values in this range'}</p>`}
      </div>
      <canvas ref=${summary} class="summary" role="img" style=${{width: `${SUMMARY}px`, height: `${HEIGHT}px`}}
        aria-label="counts by value over the whole range, logarithmic" />
    </div>
    <p class="hint" aria-live="polite" id="heatmap-said">${spoken
      ? html`${said(spoken, state.field, unit)} <b>${count(spoken.count)}</b> records`
      : html`<b>Drag</b> over the picture to select time and value; drag again to refine. ${HINT} ${short(drawn.total)} values.`}</p>
    <div class="row">
      ${chosen && html`<button type="button" id="zoom" onClick=${() => zoom(state)}>show only this <kbd>z</kbd></button>
        <button type="button" id="clear" onClick=${clear}>clear <kbd>Esc</kbd></button>`}
      <button type="button" id="undo" onClick=${() => history.back()}>undo <kbd>u</kbd></button>
      <button type="button" aria-expanded=${asTable} id="heatmap-table" onClick=${() => setAsTable(!asTable)}>as table</button>
      <${Outcome} answer=${answer} name="hist" body=${body} />
    </div>
    ${asTable && html`<${Table} label="cells of the heatmap" rows=${answer.rows.slice(0, TABLE_ROWS)}
      onChoose=${row => select(state, {from: BigInt(row.from), to: BigInt(row.to), low: row.low, high: row.high})}
      columns=${[
        {label: 'from', cell: row => time(row.from)}, {label: 'to', cell: row => time(row.to)},
        {label: 'low', number: true, cell: row => count(row.low)}, {label: 'high', number: true, cell: row => count(row.high)},
        {label: 'count', number: true, cell: row => count(row.count)}]} />
      ${answer.rows.length > TABLE_ROWS && html`<p class="hint">the first ${TABLE_ROWS} of ${count(answer.rows.length)} cells</p>`}`}
  </section>`;
}

function said(box, field, unit) {
  const values = box.low === undefined ? 'any value' : `${quantity(field, unit, box.low)} to ${quantity(field, unit, box.high)}`;
  return `${time(box.from)} to ${time(box.to)}, ${values}: `;
}

/** The cursor of the keyboard: a corner and the one opposite, as columns and bins. */
function moved(drawn, cursor, [right, up], extends_) {
  const limit = (value, length) => Math.min(length - 1, Math.max(0, value));
  if (!cursor) {
    const corner = [drawn.columns.length - 1, drawn.bins.length - 1];
    return {corner, opposite: corner};
  }
  const opposite = [limit(cursor.opposite[0] + right, drawn.columns.length), limit(cursor.opposite[1] + up, drawn.bins.length)];
  return {corner: extends_ ? cursor.corner : opposite, opposite};
}

function boxOfCursor(drawn, {corner, opposite}) {
  const [c1, c2] = [corner[0], opposite[0]].sort((a, b) => a - b);
  const [b1, b2] = [corner[1], opposite[1]].sort((a, b) => a - b);
  if (!drawn.columns[c2] || !drawn.bins[b2]) return null;
  const box = {from: drawn.columns[c1].from, to: drawn.columns[c2].to, low: drawn.bins[b1].low, high: drawn.bins[b2].high};
  return {...box, count: countIn(drawn, box)};
}
