import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { isHttpError } from '#core/errors';
import type { HttpRequest } from '#core/http';
import { HttpResponse, validateRequest } from '#core/http';
import { exchangeBytes, statusesOf } from './raw-client.js';
import { startServer } from './start-server.js';

async function answer(request: HttpRequest): Promise<HttpResponse> {
  try {
    validateRequest(request);
    await request.bytes();
    return HttpResponse.text(request.url);
  } catch (error) {
    if (isHttpError(error)) return HttpResponse.text(error.message, { status: error.status });
    throw error;
  }
}

const pieces = [
  'GET ',
  'POST ',
  'HEAD ',
  'OPTIONS ',
  'CONNECT ',
  'PRI ',
  '/',
  '* ',
  '//',
  'http://',
  '?',
  '#',
  '%00',
  '%',
  ' HTTP/1.1',
  ' HTTP/1.0',
  ' HTTP/2.0',
  '\r\n',
  '\n',
  '\r',
  ' ',
  '\t',
  '\0',
  ':',
  'Host: a\r\n',
  'Host: b\r\n',
  'Content-Length: ',
  'Content-Length: 3\r\n',
  'Transfer-Encoding: chunked\r\n',
  'Connection: close\r\n',
  'Connection: Upgrade\r\nUpgrade: h2c\r\n',
  'Expect: 100-continue\r\n',
  'X-HTTP-Method-Override: PUT\r\n',
  '0\r\n\r\n',
  '3\r\nabc\r\n',
  '\r\n\r\n',
  'GET / HTTP/1.1\r\nHost: a\r\n\r\n',
  'POST / HTTP/1.1\r\nHost: a\r\n',
  'abc',
  '\xff',
  'SM\r\n\r\n',
];

describe('R8: arbitrary bytes', () => {
  it('are answered with 2xx, 4xx or nothing, each response is reported once, and the server continues', async () => {
    await using server = await startServer(answer);
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.oneof(
            { weight: 5, arbitrary: fc.constantFrom(...pieces) },
            fc.string({ unit: 'binary-ascii', maxLength: 5 }),
          ),
          { maxLength: 25 },
        ),
        async (parts) => {
          const before = server.told.length;
          const statuses = statusesOf(await exchangeBytes(server.port, parts.join(''))).filter(
            (status) => status !== 100,
          );
          for (const status of statuses)
            assert.ok(status === 200 || (status >= 400 && status < 500), String(status));
          // Node closes the connection on the method PRI before the response is complete, which is reported.
          const answered = server.told.slice(before).filter(({ sent }) => sent.completed);
          assert.equal(answered.length, statuses.length);
        },
      ),
      { numRuns: 1500 },
    );
    assert.deepEqual(server.errors, []);
    assert.deepEqual(
      statusesOf(await exchangeBytes(server.port, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n')),
      [200],
    );
  });
});
