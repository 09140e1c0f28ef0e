import assert from 'node:assert/strict';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { describe, it } from 'node:test';
import { supportedPackages } from '#core/patches';
import { type Exchange, findCurrentExchange } from '../watch/exchange.js';
import { createLateMiddleware } from './late-middleware.js';
import { createOnion, type OnionFramework } from './create-onion.js';

interface Context {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  caught?: unknown;
}

/** Comes from this machine, so its sender may open the profiler. */
function createContext(url = '/'): Context {
  const socket = Object.defineProperty(new Socket(), 'remoteAddress', { value: '127.0.0.1' });
  const incoming = new IncomingMessage(socket);
  Object.assign(incoming, {
    method: 'GET',
    url,
    httpVersionMajor: 1,
    httpVersion: '1.1',
    rawHeaders: ['Host', 'localhost'],
  });
  return { incoming, outgoing: new ServerResponse(incoming) };
}

function createFramework(
  parts: Partial<OnionFramework<Context>> = {},
): OnionFramework<Context> & { noted: Exchange[] } {
  const noted: Exchange[] = [];
  return {
    noted,
    packages: ['ws'],
    messagesOf: (context) => context,
    answer: (_context, response) => `answered ${response.status}`,
    follow: (_context, next) => next(),
    note: (exchange) => void noted.push(exchange),
    ...parts,
  };
}
const options = { store: 'memory:', enabled: true };

describe('a middleware around the rest', () => {
  it('returns what the rest returns, runs it within the exchange, and records the route afterwards', async () => {
    const framework = createFramework();
    const onion = createOnion(options, framework);
    let inside: Exchange | undefined;
    const given = await onion(createContext(), async () => {
      inside = findCurrentExchange();
      assert.equal(framework.noted.length, 0);
      return 7;
    });
    assert.equal(given, 7);
    assert.ok(inside !== undefined);
    assert.deepEqual(framework.noted, [inside]);
    await onion.close();
  });

  it("alone responds for the profiler's pages", async () => {
    const onion = createOnion(options, createFramework());
    const given = await onion(createContext('/_profiler/'), () => assert.fail('was asked'));
    assert.equal(given, 'answered 200');
    await onion.close();
  });

  it('rethrows errors, and returns nothing if the framework has answered the error itself', async () => {
    const error = new Error('out of paper');
    const onion = createOnion(options, createFramework());
    await assert.rejects(
      onion(createContext(), () => Promise.reject(error)),
      error,
    );
    await onion.close();
    const catching = createOnion(options, createFramework({ caught: ({ caught }) => caught }));
    const context = createContext();
    const given = await catching(context, async () => {
      context.caught = error;
      return 'the answer of the framework';
    });
    assert.equal(given, undefined);
    await catching.close();
  });

  it('shows the error page if enabled', async () => {
    let page: unknown;
    const answer: OnionFramework<Context>['answer'] = (_context, response) => {
      page = response.body;
      return `answered ${response.status}`;
    };
    const onion = createOnion({ ...options, errorPage: true }, createFramework({ answer }));
    const written = process.stderr.write;
    try {
      process.stderr.write = () => true;
      const failing = onion(createContext(), () =>
        Promise.reject(Object.assign(new Error('no'), { status: 418 })),
      );
      assert.equal(await failing, 'answered 418');
      assert.match(String(page), /418[^]*\bno\b/);
    } finally {
      process.stderr.write = written;
    }
    await onion.close();
  });

  it('reports the required version once if there are no Node messages', async (test) => {
    const { versions } = supportedPackages.ws;
    test.after(() => Object.assign(supportedPackages.ws, { versions }));
    Object.assign(supportedPackages.ws, { versions: ['1'] });
    const onion = createOnion(options, createFramework({ messagesOf: () => undefined }));
    const written = process.stderr.write;
    const lines: string[] = [];
    try {
      process.stderr.write = (line: string | Uint8Array) => lines.push(String(line)) > 0;
      for (let count = 0; count < 2; count++) await onion(createContext(), async () => undefined);
    } finally {
      process.stderr.write = written;
    }
    assert.equal(lines.length, 1);
    assert.match(
      lines[0] ?? '',
      /^lookback: Nothing is recorded: A WebSocket route works with ws 1, but 8\.\S+ is installed\./,
    );
    await onion.close();
  });

  it('does nothing on other servers, when disabled, and after it is detached', async () => {
    const load = async (): Promise<ReturnType<typeof createOnion<Context>>> =>
      createOnion(options, createFramework());
    const detached = createLateMiddleware(options, load);
    detached.detach();
    for (const onion of [
      createOnion(options, createFramework({ messagesOf: () => undefined })),
      createLateMiddleware({ ...options, enabled: false }, load),
      detached,
    ]) {
      assert.equal(await onion(createContext(), async () => findCurrentExchange()), undefined);
      await onion.close();
    }
  });
});
