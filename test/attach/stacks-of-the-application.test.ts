import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';

const file = join(process.cwd(), `stacks-of-the-application-${process.pid}.mjs`);
after(() => rmSync(file, { force: true }));

/**
 * Prints the stacks of errors that an Express application catches itself or handles in its error handler, and the stack limit in a deeply
 * nested handler.
 */
const program = `
import express from 'express';
const app = express();
const seen = [];
const show = (error) => void seen.push(error.stack);
const caught = (work) => { try { work(); } catch (error) { show(error); } };
app.use(function first(request, response, next) { next(); });
app.get('/twice', function twice(request, response) { response.json({}); caught(() => response.json({})); });
app.get('/late', function late(request, response) {
  response.end('x');
  caught(() => response.redirect('/y'));
  caught(() => response.cookie('a', 'b'));
  caught(() => response.writeHead(200));
});
let highest = 0;
for (let time = 0; time < 30; time++) app.use('/deep', function pass(request, response, next) { next(); });
app.get('/deep', function deep() { highest = Error.stackTraceLimit; throw new Error('deep'); });
app.get('/throw', function thrower() { throw new Error('thrown'); });
app.use((error, request, response, next) => { show(error); response.status(500).end(String(Error.stackTraceLimit > 0)); });
const server = app.listen(0, '127.0.0.1', async () => {
  for (const path of ['/twice', '/late', '/throw', '/deep']) await (await fetch('http://127.0.0.1:' + server.address().port + path)).text();
  console.log(JSON.stringify([seen, Error.stackTraceLimit, highest]));
  process.exit(0);
});
`;

function run(flags: readonly string[]): readonly [stacks: readonly string[], limit: number, highest: number] {
  writeFileSync(file, program);
  const env = { ...process.env, PROFILER_STORE: 'memory:', NODE_ENV: 'development', NODE_OPTIONS: '' };
  const { stdout, stderr } = spawnSync(process.execPath, [...flags, file], { encoding: 'utf8', env });
  const line = stdout.split('\n').find((one) => one.startsWith('[['));
  assert.ok(line !== undefined, stderr);
  return JSON.parse(line) as readonly [readonly string[], number, number]; // the format that the program prints
}

describe('stacks of errors that an application catches', () => {
  it('have the same frames with and without lookback, which raises the limit by a bounded number meanwhile', () => {
    const [alone, aloneLimit] = run([]);
    const [watched, limit, highest] = run(['--import', 'lookback/register']);
    assert.equal(alone.length, 6);
    assert.deepEqual(watched, alone);
    assert.equal(limit, aloneLimit);
    assert.ok(highest > aloneLimit && highest <= aloneLimit + 60, `${highest} frames while a handler runs`);
  });
});
