import type { ProfileQuery } from '../model/profile-query.js';
import type { ProfileSummary } from '../model/profile-summary.js';
import { exceptionFact, methodFact, routeFact, statusFact } from './segment-facts.js';

type Test = (row: ProfileSummary) => boolean;

/** What a query asks, ready to be asked often. */
export interface PreparedQuery {
  readonly matches: Test;
  /** False where no record of a segment with these facts can match; see `Segment.facts`. */
  readonly mayMatch: (facts: string) => boolean;
}

/** Prepares a query. Conditions that are empty or make no sense as what they are asked of match nothing or all, as said. */
export function prepareQuery(query: ProfileQuery): PreparedQuery {
  const tests: Test[] = [];
  const facts: string[] = [];
  const add = (
    text: string | undefined,
    build: (wanted: string) => Test,
    fact?: (wanted: string) => string,
  ): void => {
    if (text === undefined || text === '' || text === '!') return;
    const negated = text.startsWith('!');
    const wanted = negated ? text.slice(1) : text;
    const test = build(wanted);
    tests.push(negated ? (row) => !test(row) : test);
    if (!negated && fact !== undefined) facts.push(fact(wanted));
  };
  add(query.method, method, methodFact);
  add(query.status, status, statusFact);
  add(query.ip, ip, (wanted) => wanted);
  add(query.url, url);
  add(query.route, route, routeFact);
  add(query.token, (wanted) => (row) => row.token === wanted);
  const { start, end, exception } = query;
  if (start !== undefined) tests.push((row) => row.startedAt >= start);
  if (end !== undefined) tests.push((row) => row.startedAt <= end);
  if (exception !== undefined) tests.push((row) => (row.exception !== null) === exception);
  if (exception === true) facts.push(exceptionFact);
  return {
    matches: (row) => tests.every((test) => test(row)),
    mayMatch: (text) => text === '' || facts.every((fact) => text.includes(fact)),
  };
}

function method(wanted: string): Test {
  const upper = wanted.toUpperCase();
  return (row) => row.method.toUpperCase() === upper;
}

/** `404`, `4xx`, `40x`. */
function status(wanted: string): Test {
  const digits = wanted.toLowerCase().replace(/x+$/, '');
  const whole = digits.length === wanted.length;
  return (row) =>
    whole ? String(row.status) === digits : String(row.status).startsWith(digits) && row.status > 0;
}

/** A name, or with `*` at its end the beginning of one. */
function route(wanted: string): Test {
  if (!wanted.endsWith('*')) return (row) => row.route === wanted;
  const start = wanted.slice(0, -1);
  return (row) => row.route !== null && row.route.startsWith(start);
}

function ip(wanted: string): Test {
  return (row) => row.clientAddress.includes(wanted);
}

function url(wanted: string): Test {
  const lower = wanted.toLowerCase();
  return (row) => row.url.toLowerCase().includes(lower);
}
