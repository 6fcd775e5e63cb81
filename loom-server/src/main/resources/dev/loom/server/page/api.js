// Asks the API that serves this page. Answers are lines of JSON; integers beyond 2^53 become BigInt.

const TOKEN = 'loom.token';
const LINES = 'application/jsonl';
const LAST_LINE_MAX = 1 << 20;

/** Fails with what the server says. */
export class ApiError extends Error {
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

const tokenNeeded = new Set();

/** Calls back when the server asks for a token. Returns how to stop that. */
export function onTokenNeeded(callback) {
  tokenNeeded.add(callback);
  return () => tokenNeeded.delete(callback);
}

/** Keeps the token until the tab is closed. */
export function setToken(token) {
  sessionStorage.setItem(TOKEN, token);
}

// A string or a number. Strings that begin with the mark get another; integers that a double may not hold become marked strings.
const TOKEN_OF_JSON = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const LONG = /^-?\d{16,}$/;
const MARK = '\u0001';

/** Parses JSON without rounding integers. */
export function parse(line) {
  const marked = line.replace(TOKEN_OF_JSON, part => {
    if (part[0] !== '"') return LONG.test(part) ? `"\\u0001${part}"` : part;
    return /^"\\u0001/i.test(part) ? `"\\u0001${part.slice(1)}` : part;
  });
  return unmarked(JSON.parse(marked));
}

function unmarked(value) {
  if (typeof value === 'string' && value[0] === MARK) {
    if (value[1] === MARK) return value.slice(1);
    const integer = BigInt(value.slice(1));
    const number = Number(integer);
    return Number.isSafeInteger(number) ? number : integer;
  }
  if (typeof value === 'object' && value !== null) {
    for (const key of Object.keys(value)) {
      const each = value[key];
      if (typeof each === 'string' || typeof each === 'object') value[key] = unmarked(each);
    }
  }
  return value;
}

/** JSON as the API reads it: a BigInt is a string, which it takes for a number too. */
export function stringify(value) {
  return JSON.stringify(value, (key, each) => (typeof each === 'bigint' ? String(each) : each));
}

/** JSON with integers as they are. */
export function text(value) {
  const marked = JSON.stringify(value, (key, each) => (typeof each === 'bigint' ? `${MARK}${each}` : each));
  return marked.replace(/"\\u0001(-?\d+)"/g, '$1');
}

function post(name, body, signal, accept = LINES) {
  return request(`v1/${name}`, {method: 'POST', headers: {'Content-Type': 'application/json', Accept: accept}, body: stringify(body), signal});
}

/** Fails with the reason if the store takes no records. */
export function health(signal) {
  return request('readyz', {headers: {}, signal});
}

async function request(path, {headers, ...how}) {
  const token = sessionStorage.getItem(TOKEN);
  if (token) headers.Authorization = `Bearer ${token}`;
  const response = await fetch(path, {...how, headers, credentials: 'omit'});
  if (response.ok) return response;
  let error = {code: String(response.status), message: response.statusText};
  try {
    error = JSON.parse(await response.text()).error ?? error;
  } catch { /* not from the API */ }
  // not for a token that has been replaced meanwhile
  if (response.status === 401 && token === sessionStorage.getItem(TOKEN)) tokenNeeded.forEach(callback => callback());
  throw new ApiError(response.status, error.code, error.message);
}

/**
 * Asks, and returns the last line, which says what the answer cost and whether it is complete.
 *
 * onRow takes each other line as it arrives.
 */
export async function stream(name, body, {signal, onRow}) {
  const asked = performance.now();
  const response = await post(name, body, signal);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  let end = null;
  const take = line => {
    if (!line) return;
    const row = parse(line);
    if (row.error?.code) throw new ApiError(200, row.error.code, row.error.message); // a span's error is true or false
    if (typeof row.end === 'object' && row.end) end = row.end; // that of a span is a time
    else onRow(row);
  };
  for (;;) {
    const {value, done} = await reader.read();
    if (done) break;
    const lines = (rest + value).split('\n');
    rest = lines.pop();
    lines.forEach(take);
  }
  take(rest);
  if (!end) throw new ApiError(200, 'broken_off', 'the answer broke off');
  return {...end, millis: performance.now() - asked};
}

/** Asks, and returns all rows with the end. */
export async function ask(name, body, signal) {
  const rows = [];
  const end = await stream(name, body, {signal, onRow: row => rows.push(row)});
  return {rows, end};
}

/** Saves an answer as a file of a media type. The last of the JSON lines says whether they are all. */
export async function download(name, body, type, file) {
  const response = await post(name, body, undefined, type);
  const blob = await response.blob();
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = file;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  if (type !== LINES) return;
  let last = {};
  try {
    last = parse((await blob.slice(-LAST_LINE_MAX).text()).trimEnd().split('\n').pop());
  } catch { /* it broke off within a line */ }
  if (last.error?.code) throw new ApiError(200, last.error.code, `the file is incomplete: ${last.error.message}`);
  if (typeof last.end !== 'object' || !last.end) throw new ApiError(200, 'broken_off', 'the file is incomplete: the answer broke off');
  if (last.end.complete === false) throw new ApiError(200, 'incomplete', 'the file is incomplete, as its last line says');
}
