import assert from 'node:assert/strict';
import { createServer, type IncomingMessage } from 'node:http';
import { EventEmitter, once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import type { HttpRequest } from '../request/http-request.js';
import { ClientGoneResponse, HttpResponse, type SentResponse } from '../response/http-response.js';
import { Http1Writer } from './http1-writer.js';
import { ServerMessage } from './fast/lazy-incoming-message.js';
import { OneWriteResponse } from './fast/node-internals.js';
import { NodeSource } from './node-source.js';
import { defaultServerLimits } from './server-options.js';
import { ConnectionExchange, type ReplyWriter, sendStream, ServerState } from './server-state.js';

describe('an exchange', () => {
  it('that was accepted begins and is reported once even if its client is gone', async () => {
    const told: SentResponse[] = [];
    const aborted: boolean[] = [];
    const service = new ServerState({
      handle({ signal }) {
        aborted.push(signal.aborted);
        return HttpResponse.text('for nobody');
      },
      terminate: (_request, _response, sent) => void told.push(sent),
    });
    const server = createServer({ IncomingMessage: ServerMessage, ServerResponse: OneWriteResponse });
    try {
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const { port } = server.address() as AddressInfo; // it listens on a port
      const asked = once(server, 'request') as Promise<[IncomingMessage, OneWriteResponse]>; // instances of the given classes
      const client = connect(port, '127.0.0.1', () => client.write('GET / HTTP/1.1\r\nHost: h\r\n\r\n'));
      const [message, reply] = await asked;
      const source = new NodeSource(message, reply);
      const exchange = new ConnectionExchange(
        source,
        new Http1Writer(message, reply, source, service),
        service,
      );
      exchange.accept();
      assert.equal(service.inFlight.length, 1);
      client.resetAndDestroy();
      await once(reply, 'close');
      exchange.close();
      assert.deepEqual([told.length, service.inFlight.length], [0, 1], 'the exchange has yet to begin');
      exchange.begin();
      exchange.close();
      assert.deepEqual([aborted, service.inFlight.length], [[true], 0]);
      assert.deepEqual(
        told.map(({ completed, headers }) => [completed, headers.length]),
        [[false, 0]],
      );
    } finally {
      server.close();
    }
  });
});

describe('server limits', () => {
  it('are the documented ones by default', () => {
    assert.deepEqual(defaultServerLimits, {
      body: 1024 ** 2,
      upload: 1024 ** 3,
      target: 8 * 1024,
      jsonDepth: 64,
      formFields: 1000,
      formDepth: 20,
      files: 20,
      headerBytes: 16 * 1024,
      headerTimeout: 15_000,
      requestTimeout: 60_000,
      keepAliveTimeout: 5000,
      writeTimeout: 60_000,
      maxConnections: 10_000,
    });
  });
});

describe("a server's state", () => {
  it('has consistent limits, and announces how long it keeps a connection', () => {
    const state = (limits: object): ServerState =>
      new ServerState({ handle: () => new HttpResponse(null), limits });
    assert.equal(state({ headerTimeout: 9000, requestTimeout: 5000 }).limits.headerTimeout, 5000);
    assert.equal(state({ headerTimeout: 3000, requestTimeout: 5000 }).limits.headerTimeout, 3000);
    for (const [keepAliveTimeout, seconds] of [
      [5999, 5],
      [6000, 6],
      [10, 1],
    ])
      // prettier-ignore
      assert.equal(state({ keepAliveTimeout }).keepAlive, `timeout=${seconds}`);
  });

  it('knows its open connections, and the requests on each', () => {
    const service = new ServerState({ handle: () => new HttpResponse(null) });
    const socket = new EventEmitter();
    service.noteSocket(socket as never); // only its events are used
    assert.equal(service.sockets.size, 1);
    socket.emit('close');
    assert.equal(service.sockets.size, 0);
    const [one, other] = [bench(), bench()];
    assert.deepEqual(one.service.inFlightOn(one.socket as never), [one.exchange]); // only compared
    assert.deepEqual(one.service.inFlightOn(other.socket as never), []);
  });

  it('is stopping once its stop has begun', () => {
    const service = new ServerState({ handle: () => new HttpResponse(null) });
    assert.equal(service.stopping.aborted, false);
    service.beginStop();
    assert.equal(service.stopping.aborted, true);
  });

  it('answers in plain text if the application cannot, with the fields common to all responses', async () => {
    const { service, reports, exchange } = bench({
      handle: () => Promise.reject(new Error('no')),
      plainHeaders: { 'X-Robots-Tag': 'noindex' },
    });
    const answer = await service.respond(exchange.request, 503);
    assert.deepEqual([answer.status, answer.body], [503, '503 Service Unavailable\n']);
    assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
    assert.equal(answer.headers.get('x-robots-tag'), 'noindex');
    assert.deepEqual(reports, ['no']);
  });

  it('waits for the end of each request, and reports failures there', async () => {
    const ends: (() => void | Promise<void>)[] = [
      () => {
        throw new Error('at once');
      },
      () => Promise.reject(new Error('late')),
      () => Promise.resolve(),
    ];
    const { service, reports, exchange } = bench({ terminate: () => ends.shift()?.() });
    const end = (): void =>
      service.terminate(exchange.request, new HttpResponse(null), {
        status: 200,
        headers: [],
        bodyBytes: 0,
        completed: true,
      });
    end();
    assert.deepEqual([reports.splice(0), service.terminating.size], [['at once'], 0]);
    end();
    end();
    assert.equal(service.terminating.size, 2);
    await Promise.all(service.terminating);
    assert.deepEqual([reports, service.terminating.size], [['late'], 0]);
  });

  it('reports errors, and survives a failing report', () => {
    const given: unknown[] = [];
    const { service } = bench({
      onError: (error) => {
        given.push(error);
        throw new Error('the log is full');
      },
    });
    const errors = [new Error('first'), new Error('second')];
    for (const error of errors) service.report(error);
    assert.deepEqual(given, errors);
  });
});

interface Bench {
  readonly service: ServerState;
  readonly exchange: ConnectionExchange;
  readonly writer: ReplyWriter & {
    headers: string[];
    isComplete: boolean;
    sent: HttpResponse[];
    destroyed: number;
  };
  readonly ended: SentResponse[];
  readonly reports: string[];
  readonly socket: object;
}

/** An exchange whose writer records its input. */
function bench(
  options: Partial<ConstructorParameters<typeof ServerState>[0]> = {},
  send: (response: HttpResponse) => unknown = () => undefined,
): Bench {
  const [ended, reports]: [SentResponse[], string[]] = [[], []];
  const service = new ServerState({
    handle: () => HttpResponse.text('x'),
    terminate: (_request, _response, sent) => void ended.push(sent),
    onError: (error) => void reports.push((error as Error).message), // these tests throw errors
    ...options,
  });
  const socket = Object.assign(new EventEmitter(), { remoteAddress: '127.0.0.1' });
  const message = Object.assign(new PassThrough(), {
    httpVersionMajor: 1,
    httpVersion: '1.1',
    method: 'GET',
    url: '/',
    rawHeaders: ['Host', 'h'],
    socket,
  });
  const writer = {
    headers: [] as string[],
    head: undefined,
    bodyBytes: 7,
    reachedNobody: false,
    isComplete: false,
    sent: [] as HttpResponse[],
    destroyed: 0,
    send(response: HttpResponse) {
      writer.sent.push(response);
      send(response);
      writer.headers = ['a', 'b'];
    },
    destroy: () => void writer.destroyed++,
  };
  const source = new NodeSource(message as never, {} as never); // only these properties are used
  return {
    service,
    exchange: new ConnectionExchange(source, writer, service),
    writer,
    ended,
    reports,
    socket,
  };
}

const statuses = ({ writer }: Bench): number[] => writer.sent.map(({ status }) => status);

describe('a request in flight', () => {
  it('is answered, reported with the sent response when its connection is done, and over once', () => {
    const one = bench({ handle: () => HttpResponse.text('x', { status: 201 }) });
    let over = 0;
    one.exchange.afterwards(() => void over++);
    const { signal } = one.exchange.request;
    one.exchange.start();
    assert.deepEqual([statuses(one), one.ended.length, one.service.inFlight.length], [[201], 0, 1]);
    one.writer.isComplete = true;
    one.exchange.close();
    one.exchange.close();
    const [sent] = one.ended;
    assert.deepEqual(
      [sent?.status, sent?.bodyBytes, sent?.completed, [...(sent?.headers ?? [])], one.ended.length],
      [201, 7, true, ['a', 'b'], 1],
    );
    assert.deepEqual([over, one.service.inFlight.length, signal.aborted], [1, 0, false]);
    assert.ok(Object.isFrozen(sent?.headers));
  });

  it('is aborted if its client leaves: its stream is stopped, and it is reported as incomplete', async () => {
    let isStopped = false;
    const stream = new ReadableStream({ cancel: () => void (isStopped = true) });
    let answer: (response: HttpResponse) => void = () => undefined;
    const one = bench({ handle: () => new Promise((resolve) => (answer = resolve)) });
    const { signal } = one.exchange.request;
    one.exchange.start();
    one.exchange.close();
    assert.deepEqual([signal.aborted, one.ended.length], [true, 0]);
    answer(HttpResponse.stream(stream));
    await new Promise(setImmediate);
    assert.deepEqual([statuses(one), isStopped, one.ended[0]?.completed], [[], true, false]);
    assert.equal(one.service.inFlight.length, 0);
  });

  it('that has not begun ends with its connection, and is not handled', () => {
    let calls = 0;
    const one = bench({
      handle() {
        calls++;
        return HttpResponse.text('x');
      },
    });
    one.exchange.close();
    one.exchange.start();
    assert.deepEqual([calls, one.ended.length, one.service.inFlight.length], [0, 0, 0]);
  });

  it('is answered with 500 if the application fails, synchronously or later, or the response cannot be sent', async () => {
    const fail = (): never => {
      throw new Error('no');
    };
    for (const handle of [fail, async () => fail()]) {
      const one = bench({ handle });
      one.exchange.start();
      await new Promise(setImmediate);
      assert.deepEqual([statuses(one), one.reports, one.writer.destroyed], [[500], ['no'], 0]);
      one.exchange.close();
      assert.equal(one.ended[0]?.status, 500);
    }
    const unsendable = bench({}, ({ status }) => (status === 200 ? fail() : undefined));
    unsendable.exchange.start();
    assert.deepEqual([statuses(unsendable), unsendable.reports], [[200, 500], ['no']]);
    const nothing = bench({}, fail);
    nothing.exchange.start();
    assert.deepEqual(
      [statuses(nothing), nothing.reports, nothing.writer.destroyed],
      [[200, 500], ['no', 'no'], 1],
    );
    const begun = bench({}, () => {
      begun.writer.headers.push('a', 'b');
      fail();
    });
    begun.exchange.start();
    assert.deepEqual([statuses(begun), begun.writer.destroyed, begun.ended.length], [[200], 1, 0]);
    begun.exchange.close();
    assert.equal(begun.ended[0]?.status, 200);
  });

  it('that fails after its client has left is reported as 500 and not written', async () => {
    let reject: (error: Error) => void = () => undefined;
    const one = bench({ handle: () => new Promise((_resolve, fails) => (reject = fails)) });
    one.exchange.start();
    one.exchange.close();
    reject(new Error('late'));
    await new Promise(setImmediate);
    assert.deepEqual([statuses(one), one.reports, one.ended[0]?.status], [[], ['late'], 500]);
  });

  it('is cut off if the application has seen the client leave', () => {
    const one = bench({ handle: () => new ClientGoneResponse() });
    one.exchange.start();
    assert.deepEqual([statuses(one), one.writer.destroyed, one.ended.length], [[], 1, 0]);
  });

  it('may end before earlier ones', () => {
    const { service, exchange } = bench();
    const later = bench();
    service.inFlight.push(later.exchange);
    const third = Object.assign(Object.create(exchange) as ConnectionExchange, {});
    service.inFlight.push(third);
    exchange.start();
    exchange.close();
    assert.deepEqual(service.inFlight, [later.exchange, third]);
  });
});

describe('a stream being sent', () => {
  async function* chunks(error?: Error): AsyncGenerator<string> {
    yield 'one';
    if (error !== undefined) throw error;
    yield 'two';
  }
  const send = async (
    body: AsyncIterable<string>,
    request: HttpRequest,
    service: ServerState,
  ): Promise<[sent: string, bodyBytes: number, destroyed: number]> => {
    const sink = new PassThrough();
    const writer = { bodyBytes: 0, destroyed: 0, destroy: () => (writer.destroyed++, void sink.end()) };
    sendStream(body, sink, { declared: undefined, request, service, writer });
    return [await text(sink), writer.bodyBytes, writer.destroyed];
  };

  it('ends its response, or cuts it off and reports why, unless its client has left', async () => {
    const { service, exchange, reports } = bench();
    assert.deepEqual(await send(chunks(), exchange.request, service), ['onetwo', 6, 0]);
    assert.deepEqual(reports, []);
    assert.deepEqual(await send(chunks(new Error('disk')), exchange.request, service), ['one', 3, 1]);
    assert.deepEqual(reports.splice(0), ['disk']);
    const { signal } = exchange.request;
    exchange.close();
    assert.deepEqual(await send(chunks(signal.reason as Error), exchange.request, service), ['one', 3, 1]); // an AbortError
    assert.deepEqual(reports, []);
  });
});
