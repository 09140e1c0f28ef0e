import assert from 'node:assert/strict';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { HttpRequest } from '#core/http';
import { createProfiler, type Profiler, registerSpan } from '#profiler';
import { Exchange, findCurrentExchange, findExchange, statusOfError, readSentResponse } from './exchange.js';
import { nameOfHandler, noteHandler, runTimed, timeMiddleware } from './note-facts.js';
import { readForeignSource } from './foreign-message.js';

let profiler: Profiler;
before(() => (profiler = createProfiler({ store: 'memory:' })));
after(() => profiler.close());

interface Answer {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  /** Everything written to the socket. */
  wire(): string;
}

/** Node's own messages, on a socket that keeps what is written to it. */
function createAnswer(method = 'GET'): Answer {
  const chunks: Buffer[] = [];
  const socket = new Duplex({
    read: () => undefined,
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk);
      done();
    },
  });
  const incoming = new IncomingMessage(new Socket());
  const rawHeaders = [
    'Host',
    'localhost',
    'Accept',
    'text/html',
    'Sec-Fetch-Dest',
    'document',
    'Sec-Fetch-Mode',
    'navigate',
  ];
  Object.assign(incoming, {
    method,
    url: '/page',
    httpVersionMajor: 1,
    httpVersionMinor: 1,
    httpVersion: '1.1',
    rawHeaders,
  });
  const outgoing = new ServerResponse(incoming);
  outgoing.sendDate = false;
  outgoing.assignSocket(socket as Socket); // enough for a response
  return { incoming, outgoing, wire: () => Buffer.concat(chunks).toString('latin1') };
}

function watch(
  { incoming, outgoing }: Answer,
  { isShown = false }: { isShown?: boolean } = {},
): { exchange: Exchange; over: () => number } {
  const request = new HttpRequest(readForeignSource(incoming));
  let over = 0;
  const exchange = new Exchange(incoming, outgoing, {
    request,
    recording: profiler.begin(request),
    settings: { bodies: true, setters: true, toolbar: true, prefix: '/_profiler' },
    link: isShown ? 'http://localhost/_profiler/abc123' : undefined,
    end: { over: () => over++, declare: () => undefined, answerError: () => false, failed: () => undefined },
  });
  return { exchange, over: () => over };
}

type Step = (outgoing: ServerResponse) => unknown;
const text = fc.constantFrom('', 'a', '<html><body>hé</body></html>', '</body>', 'x'.repeat(300));
const type = fc.constantFrom('text/html', 'text/html; charset=utf-8', 'text/plain', 'application/json');
const fields = fc.constantFrom<Record<string, string>>(
  {},
  { 'Content-Type': 'text/html' },
  { 'X-One': '1', 'content-type': 'text/html' },
);
/** What an application may do with a response, in any order, in one turn. */
const step: fc.Arbitrary<Step> = fc.oneof(
  type.map(
    (value): Step =>
      (outgoing) =>
        outgoing.setHeader('Content-Type', value),
  ),
  fc.constantFrom(200, 201, 204, 302, 304, 404, 500).map(
    (status): Step =>
      (outgoing) =>
        (outgoing.statusCode = status),
  ),
  fc.tuple(fc.constantFrom(200, 404), fields).map(
    ([status, head]): Step =>
      (outgoing) =>
        outgoing.writeHead(status, head),
  ),
  fields.map(
    (head): Step =>
      (outgoing) =>
        outgoing.writeHead(200, Object.entries(head).flat()),
  ),
  text.map(
    (chunk): Step =>
      (outgoing) =>
        outgoing.write(chunk),
  ),
  text.map(
    (chunk): Step =>
      (outgoing) =>
        outgoing.write(Buffer.from(chunk)),
  ),
  fc.constant<Step>((outgoing) => outgoing.flushHeaders()),
  fc.constant<Step>((outgoing) => outgoing.removeHeader('content-type')),
  fc
    .constantFrom<readonly unknown[]>(
      [9999, { 'Content-Type': 'text/html' }],
      [200, { 'Content-Type': 'text/html', 'X-Bad': undefined }],
      [200, { 'Content-Type': 'text/html', 'bad name': 'x' }],
      [404, 'not\nhere', { 'Content-Type': 'text/html' }],
      [404, 'Gone', { 'Content-Type': 'text/html', 'X-Two': ['a', 'b'] }],
    )
    .map(
      (args): Step =>
        (outgoing) =>
          Reflect.apply(outgoing.writeHead, outgoing, args),
    ),
  text.map(
    (chunk): Step =>
      (outgoing) =>
        outgoing.end(chunk),
  ),
  text.map(
    (chunk): Step =>
      (outgoing) =>
        outgoing.end(Buffer.from(chunk)),
  ),
  fc.constant<Step>((outgoing) => outgoing.end()),
);

