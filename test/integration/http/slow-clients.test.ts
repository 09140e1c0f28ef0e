import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import { isHttpError } from '#core/errors';
import type { HttpRequest } from '#core/http';
import { HttpResponse, validateRequest } from '#core/http';
import { exchangeBytes, statusesOf } from './raw-client.js';
import { startServer } from './start-server.js';
import { until, untilStill } from '../../until.js';

const get = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
const post = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n';
const quick = { headerTimeout: 100, requestTimeout: 200 };

async function answer(request: HttpRequest): Promise<HttpResponse> {
  try {
    validateRequest(request);
    return HttpResponse.text(await request.text());
  } catch (error) {
    return HttpResponse.text(String(error), { status: isHttpError(error) ? error.status : 500 });
  }
}

describe('R8: slow clients', () => {
  it('get 408 for a header block or a body that does not arrive, each reported once', async () => {
    await using server = await startServer(answer, { limits: quick });
    for (const bytes of ['GET / HTT', 'GET / HTTP/1.1\r\nHost: a\r\n', post, `${post}ab`]) {
      const received = await exchangeBytes(server.port, bytes, { keepOpen: true });
      assert.deepEqual(statusesOf(received), [408]);
      assert.match(received, /Connection: close\r\n/);
    }
    assert.deepEqual(
      server.told.map(({ sent }) => sent.status),
      [408, 408, 408, 408],
    );
  });

  it('that time out together are answered one by one, with turns for other clients in between', async () => {
    let turn = 0;
    const count = (): void => {
      turn += 1;
      if (turn > 0) setImmediate(count);
    };
    const refused: number[] = [];
    await using server = await startServer(
      async (request) => {
        const response = await answer(request);
        if (response.status === 408) refused.push(turn);
        return response;
      },
      { limits: quick },
    );
    count();
    const received = await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        exchangeBytes(server.port, index % 2 === 0 ? 'GET / HTT' : post, { keepOpen: true }),
      ),
    );
    turn = Number.NEGATIVE_INFINITY;
    assert.deepEqual(new Set(received.flatMap(statusesOf)), new Set([408]));
    assert.equal(refused.length, 60);
    assert.ok(new Set(refused).size >= 50, `60 answers were sent in only ${new Set(refused).size} turns`);
  });

  it('a connection that never sends a byte is closed without a response or a record', async () => {
    await using server = await startServer(answer, { limits: quick });
    assert.equal(await exchangeBytes(server.port, '', { keepOpen: true }), '');
    assert.equal(server.told.length, 0);
  });

  it('an idle connection is closed after its time', async () => {
    await using server = await startServer(answer, { limits: { keepAliveTimeout: 100 } });
    assert.deepEqual(statusesOf(await exchangeBytes(server.port, get, { keepOpen: true })), [200]);
  });

  it('a connection whose response takes longer than that stays open, before and after another response', async () => {
    await using server = await startServer(
      async () => {
        await new Promise((resolve) => setTimeout(resolve, 250)); // five times the idle time
        return HttpResponse.text('late');
      },
      { limits: { keepAliveTimeout: 50 } },
    );
    const received = await exchangeBytes(server.port, get + get, { keepOpen: true });
    assert.deepEqual(statusesOf(received), [200, 200]);
  });

  it('get 408 also for a header block that does not arrive on a kept-alive connection', async () => {
    await using server = await startServer(answer, {
      limits: { headerTimeout: 1500, requestTimeout: 3000, keepAliveTimeout: 100 },
    });
    const received = await exchangeBytes(server.port, `${get}GET / HTT`, { keepOpen: true });
    assert.deepEqual(statusesOf(received), [200, 408]);
    assert.equal(server.told.length, 2);
  });

  it('a stream is read no faster than the client reads it', async () => {
    let given = 0;
    let ended = false;
    const chunk = Buffer.alloc(64 * 1024);
    await using server = await startServer(() =>
      HttpResponse.stream(
        (async function* () {
          try {
            for (; given < 4096; given += 1) yield chunk;
          } finally {
            ended = true;
          }
        })(),
      ),
    );
    const socket = connect(server.port, '127.0.0.1').on('error', () => undefined);
    socket.pause();
    socket.write(get);
    await until(() => given > 0);
    await untilStill(() => given);
    assert.ok(given < 512, `${given} chunks of 64 KiB were taken for a client that read none of them`);
    assert.equal(ended, false);
    socket.destroy();
    const { sent } = await server.nextTold();
    assert.equal(sent.completed, false);
    await until(() => ended);
    assert.deepEqual(server.errors, [], 'a client disconnect is not an error');
  });

  it('a client that reads nothing is disconnected', async () => {
    await using server = await startServer(() => new HttpResponse(Buffer.alloc(32 * 1024 * 1024)), {
      limits: { writeTimeout: 200 },
    });
    const socket = connect(server.port, '127.0.0.1').on('error', () => undefined);
    socket.pause();
    socket.write(get);
    const { sent } = await server.nextTold();
    assert.equal(sent.completed, false);
    socket.destroy();
  });

  it('a client that reads none of many small responses is disconnected', async () => {
    for (const body of ['x'.repeat(3000), Buffer.alloc(3000)]) {
      await using server = await startServer(() => new HttpResponse(body), { limits: { writeTimeout: 200 } });
      const socket = connect(server.port, '127.0.0.1').on('error', () => undefined);
      socket.pause();
      socket.write(get.repeat(5000));
      while (server.told.at(-1)?.sent.completed !== false) await server.nextTold(server.told.length + 1);
      assert.ok(server.told.length < 5000, 'the server stopped reading before the end');
      socket.destroy();
    }
  });

  it('a stream that is slow itself is not cut off', async () => {
    await using server = await startServer(
      () =>
        HttpResponse.stream(
          (async function* () {
            yield 'a';
            await new Promise((resolve) => setTimeout(resolve, 400)); // four times the write time-out
            yield 'b';
          })(),
        ),
      { limits: { writeTimeout: 100 } },
    );
    assert.match(await exchangeBytes(server.port, get), /a\r\n1\r\nb\r\n0\r\n\r\n$/);
  });
});

