import assert from 'node:assert/strict';
import { pbkdf2Sync } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { type App, createApp } from 'lookback';
import { attach } from 'lookback/attach';
import {
  ask,
  connectTo,
  field,
  openTransport,
  tlsFiles,
  transportNames,
} from '../integration/http/transports.js';

/**
 * Works in C++ below one function, because V8 does not attribute samples to a loop optimised before the profile began. Takes 100 ms of CPU
 * time, so that the sampler gets its turn on a busy machine too.
 */
function burnInHandler(): string {
  const key = pbkdf2Sync('word', 'salt', 1000, 32, 'sha256');
  const start = process.cpuUsage();
  while (process.cpuUsage(start).user < 100_000) pbkdf2Sync(key, 'salt', 10_000, 32, 'sha256');
  return key.toString('hex');
}

function createBusyApp(configuration: object = {}): App {
  const app = createApp({
    configuration: { env: 'test', debug: true, profilerStore: 'memory:', ...configuration },
    logHandlers: [],
  });
  app.get('/busy', burnInHandler);
  return app;
}

function withResolvers(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve };
}

interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly children: readonly number[];
    readonly callFrame: { readonly functionName: string; readonly url: string };
  }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

type Read = (path: string) => Promise<string>;

/** Milliseconds that a profile attributes to the handler's own work. */
async function burntIn(read: Read, token: string | undefined): Promise<number> {
  const profile = JSON.parse(await read(`/_profiler/${String(token)}.cpuprofile`)) as CpuProfile; // the DevTools format
  assert.equal(profile.samples.length, profile.timeDeltas.length);
  const own = new Set<number>();
  // Parents come first.
  for (const { id, callFrame, children } of profile.nodes)
    if (own.has(id) || callFrame.functionName === 'burnInHandler')
      for (const one of [id, ...children]) own.add(one);
  const location = profile.nodes.find(({ id }) => own.has(id))?.callFrame.url ?? '';
  assert.match(location, /cpu-profile\.test\.(?:js|ts)$/);
  // The time after a sample is reported by the next one.
  return (
    profile.samples.reduce((sum, id, at) => sum + (own.has(id) ? (profile.timeDeltas[at + 1] ?? 0) : 0), 0) /
    1000
  );
}

describe('the CPU profile of a request', { concurrency: 1 }, () => {
  for (const name of transportNames)
    it(`always has the handler's work, and is taken only if requested, over ${name}`, async () => {
      const app = createBusyApp(name === 'TLS' || name === 'HTTP/2' ? { tls: tlsFiles } : {});
      const transport = await openTransport(name, app);
      const read: Read = async (path) => (await ask(transport, { path })).body;
      try {
        for (let time = 0; time < 2; time++) {
          const answer = await ask(transport, { path: '/busy?a=1&_profile=cpu' });
          assert.equal(answer.status, 200);
          const ms = await burntIn(read, field(answer, 'x-debug-token'));
          assert.ok(ms > 2, `${ms} ms`);
        }
        const plain = await ask(transport, { path: '/busy?a=1' });
        assert.match(
          await read(`/_profiler/${String(field(plain, 'x-debug-token'))}.cpuprofile`),
          /no-cpu-profile/,
        );
      } finally {
        await transport.close();
        await app.close();
      }
    });

  it('has the handler of an attached server', async () => {
    const server = createServer((_request, response) => response.end(burnInHandler()));
    const attachment = attach(server, { store: 'memory:', enabled: true });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const { port } = server.address() as AddressInfo; // a TCP server has one
    const transport = connectTo('HTTP/1.1', `http://127.0.0.1:${port}`);
    try {
      const answer = await ask(transport, { path: '/?_profile=cpu' });
      const read: Read = async (path) => (await ask(transport, { path })).body;
      assert.ok((await burntIn(read, field(answer, 'x-debug-token'))) > 2);
    } finally {
      await transport.close();
      server.close();
      await attachment.close();
    }
  });

  it('covers one request at a time; further ones are refused with a reason, and concurrent requests are counted', async () => {
    const app = createBusyApp();
    const [begun, others] = [withResolvers(), withResolvers()];
    app.get('/later', async () => {
      begun.resolve();
      await others.promise;
      return burnInHandler();
    });
    const transport = await openTransport('HTTP/1.1', app);
    try {
      const waiting = ask(transport, { path: '/later?_profile=cpu' });
      await begun.promise;
      const second = await ask(transport, { path: '/busy?_profile=cpu' });
      others.resolve();
      const first = await waiting;
      const panel = async (answer: typeof first): Promise<string> =>
        (await ask(transport, { path: `/_profiler/${String(field(answer, 'x-debug-token'))}.md?panel=cpu` }))
          .body;
      assert.match(
        await panel(second),
        new RegExp(`Another request \\\\?\\(${field(first, 'x-debug-token')}\\\\?\\) was being profiled`),
      );
      assert.match(await panel(first), /including the work of 1 other request that began meanwhile/);
      const read: Read = async (path) => (await ask(transport, { path })).body;
      assert.ok((await burntIn(read, field(first, 'x-debug-token'))) > 2);
    } finally {
      await transport.close();
      await app.close();
    }
  });

  it('is not taken for clients that may not see debug output', async () => {
    for (const [configuration, peer] of [
      [{ debug: false }, '127.0.0.1'],
      [{ debug: true }, '203.0.113.9'],
    ] as const) {
      const app = createBusyApp(configuration);
      await (await app.fetch('/busy?_profile=cpu', { peer: { address: peer } })).text();
      const found = await app.profiler?.find('latest');
      assert.ok(found?.kind === 'found');
      assert.equal(Object.hasOwn(found.record.sections, 'cpu'), false);
      await app.close();
    }
  });
});
