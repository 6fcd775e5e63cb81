// What is on screen as the command and the HTTP request that give the same.

import {stringify} from './api.js';

const FIRST = {
  scan: ['source'], agg: ['source', 'field'], values: ['source', 'field'], hist: ['source', 'field'], top: ['source', 'field'],
  diff: ['source', 'field'], correlate: ['source', 'field'], search: ['source', 'query'], tail: ['source', 'query'],
  trace: ['trace_id'], traces: [], sources: [], indexes: ['source'], info: [],
};
const JOINED = new Set(['by', 'percentile', 'fields', 'overlap']);

function quote(text) {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** The command of a request. */
export function command(name, body) {
  const first = FIRST[name] ?? [];
  const words = ['loom', name === 'indexes' ? 'index list' : name];
  const given = first.map(member => body[member]).filter(value => value !== undefined).map(String);
  const last = given.some(each => each.startsWith('-')); // behind the options, so that none is taken for one
  if (!last) words.push(...given.map(quote));
  for (const [member, value] of Object.entries(body)) {
    if (first.includes(member) || value === undefined || value === false) continue;
    const option = member.length === 1 ? `-${member}` : `--${member}`;
    const add = text => words.push(...(text.startsWith('-') ? [`${option}=${quote(text)}`] : [option, quote(text)]));
    if (value === true) words.push(option);
    else if (Array.isArray(value) && !JOINED.has(member)) value.forEach(each => add(String(each)));
    else add(String(value));
  }
  if (last) words.push('--', ...given.map(quote));
  return words.join(' ');
}

/** The HTTP request. */
export function curl(name, body) {
  const token = sessionStorage.getItem('loom.token') ? " -H \"Authorization: Bearer $TOKEN\"" : '';
  const address = new URL(`v1/${name}`, location.href.replace(/#.*/, ''));
  return `curl -s ${address} -H 'Content-Type: application/json'${token} -d ${quote(stringify(body))}`;
}