describe('clients that leave', () => {
  it('abort the signal; the later response is reported as not sent', async () => {
    let release: (() => void) | undefined;
    let aborted = false;
    await using server = await startServer(async ({ signal }) => {
      await new Promise<void>((resolve) => {
        release = resolve;
        signal.addEventListener('abort', () => {
          aborted = true;
          resolve();
        });
      });
      return HttpResponse.text('late');
    });
    const socket = connect(server.port, '127.0.0.1').on('error', () => undefined);
    socket.write(get);
    await until(() => release !== undefined);
    socket.resetAndDestroy();
    const { sent, response } = await server.nextTold();
    assert.equal(aborted, true);
    assert.deepEqual([sent.completed, sent.headers.length, response.body], [false, 0, 'late']);
  });

  it('that only close their sending side still get their response', async () => {
    let aborted = false;
    await using server = await startServer(async ({ signal }) => {
      signal.addEventListener('abort', () => {
        aborted = true;
      });
      await until(() => aborted);
      return HttpResponse.text('late');
    });
    assert.match(await exchangeBytes(server.port, get), /late$/);
    assert.equal((await server.nextTold()).sent.completed, true);
  });

  it('in the middle of a body cause its reader to fail', async () => {
    let isAsked = false;
    await using server = await startServer((request) => {
      isAsked = true;
      return answer(request);
    });
    const socket = connect(server.port, '127.0.0.1').on('error', () => undefined);
    socket.write(`${post}ab`);
    await until(() => isAsked);
    socket.resetAndDestroy();
    const { response, sent } = await server.nextTold();
    assert.equal(sent.completed, false);
    assert.equal(response.status, 400);
  });
});

describe('unread bodies', () => {
  it('do not prevent a client that keeps sending from reading the 413', async () => {
    await using server = await startServer(answer);
    const received = await exchangeBytes(
      server.port,
      `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 8000000\r\n\r\n${'x'.repeat(8_000_000)}`,
    );
    assert.deepEqual(statusesOf(received), [413]);
    assert.match(received, /exceeds the limit of 1048576 bytes/);
  });

  it('do not close the connection if they are small', async () => {
    await using server = await startServer(() => HttpResponse.text('ok'));
    const received = await exchangeBytes(server.port, `${post}12345${get}`);
    assert.deepEqual(statusesOf(received), [200, 200]);
  });

  it('R8: get no second response if they are broken after the first', async () => {
    await using server = await startServer(() => HttpResponse.text('ok'));
    const received = await exchangeBytes(server.port, post);
    assert.deepEqual(statusesOf(received), [200]);
    assert.equal(server.told.length, 1);
  });

  it('with Expect: 100-continue are continued only if they are read', async () => {
    const waiting = post.replace('\r\n\r\n', '\r\nExpect: 100-continue\r\n\r\n');
    await using server = await startServer((request) =>
      request.method === 'POST' && request.path === '/'
        ? answer(request)
        : HttpResponse.text('no', { status: 403 }),
    );
    assert.deepEqual(statusesOf(await exchangeBytes(server.port, `${waiting}12345`)), [100, 200]);
    const refused = await exchangeBytes(server.port, waiting.replace('/ ', '/x '), { keepOpen: true });
    assert.deepEqual(statusesOf(refused), [403]);
  });
});
