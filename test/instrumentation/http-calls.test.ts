import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { createServer, get, request, Agent, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { parseTraceparent, type ProfileRecord } from '#profiler';
import { startInstrumentations, type StartedInstrumentations } from '#profiler/instrumentation';
import { createRecorderBench, type RecorderBench } from './recorder-bench.js';

interface Call {
  readonly method: string;
  readonly url: string;
  readonly status: number;
  readonly durationMs: number;
  readonly isOpen: boolean;
  readonly phases: { sendMs: number; waitMs: number; receiveMs: number };
  readonly error: string | null;
  readonly requestBody: { text: string | null; bytes: number } | null;
  readonly responseBody: { text: string | null; bytes: number; isCut: boolean } | null;
  readonly requestHeaders: readonly string[];
  readonly record: string | null;
  readonly recordLink: string | null;
  readonly spanId: string;
  readonly callSite: readonly { readonly file: string }[];
}

function callsOf(record: ProfileRecord): readonly Call[] {
  const { calls } = (record.sections['http'] ?? { calls: [] }) as { calls: readonly Call[] }; // the type that the collector stores
  return calls;
}

/** Reads a whole response from node:http. */
function ask(options: Parameters<typeof request>[1] & { url: string }, body?: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const asked = request(options.url, options, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => (text += String(chunk)));
      response.on('end', () => resolve(text)).on('error', reject);
    });
    asked.on('error', reject).end(body);
  });
}

