// Removes one of Node's internals (row and way, as arguments), then loads lookback and serves requests over every transport.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { breaks } from './break-internals.js';
import { ask, connectTo, tlsFiles } from './transports.js';

const [, , row = '', way = '0'] = process.argv;
const repair = breaks[row]?.[Number(way)]?.();
const { HttpResponse } = await import('#core/http');
const { createNodeServer } = await import('#core/http/node');
repair?.();

/** Whether a client that closes its sending side immediately gets its response: not without this internal. */
const keepsHalfOpen = row !== 'Server.httpAllowHalfOpen';
const keepsOpen = row !== 'OutgoingMessage.shouldKeepAlive';
const told: number[] = [];

for (const isTls of [false, true]) {
  const server = createNodeServer({
    handle: async (request) => {
      if (request.source.failure !== undefined) return HttpResponse.text('refused', { status: 400 });
      if (request.path === '/stream') return HttpResponse.stream(threeChunks());
      if (request.method === 'POST') return HttpResponse.text(await request.text());
      return HttpResponse.text(`${request.path} ${request.headers.get('x-own') ?? ''}`);
    },
    terminate: (_request, _response, { status }) => void told.push(status),
    onError: (error) => assert.fail(String(error)),
    tls: isTls ? tlsFiles : undefined,
    limits: { keepAliveTimeout: 1000 }, // ends connections whose end is not noticed
  });
  const listening = await server.listen({ port: 0 });
  const names = isTls ? (['TLS', 'HTTP/2'] as const) : (['HTTP/1.1'] as const);
  for (const name of names) {
    const transport = connectTo(name, listening.url);
    for (const path of ['/one', '/two']) {
      const answer = await ask(transport, { path, headers: { 'x-own': 'mine' } });
      assert.deepEqual([answer.status, answer.body, answer.isWhole], [200, `${path} mine`, true], name);
    }
    const posted = await ask(transport, { path: '/', method: 'POST', body: 'a body' });
    assert.deepEqual([posted.status, posted.body, posted.isWhole], [200, 'a body', true], name);
    const head = await ask(transport, { path: '/head', method: 'HEAD' });
    assert.deepEqual([head.status, head.body], [200, ''], name);
    const streamed = await ask(transport, { path: '/stream' });
    assert.deepEqual([streamed.body, streamed.isWhole], ['a b c', true], name);
    await transport.close();
  }
  await sendRaw(listening.port, isTls);
  const late = connectTo(isTls ? 'TLS' : 'HTTP/1.1', listening.url);
  await ask(late, { path: '/idle' }); // leaves a connection open, which the stop has to end
  await listening.close();
  await late.close();
}
const piped = keepsOpen ? 3 : 1;
assert.equal(
  told.filter((status) => status === 200).length,
  3 * 5 + 2 * (piped + (keepsHalfOpen ? 1 : 0)) + 2,
);
process.stdout.write('served');

async function* threeChunks(): AsyncGenerator<string> {
  for (const chunk of ['a', ' b', ' c']) {
    await new Promise(setImmediate);
    yield chunk;
  }
}

/** Three requests in one packet, bytes that are not a request, and a client that has closed its sending side. */
async function sendRaw(port: number, isTls: boolean): Promise<void> {
  const get = (path: string, more = ''): string => `GET ${path} HTTP/1.1\r\nHost: h\r\n${more}\r\n`;
  const piped = await exchange(get('/1') + get('/2') + get('/3', 'Connection: close\r\n'));
  const bodies = [...piped.matchAll(/\r\n\r\n(\/\d)/g)].map(([, body]) => body);
  // If the connection does not stay open after the first one, a client has to send the others again.
  assert.deepEqual(bodies, keepsOpen ? ['/1', '/2', '/3'] : ['/1']);
  assert.match(await exchange('not a request\r\n\r\n'), /^HTTP\/1\.1 400 /);
  if (keepsHalfOpen) assert.match(await exchange(get('/half'), { end: true }), /\/half $/);

  function exchange(bytes: string, { end = false } = {}): Promise<string> {
    return new Promise((resolve) => {
      const socket = isTls
        ? connectTls({ port, ca: readFileSync(tlsFiles.cert), ALPNProtocols: ['http/1.1'] })
        : connect(port, '127.0.0.1');
      let received = '';
      socket.on('data', (chunk: Buffer) => (received += chunk.toString('latin1')));
      socket.on('error', () => undefined); // missing bytes show it
      socket.on('close', () => resolve(received));
      if (end) socket.end(bytes);
      else socket.write(bytes);
    });
  }
}
