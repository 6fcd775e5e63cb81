// Numbers, times and sizes as people read them. Times are BigInt nanoseconds since 1970.

import {text} from './api.js';

const UNITS = [[/(^|_)ns$/, 1], [/(^|_)us$/, 1e3], [/(^|_)ms$/, 1e6], [/(^|_)(s|sec|seconds)$/, 1e9]];
const DURATIONS = new Set(['duration', 'self']);

/** How many nanoseconds a field's unit has; null if it is no time. Its name says so, or its index. */
export function nanosOf(field, unit) {
  if (unit === 'ns' || DURATIONS.has(field)) return 1;
  for (const [pattern, factor] of UNITS) {
    if (pattern.test(field) || (unit && pattern.test(unit))) return factor;
  }
  return null;
}

function isBytes(field, unit) {
  return unit === 'By' || unit === 'B' || /(^|_)(bytes|length|size)$/.test(field);
}

const STEPS = [[86400e9, 'd'], [3600e9, 'h'], [60e9, 'm'], [1e9, 's'], [1e6, 'ms'], [1e3, 'µs'], [1, 'ns']];

function digits(number) {
  const magnitude = Math.abs(number);
  if (magnitude >= 100 || Number.isInteger(number)) return String(Math.round(number));
  return String(Number(number.toPrecision(3)));
}

/** A duration of nanoseconds with three digits. */
export function duration(nanos) {
  const number = Number(nanos);
  if (number === 0) return '0';
  const [size, unit] = STEPS.find(([each]) => Math.abs(number) >= each) ?? STEPS.at(-1);
  return digits(number / size) + unit;
}

/** A size of bytes with three digits. */
export function bytes(value) {
  let number = Number(value);
  for (const unit of ['B', 'KiB', 'MiB', 'GiB', 'TiB']) {
    if (Math.abs(number) < 1024 || unit === 'TiB') return `${digits(number)} ${unit}`;
    number /= 1024;
  }
  return '';
}

/** An integer with separators; other numbers with all of their digits. */
export function count(value) {
  if (value === null || value === undefined) return '–';
  if (typeof value === 'bigint' || Number.isInteger(value)) return value.toLocaleString('en-US');
  return String(value);
}

/** A short form, such as 12.3k. */
export function short(value) {
  let number = Number(value);
  for (const unit of ['', 'k', 'M', 'G', 'T']) {
    if (Math.abs(number) < 1000 || unit === 'T') return digits(number) + unit;
    number /= 1000;
  }
  return '';
}

/** A value of a field, rounded for an axis. */
export function quantity(field, unit, value) {
  if (value === null || value === undefined) return '–';
  const nanos = nanosOf(field, unit);
  if (nanos !== null) return duration(Number(value) * nanos);
  return isBytes(field, unit) ? bytes(value) : short(value);
}

/** A value in a table: exact, with its unit in words if it is a time. */
export function exact(value) {
  if (value === null || value === undefined) return '';
  if (typeof value === 'object') return text(value);
  return String(value);
}

function pad(number, length = 2) {
  return String(number).padStart(length, '0');
}

const SECOND = 1000000000n;

/** A time as the second that it is in, a date, and the nanoseconds since. */
function parts(nanos) {
  const at = BigInt(nanos);
  const since = ((at % SECOND) + SECOND) % SECOND;
  return {date: new Date(Number((at - since) / SECOND) * 1000), fraction: pad(since, 9)};
}

/** A time to the nanosecond, UTC: also as the API reads it, which takes a number for seconds or nanoseconds by its size. */
export function time(nanos) {
  const {date, fraction} = parts(nanos);
  return `${date.toISOString().slice(0, 19)}.${fraction}Z`;
}

/** A number of seconds, milliseconds, microseconds or nanoseconds since 1970, which its size tells. */
function ofAnyUnit(number) {
  const size = number < 0n ? -number : number;
  return number * (size < 10n ** 11n ? SECOND : size < 10n ** 14n ? 1000000n : size < 10n ** 17n ? 1000n : 1n);
}

/** The nanoseconds of a time as the API reads it, but for those relative to now; null if it is none. */
export function nanosAt(text) {
  if (/^-?\d{1,19}$/.test(text)) return ofAnyUnit(BigInt(text));
  const [, seconds, part] = /^(-?\d{1,11})\.(\d{1,9})$/.exec(text) ?? [];
  if (part) return BigInt(seconds + part.padEnd(9, '0'));
  const [, day, at = '00:00', fraction = '', zone] =
    /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)?)?$/i.exec(text) ?? [];
  const millis = Date.parse(`${day}T${at}${(zone ?? 'Z').toUpperCase()}`);
  return Number.isNaN(millis) ? null : BigInt(millis) * 1000000n + BigInt(fraction.padEnd(9, '0'));
}

/** A time of day, as exact as a step needs. */
export function clock(nanos, step) {
  const {date, fraction} = parts(nanos);
  const day = `${pad(date.getUTCHours())}:${pad(date.getUTCMinutes())}`;
  if (step >= 86400e9) return date.toISOString().slice(5, 10);
  if (step >= 60e9) return day;
  if (step >= 1e9) return `${day}:${pad(date.getUTCSeconds())}`;
  const places = step >= 1e6 ? 3 : step >= 1e3 ? 6 : 9;
  return `${day}:${pad(date.getUTCSeconds())}.${fraction.slice(0, places)}`;
}

/** A step that people count in, at least as long as asked, in nanoseconds. */
export function niceStep(nanos) {
  const sizes = [];
  for (let power = 1; power < 1e9; power *= 10) sizes.push(power, 2 * power, 5 * power);
  sizes.push(...[1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400].map(s => s * 1e9));
  for (let days = 2; days <= 4000; days *= 2) sizes.push(days * 86400e9);
  return sizes.find(size => size >= nanos) ?? sizes.at(-1);
}

const API_UNITS = [[86400e9, 'd'], [3600e9, 'h'], [60e9, 'm'], [1e9, 's'], [1e6, 'ms'], [1e3, 'us'], [1, 'ns']];

/** The nanoseconds of a duration that the API reads, such as 1h30m; null if it is none. */
export function nanosIn(text) {
  if (!/^([\d.]+([mun]?s|[mhd]))+$/.test(text)) return null;
  const parts = [...text.matchAll(/([\d.]+)([a-z]+)/g)].map(([, number, unit]) => number * API_UNITS.find(each => each[1] === unit)[0]);
  const nanos = Math.round(parts.reduce((sum, each) => sum + each, 0));
  return nanos < 2 ** 63 ? BigInt(nanos) : null;
}

/** A number of nanoseconds as the API reads a duration. */
export function step(nanos) {
  for (const [size, unit] of API_UNITS) {
    if (nanos >= size && nanos % size === 0) return `${nanos / size}${unit}`;
  }
  return `${Math.max(1, Math.round(nanos))}ns`;
}
