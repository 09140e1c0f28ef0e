import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, it } from 'node:test';

/** Answers one request per kind of value by throwing or rejecting with it. Without lookback, the application survives all of them. */
const program = `
import { createServer, get } from 'node:http';
import { runInThisContext } from 'node:vm';
// A throw in the parser's callback breaks the connection, so each request has its own.
const ask = (path) => new Promise((resolve, reject) => get({ port: server.address().port, path, agent: false }, (answer) => {
  answer.resume().on('end', () => resolve(answer.statusCode));
}).on('error', reject));
const fail = () => { throw new Error('read'); };
const withMember = (name, make = () => new Error('x')) => () => Object.defineProperty(make(), name, { get: fail });
class Message extends Error { get message() { return fail(); } }
class Name extends Error { get name() { return fail(); } }
class Status extends Error { get status() { return fail(); } }
class Both extends Error { get status() { throw new Message(); } }
const kinds = {
  proxy: () => new Proxy(new Error('x'), { get: fail }),
  everyTrap: () => new Proxy(new Error('x'), new Proxy({}, { get: () => fail })),
  revoked: () => { const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); return proxy; },
  function: () => new Proxy(() => undefined, { get: fail }),
  prototype: () => Object.create(new Proxy(Error.prototype, { get: fail, getPrototypeOf: fail })),
  output: () => Object.assign(new Error('x'), { output: new Proxy({}, { get: fail }) }),
  outputStatus: () => Object.assign(new Error('x'), { output: { get statusCode() { return fail(); } } }),
  status: withMember('status'), statusCode: withMember('statusCode'), stack: withMember('stack'),
  message: withMember('message'), name: withMember('name'), cause: withMember('cause'), code: withMember('code'),
  tag: withMember(Symbol.toStringTag), maker: withMember('constructor'),
  classMessage: () => new Message(), className: () => new Name(), classStatus: () => new Status(), both: () => new Both(),
  captured: () => { const made = { get message() { return fail(); } }; Error.captureStackTrace(made); return made; },
  locals: () => { const local = new Proxy({}, { get: fail, ownKeys: fail }); const other = { get a() { return fail(); } }; throw new Error(typeof local + typeof other); },
  nothing: () => undefined, null: () => null, symbol: () => Symbol('x'), frozen: () => Object.freeze(new Error('x')),
};
process.on('uncaughtException', () => process.stdout.write('caught\\n'));
const server = createServer((request, response) => {
  setImmediate(() => response.end('ok'));
  const [, how, kind] = request.url.split('/');
  if (how === 'format') return setImmediate(() => String(kinds[kind]().stack));
  if (how === 'script') return setImmediate(() => runInThisContext('(make) => { throw make(); }')(kinds[kind]));
  if (how === 'evaluate') return setImmediate(() => runInThisContext('throw new Error("x")'));
  if (how === 'reject') return Promise.reject(kinds[kind]());
  throw kinds[kind]();
});
server.listen(0, '127.0.0.1', async () => {
  const attempt = async (how, kind) => {
    const status = await ask('/' + how + '/' + kind);
    process.stdout.write(how + ' ' + kind + ' ' + status + '\\n');
  };
  // First, because local variables are taken at a limited number of throws in a second.
  for (const how of ['evaluate', 'script', 'format']) await attempt(how, 'message');
  for (const how of ['throw', 'reject', 'format'])
    for (const kind of Object.keys(kinds)) await attempt(how, kind);
  process.exit(0);
});`;

/** Throws one uncaught error, at which V8 would not pause, in native code that rethrows it. */
const rethrowing = `
import { createServer, get } from 'node:http';
import { runInThisContext, Script } from 'node:vm';
const filename = '/app/node_modules/library/index.js';
const script = process.argv[2] === 'compiledBefore' ? new Script('throw new Error("x")', { filename }) : undefined;
const fail = () => { throw new Error('read'); };
class Message extends Error { get message() { return fail(); } }
const kinds = {
  library: () => runInThisContext('throw new Error("x")', { filename }),
  compiledBefore: () => script.runInThisContext(),
  finally: () => { try { kinds.library(); } finally { globalThis.isOver = true; } },
  endless: () => runInThisContext('for (;;);', { timeout: 5 }),
  frequent: () => {
    for (let time = 0; time < 7; time++) try { fail(); } catch {}
    setTimeout(() => String(new Message().stack), 1200); // once V8 pauses again after many throws
  },
};
process.on('uncaughtException', () => { process.stdout.write('caught\\n'); setImmediate(() => process.exit(0)); });
const server = createServer((request, response) => {
  response.end('ok');
  setImmediate(kinds[process.argv[2]]);
}).listen(0, '127.0.0.1', () => get({ port: server.address().port }, (answer) => answer.resume()));`;

async function run(
  flags: readonly string[],
  file: string,
  env: Record<string, string>,
  words: readonly string[] = [],
): Promise<string> {
  const child = spawn(process.execPath, [...flags, file, ...words], {
    env: { PATH: process.env['PATH'], PROFILER_STORE: 'memory:', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.on('data', (chunk) => (text += String(chunk)));
  const [code] = (await once(child, 'close')) as [number | null]; // the arguments of Node's event
  return `${text}exit ${code}`;
}

describe('node --import lookback/register: a thrown value whose members throw when read', () => {
  for (const env of [{}, { LOOKBACK_LOCALS: 'off' }] as Record<string, string>[])
    it(`does not end a process that survives it without lookback: ${JSON.stringify(env)}`, async () => {
      const folder = mkdtempSync(join(tmpdir(), 'thrown-'));
      try {
        const file = join(folder, 'app.mjs');
        writeFileSync(file, program);
        const [bare, flagged] = await Promise.all([
          run([], file, {}),
          run(['--import', resolve('dist/bundle/register.js')], file, env),
        ]);
        assert.match(bare, /format frozen 200\nexit 0$/);
        assert.equal(flagged, bare);
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    });

  for (const kind of ['library', 'compiledBefore', 'finally', 'endless', 'frequent'])
    it(`does not abort the process if native code throws an uncaught error again: ${kind}`, async () => {
      const folder = mkdtempSync(join(tmpdir(), 'thrown-'));
      try {
        const file = join(folder, 'app.mjs');
        writeFileSync(file, rethrowing);
        const flags = ['--import', resolve('dist/bundle/register.js')];
        assert.equal(await run(flags, file, {}, [kind]), 'caught\nexit 0');
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    });
});
