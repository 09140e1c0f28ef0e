import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { once } from 'node:events';
import { connect as connectHttp2, constants } from 'node:http2';
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, it } from 'node:test';
import { isCodedError } from '#core/coded-error';
import { HttpResponse } from '#core/http';
import { exchangeBytes } from './raw-client.js';
import { startServer } from './start-server.js';
import { tlsFiles } from './transports.js';

describe('connections', () => {
  for (const tls of [undefined, tlsFiles]) {
    it(`beyond maxConnections are closed as they arrive, which is reported once${tls ? ', over TLS' : ''}`, async () => {
      await using server = await startServer(() => HttpResponse.text('ok'), {
        limits: { maxConnections: 2 },
        tls,
      });
      const open: Socket[] = [];
      for (let count = 0; count < 2; count++) {
        const socket = connect(server.port, '127.0.0.1');
        open.push(socket);
        await once(socket, 'connect');
      }
      // A connection counts once the server has accepted it.
      const askInVain = async (): Promise<void> => {
        const surplus = connect(server.port, '127.0.0.1').on('error', () => undefined);
        surplus.resume();
        await once(surplus, 'close');
      };
      while (server.errors.length === 0) await askInVain();
      for (let more = 0; more < 3; more++) await askInVain();
      assert.equal(server.errors.length, 1);
      const [error] = server.errors;
      assert.ok(isCodedError(error) && error.code === 'HTTP_CONNECTIONS_REFUSED');
      assert.match(error.message, /The limit of 2 open connections was reached/);
      for (const socket of open) socket.destroy();
      if (tls !== undefined) return;
      let answer = '';
      while (answer === '') {
        answer = await exchangeBytes(
          server.port,
          'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
        ).catch(() => '');
      }
      assert.match(answer, /^HTTP\/1\.1 200/);
      assert.equal(server.errors.length, 1);
    });
  }
});

describe('HTTP/2 streams', () => {
  it('that are reset immediately after they are opened start few requests', async () => {
    let begun = 0;
    await using server = await startServer(
      () => {
        begun += 1;
        return HttpResponse.text('ok');
      },
      { tls: tlsFiles },
    );
    const session = connectHttp2(`https://127.0.0.1:${server.port}`, { ca: readFileSync(tlsFiles.cert) });
    session.on('error', () => undefined);
    await once(session, 'connect');
    for (let round = 0; round < 5; round++) {
      for (let count = 0; count < 50; count++) {
        const stream = session.request({ ':path': '/reset' }).on('error', () => undefined);
        stream.close(constants.NGHTTP2_CANCEL);
      }
      await sleep(10); // each round arrives in its own packets
    }
    const last = session.request({ ':path': '/' });
    last.resume();
    await once(last, 'close');
    await server.nextTold(begun);
    // The first reset of a round may arrive in a separate packet, after its stream has begun.
    assert.ok(begun < 50, `${begun} of 250 were begun`);
    assert.equal(server.told.length, begun);
    session.destroy();
  });
});
