import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { get } from 'node:http';
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { freePort } from '../free-port.js';
import { writeManifest } from './flagged-program.js';
import { ask, tokenOf, wire } from './wire.js';

const root = resolve('.');
const program = `
const server = createServer((request, response) => {
  if (request.url === '/throw') throw new TypeError('nobody catches this');
  response.end('hello ' + request.url);
});
server.listen(Number(process.env.PORT), '127.0.0.1', () => process.send?.('up'));
process.on('message', () => server.close(() => process.disconnect()));
`;

describe('node --import lookback/register', () => {
  let folder: string;
  const children: ChildProcess[] = [];
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'register-'));
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    writeManifest(folder);
  });
  after(() => {
    for (const child of children) child.kill('SIGKILL'); // left over from failed tests
    rmSync(folder, { recursive: true, force: true });
  });

  const write = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };

  interface Started {
    readonly port: number;
    readonly child: ChildProcess;
    stderr(): string;
    /** Resolves when stderr contains the text: a child's output arrives with a delay. */
    said(text: RegExp): Promise<void>;
    stop(): Promise<number | null>;
  }

  const start = async (
    path: string,
    options: { env?: Record<string, string>; flags?: string[] } = {},
  ): Promise<Started> => {
    const port = await freePort();
    const child = spawn(
      process.execPath,
      ['--import', join(root, 'dist/bundle/register.js'), ...(options.flags ?? []), path],
      {
        cwd: folder,
        env: { PATH: process.env['PATH'], PORT: String(port), PROFILER_STORE: 'memory:', ...options.env },
        stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
      },
    );
    let stderr = '';
    child.stderr?.on('data', (chunk) => (stderr += String(chunk)));
    await Promise.race([once(child, 'message'), once(child, 'exit')]);
    assert.equal(child.exitCode, null, stderr);
    children.push(child);
    // The port for the pages opens after the program's port, and stderr says when.
    if (options.env?.['LOOKBACK_PORT'] !== undefined && child.stderr !== null)
      while (!stderr.includes('records of every request')) await once(child.stderr, 'data');
    return {
      port,
      child,
      stderr: () => stderr,
      async said(text) {
        while (!text.test(stderr)) await once(child.stderr ?? child, 'data');
      },
      async stop() {
        // Waits for all output, which may arrive after the exit.
        const closed = once(child, 'close');
        child.send('stop');
        const [code] = (await closed) as [number | null];
        return code;
      },
    };
  };

  const programs: [string, string, string, string[]?][] = [
    ['ECMAScript modules', 'a.mjs', `import { createServer } from 'node:http';${program}`],
    ['CommonJS', 'a.cjs', `const { createServer } = require('http');${program}`],
    [
      'a subclass',
      'b.cjs',
      `const http = require('http'); class Own extends http.Server {}; const createServer = (f) => new Own(f);${program}`,
    ],
    [
      'a handler that is added later',
      'c.cjs',
      `const http = require('http'); const createServer = (f) => new http.Server().on('request', f);${program}`,
    ],
    [
      'TypeScript by tsx',
      'd.ts',
      `import { createServer } from 'node:http'; type Port = number;${program}`,
      ['--import', 'tsx'],
    ],
  ];
  for (const [what, name, text, flags] of programs)
    it(`records ${what}, and the program ends as it would without the flag`, async () => {
      const running = await start(write(name, text), flags === undefined ? {} : { flags });
      const answer = await wire(running.port, ask('GET', '/there'));
      assert.match(answer, /hello \/there$/);
      const record = await wire(running.port, ask('GET', `/_profiler/${tokenOf(answer)}.json`));
      assert.match(record, /"target":"\/there"/);
      assert.equal(await running.stop(), 0);
      assert.equal(
        running.stderr(),
        `lookback: records of every request: http://localhost:${running.port}/_profiler/\n`,
      );
    });

  it(
    'a server on a Unix socket prints no URL, and is recorded',
    { skip: process.platform === 'win32' },
    async () => {
      const socket = join(folder, 'server.sock');
      const listening = program.replace("Number(process.env.PORT), '127.0.0.1'", JSON.stringify(socket));
      const store = { PROFILER_STORE: `sqlite:${join(folder, 'socket.db')}` };
      const running = await start(
        write('socket.mjs', `import { createServer } from 'node:http';${listening}`),
        { env: store },
      );
      const asking = { socketPath: socket, path: '/there', headers: { Host: 'localhost' }, agent: false };
      const answer = await new Promise<IncomingMessage>((resolve, reject) => {
        get(asking, resolve).on('error', reject);
      });
      assert.equal(await text(answer), 'hello /there');
      assert.equal(await running.stop(), 0);
      assert.doesNotMatch(running.stderr(), /undefined|http:/);
      // Its clients have no address, so the record is read through another server.
      const next = await start(write('next.cjs', `const { createServer } = require('http');${program}`), {
        env: store,
      });
      const list = await wire(next.port, ask('GET', '/_profiler/search.json'));
      assert.match(list, /"path":"\/there"/);
      await next.stop();
    },
  );

  it('requests that arrive while the recorder loads are answered in order, in their own context, and recorded', async () => {
    const running = await start(
      write(
        'early.mjs',
        `import { AsyncLocalStorage } from 'node:async_hooks';
         import { createServer, request, Server } from 'node:http';
         const storage = new AsyncLocalStorage(), order = [], arrived = [];
         const emit = Server.prototype.emit;
         Server.prototype.emit = function (event, message, ...rest) {
           if (event !== 'request') return emit.call(this, event, message, ...rest);
           arrived.push(message.url);
           return storage.run(message.url, () => emit.call(this, event, message, ...rest));
         };
         process.on('uncaughtException', (error) => order.push(error.message));
         const server = createServer((request, response) => {
           order.push(request.url + ' in ' + storage.getStore());
           if (request.url === '/order') response.end(JSON.stringify({ arrived, order }));
           else if (request.url === '/fails') { response.end(); throw new Error('uncaught'); }
           else response.end();
         });
         server.listen(Number(process.env.PORT), '127.0.0.1', () => {
           // Before anything can come from a socket: as a test or another server hands its requests over.
           const ask = (path) => new Promise((done) => request({ port: server.address().port, path, agent: false }, (response) => response.resume().on('end', done)).end());
           void Promise.all(['/first', '/fails', '/third'].map(ask)).then(() => process.send('up'));
         });
         process.on('message', () => server.close(() => process.disconnect()));`,
      ),
    );
    const answer = await wire(running.port, ask('GET', '/order'));
    // Three connections are ready, in any order.
    const { arrived, order } = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4)) as {
      arrived: string[];
      order: string[];
    }; // sent by the program
    assert.deepEqual(arrived.toSorted(), ['/fails', '/first', '/order', '/third']);
    assert.deepEqual(
      order,
      arrived.flatMap((path) => [`${path} in ${path}`, ...(path === '/fails' ? ['uncaught'] : [])]),
    );
    const list = await wire(running.port, ask('GET', '/_profiler/search.json'));
    for (const path of ['/first', '/fails', '/third', '/order'])
      assert.match(list, new RegExp(`"path":"${path}"`));
    await running.stop();
  });

  it('a client that half-closes while the recorder loads gets its responses', async () => {
    const running = await start(
      write(
        'half.mjs',
        `import { createServer } from 'node:http';
         import { connect } from 'node:net';
         let count = 0;
         const server = createServer((request, response) => response.end('answer ' + ++count + ' ' + response.writable));
         server.listen(Number(process.env.PORT), '127.0.0.1', () => {
           const text = 'GET / HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n', client = connect(server.address().port);
           let answers = '';
           client.on('data', (chunk) => (answers += chunk)).on('end', () => { server.answers = answers.match(/answer \\d true/g); process.send('up'); });
           client.end(text + text);
         });
         process.on('message', () => { console.error(JSON.stringify(server.answers)); server.close(() => process.disconnect()); });`,
      ),
    );
    await running.stop();
    assert.match(running.stderr(), /\["answer 1 true","answer 2 true"\]/);
  });

  it('the application notices a client that leaves while the recorder loads', async () => {
    const path = write(
      'left.mjs',
      `import { subscribe } from 'node:diagnostics_channel';
         import { createServer } from 'node:http';
         import * as http2 from 'node:http2';
         import { connect } from 'node:net';
         const seen = [];
         const answer = (request, response) => {
           const events = [];
           for (const name of ['aborted', 'error']) request.on(name, () => events.push(name));
           const closed = [request, response].map((message) => new Promise((done) => message.on('close', done)));
           void Promise.all(closed).then(() => { seen.push(request.httpVersion + ' ' + events); tell(); });
         };
         const tell = () => seen.length === 2 && process.send('up');
         const second = http2.createServer(answer).on('sessionError', () => {});
         const server = createServer(answer);
         second.listen(0, '127.0.0.1', () => server.listen(Number(process.env.PORT), '127.0.0.1', () => {
           const client = connect(server.address().port);
           client.write('GET / HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n');
           subscribe('http.server.request.start', () => setImmediate(() => client.destroy()));
           const session = http2.connect('http://127.0.0.1:' + second.address().port);
           session.on('error', () => {}).request().on('error', () => {});
           second.on('stream', () => setImmediate(() => session.destroy()));
         }));
         process.on('message', () => { console.error(JSON.stringify(seen.sort())); second.close(); server.close(() => process.disconnect()); });`,
    );
    const [flagged, alone] = [await start(path), await start(path, { env: { LOOKBACK: 'off' } })];
    await Promise.all([flagged.stop(), alone.stop()]);
    assert.match(alone.stderr(), /^\["1.1 aborted.*","2.0 aborted.*"\]\n$/);
    assert.equal(flagged.stderr().replace(/^lookback: .*\n/gm, ''), alone.stderr());
  });

  it('records nothing in production and says why, prominently if it was enabled', async () => {
    const path = write('p.cjs', `const { createServer } = require('http');${program}`);
    const quiet = await start(path, { env: { NODE_ENV: 'production' } });
    assert.doesNotMatch(await wire(quiet.port, ask('GET', '/there')), /X-Debug/);
    await quiet.stop();
    assert.equal(quiet.stderr(), 'lookback: not recording: NODE_ENV is production; set LOOKBACK=on\n');
    const off = await start(path, { env: { NODE_ENV: 'production', LOOKBACK: 'off' } });
    assert.doesNotMatch(await wire(off.port, ask('GET', '/there')), /X-Debug/);
    await off.stop();
    assert.equal(off.stderr(), '');
    const loud = await start(path, { env: { NODE_ENV: 'production', LOOKBACK: 'on' } });
    assert.match(await wire(loud.port, ask('GET', '/there')), /X-Debug/);
    await loud.said(/PRODUCTION/);
    await loud.stop();
  });

  it("serves the pages on a separate port, and then leaves the application's responses unchanged", async () => {
    const own = await freePort();
    const running = await start(write('o.cjs', `const { createServer } = require('http');${program}`), {
      env: { LOOKBACK_PORT: String(own) },
    });
    const answer = await wire(running.port, ask('GET', '/there'));
    assert.doesNotMatch(answer, /X-Debug/);
    assert.match(await wire(running.port, ask('GET', '/_profiler/')), /hello \/_profiler\/$/);
    assert.match(await wire(own, ask('GET', '/_profiler/latest.json')), /"target":"\/_profiler\/"/);
    assert.match(await wire(own, ask('GET', '/')), /^HTTP\/1\.1 302/);
    assert.match(
      await wire(own, 'GET /_profiler/ HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n'),
      /^HTTP\/1\.1 403/,
    );
    assert.equal(await running.stop(), 0);
  });

  it('keeps no bodies in production, and only the configured share of requests', async () => {
    const own = await freePort();
    const running = await start(write('s.cjs', `const { createServer } = require('http');${program}`), {
      env: { NODE_ENV: 'production', LOOKBACK: 'on', LOOKBACK_PORT: String(own), PROFILER_SAMPLE: '1' },
    });
    await running.said(/every request, with headers, without bodies/);
    await wire(running.port, ask('GET', '/there'));
    const record = await wire(own, ask('GET', '/_profiler/latest.json'));
    assert.match(record, /"target":"\/there"/);
    assert.doesNotMatch(record, /hello/);
    await running.stop();
    const none = await start(write('s.cjs', `const { createServer } = require('http');${program}`), {
      env: { NODE_ENV: 'production', LOOKBACK: 'on', LOOKBACK_PORT: String(own), PROFILER_SAMPLE: '0' },
    });
    assert.match(await wire(none.port, ask('GET', '/there')), /hello \/there$/);
    assert.match(await wire(own, ask('GET', '/_profiler/search.json')), /"rows":\[\]/);
    await none.stop();
  });

  it('keeps the record of the request that ended the process', async () => {
    const path = write('t.cjs', `const { createServer } = require('http');${program}`);
    const store = { PROFILER_STORE: `sqlite:${join(folder, 'ended.db')}` };
    const running = await start(path, { env: store });
    const closed = once(running.child, 'close');
    await wire(running.port, ask('GET', '/throw'));
    assert.deepEqual(await closed, [1, null]);
    assert.match(running.stderr(), /TypeError: nobody catches this/);
    const next = await start(path, { env: store });
    assert.match(
      await wire(next.port, ask('GET', '/_profiler/latest.json')),
      /"target":"\/throw".*nobody catches this/,
    );
    await next.stop();
  });

  it('records in every worker of a cluster, and in worker threads', async () => {
    const cluster = write(
      'cluster.cjs',
      `const cluster = require('cluster'); const http = require('http');
       if (cluster.isPrimary) {
         let up = 0;
         for (let i = 0; i < 2; i++) cluster.fork();
         cluster.on('listening', () => { if (++up === 2) process.send('up'); });
         process.on('message', () => { for (const worker of Object.values(cluster.workers)) worker.disconnect(); process.disconnect(); });
       } else http.createServer((q, r) => r.end('worker ' + process.pid)).listen(Number(process.env.PORT), '127.0.0.1');`,
    );
    const workers = await start(cluster, { env: { PROFILER_STORE: `sqlite:${join(folder, 'cluster.db')}` } });
    const answers = [];
    for (let index = 0; index < 4; index++) answers.push(await wire(workers.port, ask('GET', `/c${index}`)));
    assert.equal(new Set(answers.map((answer) => /worker \d+/.exec(answer)?.[0])).size, 2);
    for (const [index, answer] of answers.entries())
      assert.match(
        await wire(workers.port, ask('GET', `/_profiler/${tokenOf(answer)}.json`)),
        new RegExp(`"target":"/c${index}"`),
      );
    assert.equal(await workers.stop(), 0);
    assert.equal(workers.stderr().match(/records of every request/g)?.length, 1);

    const thread = write(
      'thread.cjs',
      `const { Worker, isMainThread, parentPort } = require('worker_threads');
       if (isMainThread) { const worker = new Worker(__filename); worker.on('message', () => process.send('up'));
         process.on('message', () => { worker.terminate(); process.disconnect(); }); }
       else require('http').createServer((q, r) => r.end('thread')).listen(Number(process.env.PORT), '127.0.0.1', () => parentPort.postMessage('up'));`,
    );
    const threads = await start(thread);
    const answer = await wire(threads.port, ask('GET', '/thread'));
    assert.match(
      await wire(threads.port, ask('GET', `/_profiler/${tokenOf(answer)}.json`)),
      /"target":"\/thread"/,
    );
    await threads.said(/records of every request: http:\/\/localhost:\d+\/_profiler\//);
    await threads.stop();
  });

  it('leaves a lookback application to its own profiler: one record for each request', async () => {
    const path = write(
      'own.mjs',
      `import { createApp } from ${JSON.stringify(join(root, 'dist/bundle/index.js'))};
       const app = createApp({ configuration: { profilerStore: 'sqlite:' + process.env.FILE } });
       app.get('/there', () => 'hello');
       await app.listen({ port: Number(process.env.PORT) });
       process.send('up');
       process.on('message', async () => { await app.close(); process.exit(0); });`,
    );
    const file = join(folder, 'own.db');
    const running = await start(path, { env: { FILE: file, PROFILER_STORE: `sqlite:${file}` } });
    const answer = await wire(running.port, ask('GET', '/there'));
    assert.equal(answer.match(/^X-Debug-Token: /gim)?.length, 1);
    await wire(running.port, ask('GET', `/_profiler/${tokenOf(answer)}.json`));
    const list = await wire(running.port, ask('GET', '/_profiler/search.json'));
    assert.equal(list.match(/"path":"\/there"/g)?.length, 1);
    assert.equal(await running.stop(), 0);
    assert.doesNotMatch(running.stderr(), /records of every request/);
  });

  it('of two copies of lookback only the first one records, and one line says so', async () => {
    const copy = join(folder, 'copy');
    cpSync(join(root, 'dist/bundle'), copy, { recursive: true });
    writeFileSync(join(copy, 'package.json'), '{ "type": "module" }');
    const path = write('two-copies.mjs', `import { createServer } from 'node:http';${program}`);
    const { port, stderr, stop } = await start(path, { flags: ['--import', join(copy, 'register.js')] });
    assert.match(await wire(port, ask('GET', '/once')), /hello \/once/);
    const list = JSON.parse(await (await fetch(`http://127.0.0.1:${port}/_profiler/search.json`)).text()) as {
      rows: unknown[];
    };
    assert.equal(list.rows.length, 1);
    assert.equal(stderr().match(/records of every request/g)?.length, 1);
    await stop();
  });

  it('a process without a server ends, opens no store and prints nothing', () => {
    const path = write('n.mjs', 'console.log(JSON.stringify(process.memoryUsage().rss > 0))');
    const out = execFileSync(process.execPath, ['--import', join(root, 'dist/bundle/register.js'), path], {
      cwd: folder,
      env: {},
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    assert.equal(out, 'true\n');
  });
});
