// SQLite that fails on demand, for store tests: a module with the API of node:sqlite, loaded by `require` in two threads. The faults are in
// a JSON file named by LOOKBACK_TEST_FAULTS, which is read before every operation: match operations that fail: `open`, or part of the SQL;
// all without it nth only the n-th operation since the order was given, from 1 errcode result code of SQLite sticks this thread fails from
// then on, whatever is ordered crash `before` or `after` the operation the thread ends
'use strict';
const { readFileSync } = require('node:fs');

const { DatabaseSync: Real } = load();
let order = '';
let count = 0;
let stuck;

function load() {
  try {
    return require('node:sqlite');
  } catch {
    return require('@photostructure/sqlite');
  }
}

function step(label, work) {
  if (stuck !== undefined) throw stuck;
  const fault = readOrder();
  count++;
  const hit =
    fault !== undefined &&
    (fault.match === undefined || label.includes(fault.match)) &&
    (fault.nth === undefined || fault.nth === count);
  if (!hit) return work();
  if (fault.crash === 'after') work();
  if (fault.crash !== undefined) process.exit(9);
  const error = new Error(`ordered fault ${fault.errcode}`);
  Object.assign(error, { code: 'ERR_SQLITE_ERROR', errcode: fault.errcode });
  if (fault.sticks === true) stuck = error;
  throw error;
}

function readOrder() {
  let text = '';
  try {
    text = readFileSync(process.env.LOOKBACK_TEST_FAULTS ?? '', 'utf8');
  } catch {
    // No order.
  }
  if (text !== order) {
    order = text;
    count = 0;
  }
  return text === '' ? undefined : JSON.parse(text);
}

class DatabaseSync {
  #real;

  constructor(path) {
    this.#real = step('open', () => new Real(path));
  }

  exec(sql) {
    step(sql, () => this.#real.exec(sql));
  }

  prepare(sql) {
    const statement = this.#real.prepare(sql);
    return {
      run: (...values) => step(sql, () => statement.run(...values)),
      get: (...values) => step(sql, () => statement.get(...values)),
      all: (...values) => step(sql, () => statement.all(...values)),
    };
  }

  close() {
    this.#real.close();
  }
}

module.exports = { DatabaseSync };
