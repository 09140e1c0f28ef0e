import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { HttpResponse } from '#core/http';
import { exchangeBytes, statusesOf } from './raw-client.js';
import { startServer } from './start-server.js';
import { until, untilStill } from '../../until.js';

const get = (path: string, fields = ''): string => `GET ${path} HTTP/1.1\r\nHost: a\r\n${fields}\r\n`;

describe('pipelined requests', () => {
  it('start one after another, and are answered in order', async () => {
    const events: string[] = [];
    await using server = await startServer(async ({ path }) => {
      events.push(`begin ${path}`);
      for (let turns = path === '/1' ? 20 : 1; turns > 0; turns--) await nextTurn();
      events.push(`end ${path}`);
      return HttpResponse.text(path);
    });
    const received = await exchangeBytes(server.port, get('/1') + get('/2') + get('/3'));
    assert.deepEqual(events, ['begin /1', 'end /1', 'begin /2', 'end /2', 'begin /3', 'end /3']);
    assert.match(received, /\/1HTTP\/1\.1 200[^]*\/2HTTP\/1\.1 200[^]*\/3$/);
    assert.equal(server.told.length, 3);
  });

  it('are all answered, however many there are, including those with bodies', async () => {
    await using server = await startServer(async (request) => HttpResponse.text(await request.text()));
    const post = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc';
    const received = await exchangeBytes(server.port, (get('/') + post).repeat(2500));
    assert.equal(statusesOf(received).length, 5000);
    assert.equal(received.match(/abc/g)?.length, 2500);
  });

  it('are answered before a malformed request behind them is refused', async () => {
    await using server = await startServer(async ({ source }) => {
      await nextTurn();
      return HttpResponse.text('', { status: source.failure === undefined ? 200 : 400 });
    });
    const received = await exchangeBytes(server.port, `${get('/1')}${get('/2')}${get('/3')}BAD\r\n\r\n`);
    assert.deepEqual(statusesOf(received), [200, 200, 200, 400]);
  });

  it('are answered before an upgrade behind them, including streams', async () => {
    const begun: string[] = [];
    await using server = await startServer(
      async ({ path }) => {
        begun.push(path);
        await nextTurn();
        if (path !== '/stream') return HttpResponse.text(path);
        async function* chunks(): AsyncGenerator<string> {
          for (let at = 0; at < 100; at++) yield 'x'.repeat(65_536);
        }
        return HttpResponse.stream(chunks());
      },
      { takesUpgrades: true },
    );
    const upgrade = get('/upgrade', 'Connection: Upgrade\r\nUpgrade: x\r\n');
    const received = await exchangeBytes(server.port, get('/1') + get('/stream') + upgrade);
    assert.match(received, /\/1HTTP\/1\.1 200 OK[^]*x\r\n0\r\n\r\nHTTP\/1\.1 200 OK[^]*\/upgrade$/);
    assert.deepEqual(begun, ['/1', '/stream', '/upgrade']);
    begun.length = 0;
    await exchangeBytes(server.port, get('/1', 'Connection: close\r\n') + upgrade);
    assert.deepEqual(begun, ['/1'], 'no request begins after a response that closes the connection');
  });

  it('are answered before that refusal even if another connection is answered in between', async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const begun = new Set<string>();
    await using server = await startServer(async ({ path, source }) => {
      begun.add(path);
      if (path === '/other') await held;
      else if (source.failure === undefined) await sleep(60); // the malformed request arrives meanwhile
      return HttpResponse.text('', { status: source.failure === undefined ? 200 : 400 });
    });
    const other = exchangeBytes(server.port, get('/other'));
    await until(() => begun.has('/other'));
    const socket = connect(server.port, '127.0.0.1');
    let received = '';
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString('latin1');
    });
    socket.write(get('/1') + get('/2') + get('/3'));
    await until(() => begun.has('/1'));
    release();
    await other;
    socket.end('BAD\r\n\r\n');
    await once(socket, 'close');
    assert.deepEqual(statusesOf(received), [200, 200, 200, 400]);
  });

  it('are not started for a client that does not read the responses', async () => {
    let begun = 0;
    await using server = await startServer(() => {
      begun += 1;
      return new HttpResponse(Buffer.alloc(4 * 1024 * 1024));
    });
    const socket = connect(server.port, '127.0.0.1').on('error', () => undefined);
    socket.pause();
    socket.write(get('/').repeat(20_000));
    await until(() => begun > 0);
    await untilStill(() => begun);
    assert.ok(begun < 10, `${begun} answers of 4 MiB were made for a client that read none of them`);
    socket.destroy();
  });

  it('are forgotten with their connection', async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let begun = 0;
    await using server = await startServer(async () => {
      begun += 1;
      await held;
      return HttpResponse.text('late');
    });
    const socket = connect(server.port, '127.0.0.1').on('error', () => undefined);
    socket.write(get('/').repeat(50));
    await once(socket, 'connect');
    await until(() => begun > 0);
    socket.resetAndDestroy();
    await once(socket, 'close');
    release();
    await server.nextTold();
    await untilStill(() => begun);
    await until(() => server.told.length === begun);
    // The second one may have begun: with this much output pending, nothing is read, and only a write reveals that the client has left.
    assert.ok(begun <= 2, `${begun} were begun`);
    assert.deepEqual([server.told.length, server.errors.length], [begun, 0]);
  });

  it('report exactly one response as not completed when the client leaves with responses unread', async () => {
    await using server = await startServer(({ path }) =>
      path === '/stream'
        ? HttpResponse.stream(slowly('x'.repeat(500), 6))
        : HttpResponse.text('x'.repeat(3000)),
    );
    for (const requests of [get('/'), get('/') + get('/stream')]) {
      const before = server.told.length;
      const socket = connect(server.port, '127.0.0.1').on('error', () => undefined);
      socket.pause();
      socket.write(requests.repeat(2000));
      await server.nextTold(before + 1);
      await untilStill(() => server.told.length);
      socket.destroy(); // with unread responses: the server's write fails while others wait behind it
      while (!server.told.slice(before).some(({ sent }) => !sent.completed))
        await server.nextTold(server.told.length + 1);
      await untilStill(() => server.told.length);
      assert.equal(
        server.told.slice(before).filter(({ sent }) => !sent.completed).length,
        1,
        'no further request was begun',
      );
    }
    assert.deepEqual(server.errors, []);
  });
});

async function* slowly(text: string, times: number): AsyncGenerator<string> {
  for (let turn = 0; turn < times; turn += 1) {
    yield text;
    await new Promise(setImmediate);
  }
}
