import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, get, IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { finished } from 'node:stream/promises';
import { describe, it } from 'node:test';
import { LazyIncomingMessage, ServerMessage } from './lazy-incoming-message.js';

const sent = {
  'User-Agent': 'test',
  'X-Twice': ['1', '2'],
  Cookie: 'a=1',
  'Content-Type': 'text/plain',
  constructor: 'x',
};

/** The result of reading the headers, or the error: for a field named `constructor`, Node 22.22.1 throws. */
async function headersOf(
  Message: typeof IncomingMessage,
  look: (message: IncomingMessage, answered: Promise<unknown>) => unknown,
): Promise<unknown> {
  const server = createServer({ IncomingMessage: Message });
  try {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo; // it listens on a port
    return await new Promise((resolve, reject) => {
      server.on('request', (message, reply) => {
        try {
          resolve(look(message, once(reply, 'close')));
        } catch (error) {
          resolve(String(error));
        }
        reply.end();
      });
      get({ host: '127.0.0.1', port, headers: { ...sent, Host: 'h' }, agent: false }, (answer) => {
        answer.resume();
      }).on('error', reject);
    });
  } finally {
    server.close();
  }
}

describe('a lazy message', () => {
  it('is used by servers on the running Node version', () => {
    assert.equal(ServerMessage, LazyIncomingMessage);
  });

  it("has Node's own headers, however they are accessed", async () => {
    const looks: readonly ((message: IncomingMessage) => unknown)[] = [
      ({ headers }) => ({ ...headers }),
      ({ headers }) => Object.keys(headers),
      ({ headers }) => JSON.stringify(headers),
      ({ headers }) => [headers.expect, headers.host, headers['x-twice'], headers.expect],
      ({ headers }) => ['host' in headers, 'expect' in headers, Object.hasOwn(headers, 'cookie')],
      ({ headers, headersDistinct }) => [headers.cookie, headersDistinct['x-twice']],
      ({ headers }) => {
        headers['x-new'] = 'n';
        delete headers.cookie;
        Object.defineProperty(headers, 'x-defined', { value: 'd', enumerable: true });
        return Object.entries(headers);
      },
      (message) => {
        message.headers = { only: 'this' };
        return message.headers;
      },
      (message) => message.headers === message.headers,
    ];
    for (const look of looks) {
      assert.deepEqual(
        await headersOf(LazyIncomingMessage, look),
        await headersOf(IncomingMessage, look),
        String(look),
      );
    }
  });

  it('ends for every reader, whenever and however it reads', async () => {
    const reads: readonly ((message: IncomingMessage) => Promise<unknown>)[] = [
      async (message) => {
        const chunks: unknown[] = [];
        for await (const chunk of message) chunks.push(chunk);
        return chunks;
      },
      (message) => new Promise((resolve) => message.on('end', () => resolve('end')).resume()),
      (message) => new Promise((resolve) => message.on('data', resolve).on('end', () => resolve('end'))),
      (message) => new Promise((resolve) => message.on('readable', () => resolve(message.read()))),
      (message) =>
        new Promise((resolve) => message.pipe(new PassThrough()).on('finish', () => resolve('piped'))),
    ];
    for (const read of reads) {
      for (const isLate of [false, true]) {
        const look = async (message: IncomingMessage, answered: Promise<unknown>): Promise<unknown> => {
          if (isLate) await answered;
          return read(message);
        };
        assert.deepEqual(
          await headersOf(LazyIncomingMessage, look),
          await headersOf(IncomingMessage, isLate ? (message) => read(message) : look),
          String(read),
        );
      }
    }
  });

  it('that is not read is released after the response, and emits close to listeners', async () => {
    for (const event of ['end', 'close']) {
      const told = await headersOf(
        LazyIncomingMessage,
        (message) => new Promise((resolve) => message.on(event, () => resolve(event))),
      );
      assert.equal(told, event);
    }
    const looked = await headersOf(LazyIncomingMessage, async (message) => {
      const first: unknown = message.read();
      await new Promise(setImmediate); // by now the end has been reached, after the first read
      await new Promise((resolve) => message.on('end', resolve).on('readable', () => message.read()));
      return first;
    });
    assert.equal(looked, null);
    const late = await headersOf(LazyIncomingMessage, async (message, answered) => {
      await answered;
      return finished(message).then(() => 'finished');
    });
    assert.equal(late, 'finished');
    const ended = await headersOf(LazyIncomingMessage, async (message, answered) => {
      await answered;
      await new Promise(setImmediate);
      return message.readableEnded;
    });
    assert.equal(ended, true);
  });
});