/** The comparable part of what each step returned or threw. */
async function run(steps: readonly Step[], { outgoing }: Answer): Promise<unknown[]> {
  const seen: unknown[] = [];
  outgoing.on('error', (error: NodeJS.ErrnoException) => seen.push(error.code));
  for (const one of [...steps, (): unknown => outgoing.end()]) {
    try {
      const given = one(outgoing);
      seen.push(
        given === outgoing ? 'itself' : given,
        outgoing.headersSent,
        outgoing.statusCode,
        outgoing.writableEnded,
      );
    } catch (error) {
      seen.push((error as NodeJS.ErrnoException).code);
    }
  }
  await new Promise(setImmediate);
  return seen;
}

describe("a client's address", () => {
  it('is read once per connection', () => {
    const socket = new Socket();
    let asked = 0;
    Object.defineProperty(socket, 'remoteAddress', { get: () => `127.0.0.${++asked}` });
    const [first, second] = [1, 2].map(() => readForeignSource(new IncomingMessage(socket)).peer.address);
    assert.deepEqual([first, second, asked], ['127.0.0.1', '127.0.0.1', 1]);
  });
});

describe('the end of an exchange', () => {
  it('happens even if recording one fact throws, and later facts are still recorded', () => {
    const answer = createAnswer();
    const { exchange, over } = watch(answer);
    let noted = 0;
    exchange.atEnd.push(
      () => assert.fail('a getter of the application'),
      () => noted++,
    );
    answer.outgoing.end('a');
    answer.outgoing.emit('close');
    assert.deepEqual([noted, over()], [1, 1]);
  });
});

describe('an exchange', () => {
  it('changes nothing for clients that may not open the profiler: bytes, results and errors are the same for any application', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 7 }),
        fc.constantFrom('GET', 'HEAD', 'POST'),
        async (steps, method) => {
          const [alone, watched] = [createAnswer(method), createAnswer(method)];
          const { exchange } = watch(watched);
          assert.deepEqual(await run(steps, watched), await run(steps, alone));
          assert.equal(watched.wire(), alone.wire());
          const sent = readSentResponse(exchange);
          assert.equal(sent.status, Number(/^HTTP\/1\.1 (\d+)/.exec(alone.wire())?.[1] ?? 0));
        },
      ),
      { numRuns: 300 },
    );
  });

  it('adds only its own fields and the toolbar for other clients', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 7 }), async (steps) => {
        const [alone, watched] = [createAnswer(), createAnswer()];
        watch(watched, { isShown: true });
        assert.deepEqual(await run(steps, watched), await run(steps, alone));
        assert.deepEqual(withoutOurs(watched.wire()), withoutOurs(alone.wire()));
      }),
      { numRuns: 300 },
    );
  });

  /** Status, fields and body, except those that differ when the toolbar is added. */
  function withoutOurs(wire: string): unknown {
    const [head = '', ...rest] = wire.split('\r\n\r\n');
    const [line, ...lines] = head.split('\r\n');
    const ours =
      /^(?:x-debug-token|x-debug-token-link|server-timing|content-length|cache-control|transfer-encoding|set-cookie):/i;
    const body = rest
      .join('\r\n\r\n')
      .replace(/<script[^>]*data-lookback[^>]*><\/script>\n/, '')
      // Chunk lengths include the toolbar.
      .replaceAll(/(?:^|\r\n)[\da-f]+\r\n/g, '');
    return { line, fields: lines.filter((one) => !ours.test(one)), body: body.replaceAll('\r\n', '') };
  }

  it('has the head and size that were sent, and ends once', async () => {
    const answer = createAnswer();
    const { exchange, over } = watch(answer);
    answer.outgoing.setHeader('X-Own', ['one', 'two']);
    answer.outgoing.write('first ');
    answer.outgoing.end('sécond');
    const sent = readSentResponse(exchange);
    assert.equal(exchange.answer.bodyBytes, Buffer.byteLength('first sécond'));
    assert.match(sent.head ?? '', /^HTTP\/1\.1 200 OK\r\nX-Own: one\r\nX-Own: two\r\n/);
    answer.outgoing.emit('close');
    answer.outgoing.emit('close');
    assert.equal(over(), 1);
  });

  it('counts the bytes of text as Node writes them, in any encoding', () => {
    for (const encoding of ['utf8', 'latin1', 'hex', 'base64', 'utf16le', undefined] as const) {
      const answer = createAnswer();
      const { exchange } = watch(answer);
      if (encoding === undefined) answer.outgoing.end('c3ÿ');
      else answer.outgoing.end('c3bf', encoding);
      const body = answer.wire().slice(answer.wire().indexOf('\r\n\r\n') + 4);
      assert.equal(exchange.answer.bodyBytes, body.length, encoding);
    }
  });

  it('is found by both messages, and by the code that runs for it', () => {
    const answer = createAnswer();
    assert.equal(findExchange(answer.incoming), undefined);
    const { exchange } = watch(answer);
    assert.equal(findExchange(answer.incoming), exchange);
    assert.equal(findExchange(answer.outgoing), exchange);
    assert.equal(exchange.run(findCurrentExchange), exchange);
    assert.equal(findCurrentExchange(), undefined);
    assert.ok(!Object.keys(answer.incoming).some((name) => name.includes('lookback')));
  });
});

