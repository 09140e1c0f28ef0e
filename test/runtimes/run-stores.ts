// Run by Bun or Deno: the contract of stores over a folder, a PostgreSQL and a Redis. A line of JSON for each case.
import { join } from 'node:path';
import { createMemoryStore, createStore } from '#profiler';
import { checkProfileStore } from '#testing';

const [folder = '', postgres = '', redis = ''] = process.argv.slice(2);
const runtime = 'Bun' in globalThis ? 'bun' : 'deno';
let stores = 0;
const kinds = {
  memory: checkProfileStore((retention) => createMemoryStore(retention)),
  sqlite: checkProfileStore((retention) =>
    createStore(`sqlite:${join(folder, `${stores++}.db`)}`, retention),
  ),
  postgres: checkProfileStore((retention) =>
    createStore(`${postgres}?schema=${runtime}${stores++}`, retention),
  ),
  redis: checkProfileStore((retention) =>
    createStore(`${redis}?prefix=${runtime}${process.pid}-${stores++}`, retention),
  ),
};
for (const [kind, cases] of Object.entries(kinds))
  for (const { name, run } of cases) {
    let problem = '';
    try {
      await run();
    } catch (error) {
      problem = error instanceof Error ? String(error.stack ?? error.message) : 'it threw';
    }
    console.log(JSON.stringify({ kind, name, problem }));
  }
process.exit(0);
