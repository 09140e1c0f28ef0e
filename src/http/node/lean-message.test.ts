import assert from 'node:assert/strict';
import { createServer, get, IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { LeanMessage } from './lean-message.js';

const sent = {
  'User-Agent': 'test',
  'X-Twice': ['1', '2'],
  Cookie: 'a=1',
  'Content-Type': 'text/plain',
  constructor: 'x',
};

/** What a look at the headers gives, be it an error: of a field `constructor` Node 22.22.1 makes none but an error. */
async function headersOf(
  Message: typeof IncomingMessage,
  look: (message: IncomingMessage) => unknown,
): Promise<unknown> {
  const server = createServer({ IncomingMessage: Message });
  try {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo; // it listens on a port
    return await new Promise((resolve, reject) => {
      server.on('request', (message, reply) => {
        try {
          resolve(look(message));
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

describe('a lean message', () => {
  it('has the headers that Node would have made, however they are looked at', async () => {
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
        await headersOf(LeanMessage, look),
        await headersOf(IncomingMessage, look),
        String(look),
      );
    }
  });
});
