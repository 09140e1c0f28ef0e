import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HttpResponse } from '#core/http';
import { exchangeBytes, statusesOf } from './raw-client.js';
import { startServer } from './start-server.js';

const get = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
const head = get.replace('GET', 'HEAD');

/** Header fields and body of the first response in a received text. */
function readAnswer(received: string): { fields: string[]; body: string } {
  const end = received.indexOf('\r\n\r\n');
  const [, ...lines] = received.slice(0, end).split('\r\n');
  const fields = lines.flatMap((line) => [
    line.slice(0, line.indexOf(':')),
    line.slice(line.indexOf(':') + 2),
  ]);
  return { fields, body: received.slice(end + 4) };
}

async function* letters(...texts: string[]): AsyncGenerator<string> {
  for (const text of texts) yield text;
}

function webStream(...texts: string[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const text of texts) controller.enqueue(new TextEncoder().encode(text));
      controller.close();
    },
  });
}

describe('responses over HTTP/1', () => {
  it('P9: are reported with exactly the header block that was sent', async () => {
    await using server = await startServer(() =>
      HttpResponse.text('né').setCookie('a', '1').setCookie('b', '2'),
    );
    const { fields, body } = readAnswer(await exchangeBytes(server.port, get));
    const { sent } = await server.nextTold();
    assert.deepEqual(sent.headers, fields);
    assert.equal(fields.filter((field) => field === 'Set-Cookie').length, 2);
    assert.equal(fields[fields.indexOf('Content-Length') + 1], '3');
    assert.equal(Buffer.from(body, 'latin1').toString(), 'né');
    assert.deepEqual([sent.status, sent.bodyBytes, sent.completed], [200, 3, true]);
  });

  it('keep a header value with obs-text, whatever characters the body has and however it is sent', async () => {
    for (const text of ['ok', 'n€', '€'.repeat(40_000)]) {
      for (const request of [get, get.replace('1.1', '1.0')]) {
        await using server = await startServer(() => HttpResponse.text(text, { headers: { 'X-Name': 'é' } }));
        const { fields, body } = readAnswer(await exchangeBytes(server.port, request));
        assert.equal(fields[fields.indexOf('X-Name') + 1], 'é');
        assert.equal(Buffer.from(body, 'latin1').toString(), text);
      }
    }
  });

  it('have the same reason phrase for a status, however they are sent', async () => {
    const bodies = [
      (): string => 'text',
      (): string => 'x'.repeat(70_000),
      (): Uint8Array => new Uint8Array(3),
      (): AsyncIterable<string> => letters('a'),
    ];
    const reasons = {
      200: 'OK',
      299: 'Unknown',
      413: 'Content Too Large',
      499: 'Error',
      599: 'Server Error',
    };
    for (const [status, reason] of Object.entries(reasons)) {
      for (const body of bodies) {
        await using server = await startServer(() => new HttpResponse(body(), { status: Number(status) }));
        const received = await exchangeBytes(server.port, get);
        assert.equal(received.slice(0, received.indexOf('\r\n')), `HTTP/1.1 ${status} ${reason}`);
      }
    }
  });

  it('have bodies of bytes, none, and streams of both kinds', async () => {
    const answers = [
      new HttpResponse(new Uint8Array([65, 66])),
      new HttpResponse(null),
      HttpResponse.stream(letters('a', '', 'b')),
      HttpResponse.stream(webStream('c', 'd')),
    ];
    await using server = await startServer(() => answers.shift() ?? HttpResponse.empty());
    const bodies = [];
    for (let index = 0; index < 4; index += 1)
      bodies.push(readAnswer(await exchangeBytes(server.port, get)).body);
    // Newer versions of Node send chunks written one after another as one.
    const whole = (body: string): string => body.replace(/^1\r\n(.)\r\n1\r\n(.)\r\n/, '2\r\n$1$2\r\n');
    assert.deepEqual(bodies.map(whole), ['AB', '', '2\r\nab\r\n0\r\n\r\n', '2\r\ncd\r\n0\r\n\r\n']);
    assert.deepEqual(
      server.told.map(({ sent }) => sent.bodyBytes),
      [2, 0, 2, 2],
    );
  });

  it('have no body for HEAD, 204, 205 and 304, whatever the application returned', async () => {
    let stopped = 0;
    const body = (): ReadableStream<Uint8Array> =>
      new ReadableStream({
        cancel: () => {
          stopped += 1;
        },
      });
    const answers = [204, 205, 304].flatMap((status) => [
      new HttpResponse('text', { status }),
      new HttpResponse(body(), { status }),
    ]);
    await using server = await startServer((request) =>
      request.method === 'HEAD' ? HttpResponse.text('12345') : (answers.shift() ?? HttpResponse.empty()),
    );
    for (let index = 0; index < 6; index += 1) {
      assert.equal(readAnswer(await exchangeBytes(server.port, get)).body, '');
    }
    assert.equal(stopped, 3, 'unsent streams are cancelled');
    const { fields, body: none } = readAnswer(await exchangeBytes(server.port, head));
    assert.deepEqual([fields[fields.indexOf('Content-Length') + 1], none], ['5', '']);
    assert.equal((await server.nextTold(7)).sent.bodyBytes, 0);
  });

  it('do not take connection header fields from the application', async () => {
    await using server = await startServer(() =>
      HttpResponse.text('abc', {
        headers: {
          'Content-Length': '99',
          'Transfer-Encoding': 'chunked',
          Connection: 'x',
          'Keep-Alive': 'x',
          Upgrade: 'x',
          Date: 'x',
        },
      }),
    );
    const received = await exchangeBytes(server.port, get + get);
    assert.deepEqual(statusesOf(received), [200, 200]);
    assert.doesNotMatch(received, /: (?:99|x|chunked)\r\n/);
  });

  it('end a stream with the connection in HTTP/1.0', async () => {
    await using server = await startServer(() => HttpResponse.stream(letters('a', 'b')));
    const received = await exchangeBytes(
      server.port,
      'GET / HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n\r\n',
    );
    assert.match(received, /Connection: close\r\n/);
    assert.equal(readAnswer(received).body, 'ab');
  });
});

