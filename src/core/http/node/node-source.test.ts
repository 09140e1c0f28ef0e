import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { NodeSource } from './node-source.js';

interface Options {
  readonly headers?: readonly string[];
  readonly version?: 1 | 2;
  readonly endAfterHeaders?: boolean;
  readonly authority?: string;
}

/** A message as passed by Node, with a connection that the test ends. */
function receive({ headers = ['Host', 'h'], version = 1, ...more }: Options = {}): {
  source: NodeSource;
  message: PassThrough;
  socket: EventEmitter & { readableEnded: boolean };
  reply: { headersSent: boolean; continued: number };
} {
  const socket = Object.assign(new EventEmitter(), { remoteAddress: '127.0.0.1', readableEnded: false });
  const message = Object.assign(new PassThrough(), {
    httpVersionMajor: version,
    httpVersion: `${version}.${version === 1 ? '1' : '0'}`,
    method: 'POST',
    url: '/',
    rawHeaders: [...headers],
    complete: false,
    socket,
    ...(version === 2 && {
      stream: { endAfterHeaders: more.endAfterHeaders },
      authority: more.authority ?? '',
    }),
  });
  const reply = { headersSent: false, continued: 0, writeContinue: () => void reply.continued++ };
  return { source: new NodeSource(message as never, reply as never), message, socket, reply }; // only these properties are used
}

async function read(source: NodeSource): Promise<string> {
  let text = '';
  for await (const chunk of source.body?.chunks() ?? []) text += Buffer.from(chunk).toString();
  return text;
}

const sized = { headers: ['Host', 'h', 'Content-Length', '5'] };

describe("a request's signal", () => {
  it('is aborted when the client closes its side, and not after the request is over', () => {
    const one = receive();
    const { signal } = one.source;
    assert.equal(one.source.signal, signal);
    one.socket.emit('end');
    assert.equal(signal.aborted, true);
    const other = receive();
    const late = other.source.signal;
    other.source.release();
    assert.equal(other.socket.listenerCount('end'), 0, 'the connection no longer references it');
    other.socket.emit('end');
    assert.equal(late.aborted, false);
  });

  it('is aborted from the start if the client was gone before the request was read', () => {
    const gone = receive();
    gone.source.abort();
    assert.equal(gone.source.signal.aborted, true);
    const ended = receive();
    ended.socket.readableEnded = true;
    assert.equal(ended.source.signal.aborted, true);
    const over = receive();
    over.source.release();
    assert.deepEqual([over.source.signal.aborted, over.socket.listenerCount('end')], [false, 0]);
    const http2 = receive({ version: 2 });
    http2.socket.readableEnded = true;
    assert.equal(http2.source.signal.aborted, false, 'other requests share its connection');
    http2.source.abort();
    assert.equal(http2.source.signal.aborted, true);
  });
});

describe('a message', () => {
  it('has a body if it announces one', () => {
    const has = (options: Options): boolean => receive(options).source.hasBody;
    const field = (...headers: string[]): boolean => has({ headers: ['Host', 'h', ...headers] });
    assert.deepEqual(
      [
        field(),
        field('Content-Length', '0'),
        field('Content-Length', '5'),
        field('Transfer-Encoding', 'chunked'),
      ],
      [false, false, true, true],
    );
    assert.deepEqual(
      [has({ version: 2, endAfterHeaders: true }), has({ version: 2, endAfterHeaders: false })],
      [false, true],
    );
    assert.equal(receive().source.body, undefined);
    const { source } = receive(sized);
    assert.equal(source.body, source.body);
  });

  it("has its HTTP version's properties", () => {
    const one = receive();
    assert.deepEqual(
      [one.source.httpVersion, one.source.authority, one.source.socket === (one.socket as unknown)],
      ['1.1', undefined, true],
    );
    const two = receive({
      version: 2,
      authority: 'shop.example',
      headers: [':method', 'GET', 'accept', '*/*'],
    });
    assert.deepEqual(
      [two.source.httpVersion, two.source.authority, two.source.socket, [...two.source.rawHeaders]],
      ['2.0', 'shop.example', undefined, ['accept', '*/*']],
    );
    assert.equal(receive({ version: 2 }).source.authority, undefined);
    assert.ok(Object.isFrozen(one.source.rawHeaders));
  });
});

describe('a message body', () => {
  it('is read as it arrives, and leaves no listener', async () => {
    const { source, message } = receive(sized);
    const before = message.eventNames().length;
    const reading = read(source);
    message.write('ab');
    await nextTurn();
    message.end('cde');
    assert.equal(await reading, 'abcde');
    assert.equal(message.eventNames().length, before);
  });

  it('sends 100 Continue before it is read, once, and not after the response has begun', async () => {
    const { source, message, reply } = receive(sized);
    source.expectsContinue = true;
    message.end('abcde');
    const { body } = source;
    assert.equal(reply.continued, 0);
    await read(source);
    await read(source);
    assert.deepEqual([body !== undefined, reply.continued, source.expectsContinue], [true, 1, false]);
    const late = receive(sized);
    late.source.expectsContinue = true;
    late.reply.headersSent = true;
    late.message.end('abcde');
    await read(late.source);
    assert.equal(late.reply.continued, 0);
    const plain = receive(sized);
    plain.message.end('abcde');
    await read(plain.source);
    assert.equal(plain.reply.continued, 0);
  });

  it('fails with the parse error from its remainder, for current and later readers', async () => {
    const { source } = receive(sized);
    const reading = read(source);
    await nextTurn();
    const failure = new Error('malformed');
    source.failBody(failure);
    source.failBody(new Error('second'));
    await assert.rejects(reading, failure);
    await assert.rejects(read(source), failure);
    assert.equal(source.isBroken, true);
  });

  it('that is lost is a 400', async () => {
    const { source, message } = receive(sized);
    const reading = read(source);
    message.write('ab');
    await nextTurn();
    message.destroy();
    await assert.rejects(reading, { status: 400 });
  });

  it('does not block others, however many chunks wait', async () => {
    const { source, message } = receive(sized);
    for (let count = 0; count < 200; count++) message.write('a', 'latin1');
    message.end();
    let turns = 0;
    let isOver = false;
    const counting = (async () => {
      for (; !isOver; turns++) await nextTurn();
    })();
    let chunks = 0;
    Object.assign(message, {
      read: () => (chunks++ < 200 ? Buffer.from('a') : (message.emit('end'), null)),
    });
    Object.defineProperty(message, 'readableEnded', { get: () => chunks > 200 });
    assert.equal((await read(source)).length, 200);
    isOver = true;
    await counting;
    assert.ok(turns >= 3 && turns < 20, `${turns} turns`);
  });
});