describe('a thrown error', () => {
  it('is recorded with the status it implies, no matter how many handlers pass it on', () => {
    const { exchange } = watch(createAnswer());
    const error = Object.assign(new Error('not yours'), { statusCode: 403 });
    exchange.error(error);
    exchange.error(error);
    const { exception } = exchange.recording as unknown as { exception: { status: number; message: string } };
    assert.deepEqual([exception.status, exception.message], [403, 'not yours']);
  });

  it('implies the status its framework would use, otherwise 500', () => {
    assert.equal(statusOfError({ status: 404 }), 404);
    assert.equal(statusOfError({ status: 'bad', statusCode: 422 }), 422);
    assert.equal(statusOfError({ output: { statusCode: 409 } }), 409);
    for (const other of [
      undefined,
      null,
      'text',
      {},
      { status: 200 },
      { status: 600 },
      { output: null },
      { status: NaN },
    ])
      assert.equal(statusOfError(other), 500);
  });
});

describe('framework functions', () => {
  it('have their most telling name', () => {
    function showUser(): void {}
    assert.equal(nameOfHandler(showUser, 'GET /'), 'showUser');
    assert.equal(nameOfHandler(showUser.bind(null).bind(null), 'GET /'), 'showUser');
    assert.equal(
      nameOfHandler(() => undefined, 'GET /'),
      'GET /',
    );
    assert.equal(nameOfHandler(undefined, 'GET /'), 'GET /');
    assert.equal(
      nameOfHandler(
        Object.defineProperty(() => undefined, 'name', { value: 7 }),
        'GET /',
      ),
      'GET /',
    );
  });

  it('are recorded with their route', () => {
    const { exchange } = watch(createAnswer());
    const named = noteHandler(exchange, {
      method: 'GET',
      path: '/users/:id',
      handler: undefined,
      parameters: { id: '7' },
    });
    assert.deepEqual(
      [named, exchange.route?.path, exchange.controller],
      ['GET /users/:id', '/users/:id', 'GET /users/:id'],
    );
  });

  it('are timed until their promise settles, with unchanged results, errors and identity', async () => {
    const { exchange } = watch(createAnswer());
    const left: unknown[] = [];
    const { leave } = exchange;
    exchange.leave = (bar, outcome) => {
      left.push(outcome ?? 'done');
      leave.call(exchange, bar, outcome);
    };
    const kind = registerSpan({ name: 'test', category: 'middleware' });
    assert.equal(
      runTimed(exchange, kind, () => 7),
      7,
    );
    assert.deepEqual(left, ['done']);
    const promised = runTimed(exchange, kind, async () => 8);
    assert.deepEqual(left, ['done']);
    assert.equal(await promised, 8);
    const error = new Error('refused');
    assert.throws(() => runTimed(exchange, kind, () => assert.fail(error)), error);
    await assert.rejects(
      runTimed(exchange, kind, () => Promise.reject(error)),
      error,
    );
    assert.deepEqual(left, ['done', 'done', 'failed', 'failed']);
  });

  it('have one proxy each, with the same properties and `this`', () => {
    const answer = createAnswer();
    watch(answer);
    const middleware = Object.assign(
      function this_(this: unknown, context: { req: object }) {
        return [this, context];
      },
      { router: 'kept' },
    );
    const timed = timeMiddleware(middleware, ({ req }: { req: object }) => req);
    assert.equal(
      timeMiddleware(middleware, () => undefined),
      timed,
    );
    assert.equal(
      timeMiddleware(timed, () => undefined),
      timed,
    );
    assert.deepEqual([timed.length, timed.name, Reflect.get(timed, 'router')], [1, 'this_', 'kept']);
    for (const req of [answer.incoming, {}]) {
      const context = { req };
      assert.deepEqual(Reflect.apply(timed, middleware, [context]), [middleware, context]);
    }
  });
});