describe('failing responses', () => {
  it('to a handler that throws, now or later, are a 500 without its message, and the error is reported', async () => {
    await using server = await startServer((request) => {
      if (request.path === '/now') throw new Error('secret');
      return Promise.reject(new Error('secret'));
    });
    for (const path of ['/now', '/later']) {
      const received = await exchangeBytes(server.port, get.replace('/ ', `${path} `));
      assert.deepEqual(statusesOf(received), [500]);
      assert.doesNotMatch(received, /secret/);
    }
    assert.equal(server.errors.length, 2);
    assert.deepEqual(
      server.told.map(({ sent }) => sent.status),
      [500, 500],
    );
  });

  it('with a status that cannot be sent are an application error', async () => {
    for (const status of [99, 100, 101, 600, Number.NaN, 200.5]) {
      await using server = await startServer(() => new HttpResponse('x', { status }));
      assert.deepEqual(statusesOf(await exchangeBytes(server.port, get)), [500]);
      assert.match(
        String(server.errors[0]),
        /status option of a response is (?:NaN|200\.5)\.|cannot have the status (?:99|100|101|600)\b/,
      );
    }
  });

  it('cut the connection if a stream fails midway: the client cannot mistake it for complete', async () => {
    await using server = await startServer(() =>
      HttpResponse.stream(
        (async function* () {
          yield 'abc';
          await Promise.resolve();
          throw new Error('disk');
        })(),
      ),
    );
    const received = await exchangeBytes(server.port, get);
    assert.doesNotMatch(received, /\r\n0\r\n\r\n$/);
    const { sent } = await server.nextTold();
    assert.deepEqual([sent.completed, sent.bodyBytes], [false, 3]);
    assert.match(String(server.errors[0]), /disk/);
  });

  it('never break the framing if a stream has more or fewer bytes than its Content-Length', async () => {
    for (const texts of [['abcdef'], ['ab', 'cdef'], ['a']]) {
      await using server = await startServer(() =>
        HttpResponse.stream(letters(...texts), { headers: { 'Content-Length': '3' } }),
      );
      const received = await exchangeBytes(server.port, get + get);
      assert.ok(readAnswer(received).body.length <= 3);
      assert.equal((await server.nextTold()).sent.completed, false);
      assert.match(String(server.errors[0]), /Content-Length of 3 bytes/);
    }
  });

  it('do not stop the server if a log or a terminate listener throws', async () => {
    await using server = await startServer(() => HttpResponse.text('ok'), {
      terminate: () => {
        throw new Error('terminate');
      },
      onError: () => {
        throw new Error('log');
      },
    });
    assert.deepEqual(statusesOf(await exchangeBytes(server.port, get + get)), [200, 200]);
  });

  it('do not stop the server after a stack overflow or a JSON body of depth 100,000', async () => {
    const dive = (depth: number): number => dive(depth + 1) + 1;
    await using server = await startServer(async (request) => {
      if (request.path === '/dive') return HttpResponse.text(String(dive(0)));
      return HttpResponse.json(await request.json().catch((error: unknown) => String(error)));
    });
    const body = '['.repeat(100_000) + ']'.repeat(100_000);
    assert.deepEqual(statusesOf(await exchangeBytes(server.port, get.replace('/ ', '/dive '))), [500]);
    const received = await exchangeBytes(
      server.port,
      `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    assert.match(received, /nested deeper than 64 levels/);
  });
});
