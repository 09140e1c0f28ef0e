import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { CodedError } from '#core/coded-error';
import { isHttpError } from '#core/errors';
import type { HttpRequest, SentResponse } from '#core/http';
import { createTrustPolicy, HttpResponse, validateRequest } from '#core/http';
import type { ListeningServer } from '#core/http/node';
import { createNodeServer } from '#core/http/node';
import { exchangeBytes, statusesOf } from './raw-client.js';
import { acceptedRequests, refusedRequests } from './refused-requests.js';

const told: { request: HttpRequest; sent: SentResponse }[] = [];
const reported: unknown[] = [];

async function answer(request: HttpRequest): Promise<HttpResponse> {
  try {
    validateRequest(request);
    if ((await request.bytes()).byteLength > 0) await request.json();
    return HttpResponse.text('ok');
  } catch (error) {
    if (!isHttpError(error)) throw error;
    const cause = error.cause as CodedError; // every refusal has one, as checked below
    return HttpResponse.text(error.message, {
      status: error.status,
      headers: { 'X-Cause': cause.code, 'X-Same': String(cause.message === error.message) },
    });
  }
}

describe('R7, R8: invalid requests', () => {
  let server: ListeningServer;
  before(async () => {
    server = await createNodeServer({
      handle: answer,
      terminate: (request, _response, sent) => {
        told.push({ request, sent });
      },
      onError: (error) => {
        reported.push(error);
      },
      trust: createTrustPolicy(),
    }).listen({ port: 0 });
  });
  after(() => server.close({ graceMs: 100 }));

  it('has more than 200 of them', () => assert.ok(refusedRequests.length > 200));

  for (const [title, bytes, statuses = [400]] of refusedRequests) {
    it(`refuses ${title}`, async () => {
      told.length = 0;
      const received = await exchangeBytes(server.port, bytes);
      assert.deepEqual(statusesOf(received), statuses);
      assert.equal(told.length, statuses.length, 'each response is reported once');
      assert.match(received, /X-Cause: [A-Z]+_[A-Z_]+\r\n/);
      assert.match(received, /X-Same: true\r\n/, 'the message comes from the underlying error');
      assert.deepEqual(
        told.map(({ sent }) => sent.completed),
        statuses.map(() => true),
      );
    });
  }

  for (const [title, bytes, statuses = [200]] of acceptedRequests) {
    it(`accepts ${title}`, async () => {
      assert.deepEqual(statusesOf(await exchangeBytes(server.port, bytes)), statuses);
    });
  }

  it('has reported no error, and still serves', async () => {
    assert.deepEqual(reported, []);
    assert.deepEqual(
      statusesOf(await exchangeBytes(server.port, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n')),
      [200],
    );
  });
});