const addRequest = Object.getOwnPropertyDescriptor(Agent.prototype, 'addRequest');
describe('outgoing HTTP', () => {
  let bench: RecorderBench;
  let instrumentations: StartedInstrumentations;
  let server: Server;
  let url: string;
  before(async () => {
    bench = createRecorderBench();
    instrumentations = startInstrumentations();
    server = createServer((incoming, outgoing) => {
      let body = '';
      incoming.on('data', (chunk) => (body += String(chunk)));
      incoming.on('end', () => {
        if (incoming.url === '/hang') {
          outgoing.destroy();
          return;
        }
        outgoing.writeHead(incoming.url === '/broken' ? 503 : 200, {
          'content-type': 'application/json',
          'x-debug-token': 'abc123',
          'x-debug-token-link': `${url}/_profiler/abc123`,
        });
        const { traceparent = '' } = incoming.headers;
        outgoing.end(JSON.stringify({ url: incoming.url, body, traceparent, password: 'hunter2' }));
      });
    });
    server.keepAliveTimeout = 600_000; // a kept-alive connection must not be closed at the moment it is reused
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens
  });
  after(async () => {
    instrumentations.stop();
    server.closeAllConnections();
    server.close();
    await bench.close();
  });

  const clients: readonly [string, (path: string, body?: string) => Promise<string>][] = [
    [
      'fetch',
      async (path, body) =>
        (
          await fetch(
            url + path,
            body === undefined ? {} : { method: 'POST', body, headers: { 'content-type': 'text/plain' } },
          )
        ).text(),
    ],
    [
      'node:http',
      (path, body) =>
        ask(
          {
            url: url + path,
            method: body === undefined ? 'GET' : 'POST',
            headers: { 'content-type': 'text/plain' },
          },
          body,
        ),
    ],
    [
      'node:http with a kept connection',
      (path, body) => ask({ url: url + path, method: body === undefined ? 'GET' : 'POST', agent }, body),
    ],
  ];
  const agent = new Agent({ keepAlive: true, maxSockets: 2 });
  after(() => agent.destroy());

  for (const [name, client] of clients)
    describe(`by ${name}`, () => {
      it("is recorded with method, URL without secrets, status, times, location and the other side's record", async () => {
        const record = await bench.record(() => client('/a?token=hunter2&page=1'));
        const [call, ...others] = callsOf(record);
        assert.deepEqual(others, []);
        assert.ok(call !== undefined);
        assert.deepEqual([call.method, call.status, call.isOpen, call.error], ['GET', 200, false, null]);
        assert.ok(call.url.startsWith(`${url}/a?token=`) && call.url.endsWith('&page=1'), call.url);
        assert.doesNotMatch(JSON.stringify(record), /hunter2/);
        assert.ok(call.phases.sendMs > 0 && call.phases.waitMs > 0 && call.durationMs >= call.phases.waitMs);
        assert.match(call.callSite[0]?.file ?? '', /http-calls\.test\.js$/);
        assert.deepEqual([call.record, call.recordLink], ['abc123', `${url}/_profiler/abc123`]);
        assert.deepEqual(
          record.timeline
            .filter(({ section }) => section === 'http')
            .map(({ name: bar, category }) => [bar.slice(0, 8), category]),
          [['GET http', 'http']],
        );
      });

      it('keeps bodies, and leaves them to the application', async () => {
        let text = '';
        const record = await bench.record(async () => (text = await client('/b', 'hello')));
        assert.equal(JSON.parse(text).body, 'hello');
        const [call] = callsOf(record);
        assert.equal(call?.method, 'POST');
        // The undici of Node 20 and 22 does not report chunks.
        assert.equal(call?.requestBody?.bytes, 5);
        assert.match(call?.responseBody?.text ?? '', /"url":"\/b"/);
        assert.equal(call?.responseBody?.bytes, text.length);
      });

      it('carries a traceparent with the request’s trace', async () => {
        let sent = '';
        const headers = ['traceparent', '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'];
        const record = await bench.record(
          async () => (sent = JSON.parse(await client('/t')).traceparent),
          headers,
        );
        const span = parseTraceparent(sent);
        assert.equal(span?.traceId, '0af7651916cd43dd8448eb211c80319c');
        assert.notEqual(span?.spanId, 'b7ad6b7169203331');
        assert.equal(callsOf(record)[0]?.spanId, span?.spanId);
        const { rows } = await bench.profiler.list({
          where: [{ columns: ['trace'], test: { kind: 'is', texts: ['0af7651916cd43dd8448eb211c80319c'] } }],
        });
        assert.ok(rows.some(({ token }) => token === record.token));
      });

      it('a failed outgoing call is recorded with its status or error', async () => {
        const record = await bench.record(async () => {
          await client('/broken');
          await assert.rejects(client('/hang'));
        });
        const [broken, hung] = callsOf(record);
        assert.deepEqual([broken?.status, broken?.error], [503, null]);
        assert.equal(hung?.status, 0);
        assert.match(hung?.error ?? '', /socket|hang up|ECONN|closed/i);
      });

      it('is in the record of the request that sent it, with 60 concurrent requests', async () => {
        const ask = async (index: number): Promise<{ index: number; token: string }> => ({
          index,
          token: await bench.run(() => client(`/n${index}`)),
        });
        // More concurrent sockets would time out on a busy machine.
        const asked = await Promise.all(Array.from({ length: 60 }, (_, index) => ask(index)));
        await bench.profiler.flush();
        const traces = new Set<string | undefined>();
        for (const { index, token } of asked) {
          const record = await bench.find(token);
          assert.deepEqual(
            callsOf(record).map((call) => call.url),
            [`${url}/n${index}`],
          );
          traces.add((record.sections['trace'] as { trace: { traceId: string } | null }).trace?.traceId); // the type that the collector stores
        }
        assert.equal(traces.size, 60);
      });
    });

  it('belongs to no record outside a request, and carries no traceparent', async () => {
    const record = await bench.recordBeside(async () => {
      assert.equal(JSON.parse(await (await fetch(`${url}/x`)).text()).traceparent, '');
      assert.equal(JSON.parse(await ask({ url: `${url}/x` })).traceparent, '');
    });
    assert.deepEqual(callsOf(record), []);
  });

  it('keeps the traceparent that the application sets itself', async () => {
    const own = '00-11111111111111111111111111111111-2222222222222222-00';
    await bench.record(async () => {
      const answer = await fetch(url, { headers: { traceparent: own } });
      assert.equal(JSON.parse(await answer.text()).traceparent, own);
      assert.equal(JSON.parse(await ask({ url, headers: { traceparent: own } })).traceparent, own);
    });
  });

  const traceIdOf = (record: ProfileRecord): string | undefined =>
    (record.sections['trace'] as { trace: { traceId: string } | null } | undefined)?.trace?.traceId; // the type that the collector stores
  const set = { traceId: '1'.repeat(32), spanId: '2'.repeat(16) };
  const field = `00-${set.traceId}-${set.spanId}-01`;

  it("a request without a trace takes its trace from another agent's traceparent, and the call takes the span", async () => {
    const received = ['traceparent', '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'];
    for (const call of [
      () => fetch(url, { headers: { traceparent: field } }),
      () => ask({ url, headers: { traceparent: field } }),
    ]) {
      const record = await bench.record(call);
      assert.deepEqual([traceIdOf(record), callsOf(record)[0]?.spanId], [set.traceId, set.spanId]);
      assert.equal(traceIdOf(await bench.record(call, received)), '0af7651916cd43dd8448eb211c80319c');
    }
  });

  it('an agent that adds its traceparent after ours takes precedence: one header is sent', async () => {
    const add = (message: unknown): void =>
      (message as { request: { addHeader(...one: string[]): void } }).request.addHeader('traceparent', field); // from undici
    subscribe('undici:request:create', add);
    try {
      let sent = '';
      const record = await bench.record(async () => (sent = await (await fetch(url)).text()));
      assert.equal(JSON.parse(sent).traceparent, field);
      assert.deepEqual([traceIdOf(record), callsOf(record)[0]?.spanId], [set.traceId, set.spanId]);
    } finally {
      unsubscribe('undici:request:create', add);
    }
  });

  it('does not read responses that the application does not read', async () => {
    let flowing: boolean | null = true;
    const record = await bench.record(
      () =>
        new Promise<void>((resolve) =>
          get(`${url}/unread`, (response) => {
            setImmediate(() => {
              flowing = response.readableFlowing;
              response.destroy();
              resolve();
            });
          }),
        ),
    );
    assert.equal(callsOf(record)[0]?.status, 200);
    assert.equal(flowing, null, 'recording does not start reading the body');
  });

  it('restores node:http when the last user stops', () => {
    const patched = Object.getOwnPropertyDescriptor(Agent.prototype, 'addRequest');
    const second = startInstrumentations();
    second.stop();
    second.stop();
    assert.deepEqual(Object.getOwnPropertyDescriptor(Agent.prototype, 'addRequest'), patched);
    instrumentations.stop();
    assert.notEqual(Reflect.get(Agent.prototype, 'addRequest'), patched?.value);
    assert.deepEqual(Object.getOwnPropertyDescriptor(Agent.prototype, 'addRequest'), addRequest);
    instrumentations = startInstrumentations();
  });
});
