// What the page shows, all of it in the address: a link shows another person the same, and the browser's history is undo.

import {useEffect, useState} from './vendor/htm-preact.js';
import {time} from './format.js';

const LISTS = new Set(['where']);

/** The state in an address. */
export function read(hash = location.hash) {
  const state = {where: []};
  for (const [name, value] of new URLSearchParams(hash.replace(/^#/, ''))) {
    if (LISTS.has(name)) state[name].push(value);
    else state[name] = value;
  }
  return state;
}

/** The address of a state. */
export function address(state) {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(state)) {
    if (Array.isArray(value)) value.forEach(each => parameters.append(name, each));
    else if (value !== undefined && value !== null && value !== '') parameters.set(name, String(value));
  }
  return `#${parameters}`;
}

/** Shows another state; back undoes it. */
export function go(state) {
  location.hash = address(state);
}

/** Shows the current state with changes. */
export function change(changes) {
  go({...read(), ...changes});
}

/** As change, but there is nothing to undo. */
export function replace(changes) {
  history.replaceState(null, '', address({...read(), ...changes}));
  dispatchEvent(new HashChangeEvent('hashchange'));
}

/** The state, and all that it becomes. */
export function useAddress() {
  const [state, setState] = useState(read());
  useEffect(() => {
    const listen = () => setState(read());
    addEventListener('hashchange', listen);
    return () => removeEventListener('hashchange', listen);
  }, []);
  return state;
}

/** The members of a request that the state determines: source, time and conditions. */
export function scope(state) {
  const body = {source: state.source};
  if (state.where.length) body.where = state.where;
  if (state.since) body.since = state.since;
  if (state.from) body.from = state.from;
  if (state.to) body.to = state.to;
  if (state.time) body.time = state.time;
  return body;
}

/** A field's name as conditions have it. */
export function fieldName(name) {
  const keyword = /^(and|or|not|in|between|is|null|contains|icontains|matches|true|false)$/i;
  return /^[A-Za-z_@][\w@.-]*$/.test(name) && !keyword.test(name) ? name : `\`${name.replaceAll('`', '``')}\``;
}

/** A value as conditions have it. */
export function literal(value) {
  if (typeof value === 'number' && Math.abs(value) >= 2 ** 53) return value.toExponential(); // the double, not the number of these digits
  if (typeof value !== 'string') return String(value);
  const named = {'\\b': '\\u0008', '\\f': '\\u000c'}; // escapes that conditions lack
  return JSON.stringify(value).replace(/\\./g, escape => named[escape] ?? escape);
}

/**
 * Whether a condition can name a value of a field's type: none names an array or an object, nor what JSON has as another text, which are
 * bytes, infinities and no numbers.
 */
export function isNamed(value, type) {
  return value === null || (typeof value === 'string' ? !/^(bytes|[iuf]\d+)$/.test(type) : typeof value !== 'object');
}

/** The condition that a field has a value, or lacks it. */
export function equalTo(field, value) {
  return value === null ? `${fieldName(field)} is null` : `${fieldName(field)} == ${literal(value)}`;
}

/** The selection that was brushed; null if there is none. */
export function selection(state) {
  const isTime = /^-?\d{1,19}$/;
  if (!isTime.test(state.selfrom) || !isTime.test(state.selto)) return null;
  return {from: BigInt(state.selfrom), to: BigInt(state.selto), low: state.sellow, high: state.selhigh};
}

/** The scope within the selection. */
export function selected(state) {
  const body = scope(state);
  const brushed = selection(state);
  if (!brushed) return body;
  delete body.since;
  body.from = time(brushed.from);
  body.to = time(brushed.to);
  const conditions = valueConditions(state);
  if (conditions.length) body.where = [...state.where, ...conditions];
  return body;
}

/** What the selection says of the value. Conditions have no word for the infinity at which bins of doubles may begin and end. */
export function valueConditions({field, sellow, selhigh}) {
  if (sellow === undefined && selhigh === undefined) return [];
  const conditions = [];
  const name = fieldName(field);
  if (sellow === 'Infinity') conditions.push(`${name} > ${Number.MAX_VALUE}`);
  else if (sellow !== undefined && sellow !== '-Infinity') conditions.push(`${name} >= ${sellow}`);
  if (selhigh === '-Infinity') conditions.push(`${name} < -${Number.MAX_VALUE}`);
  else if (selhigh !== undefined && selhigh !== 'Infinity') conditions.push(`${name} <= ${selhigh}`);
  return conditions.length ? conditions : [`(${name} <= 0 or ${name} > 0)`]; // any number, but not what is none
}

/** Without a selection. */
export const NOTHING_SELECTED = {selfrom: '', selto: '', sellow: undefined, selhigh: undefined};
