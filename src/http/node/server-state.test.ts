import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { describe, it } from 'node:test';
import { HttpResponse, type SentResponse } from '../response/http-response.js';
import { ConnectionExchange } from './server-state.js';
import { Http1Writer } from './http1-writer.js';
import { ServerMessage } from './fast/lazy-incoming-message.js';
import { OneWriteResponse } from './fast/node-internals.js';
import { NodeSource } from './node-source.js';
import { ServerState } from './server-state.js';

describe('an exchange', () => {
  it('that was accepted is begun and reported once although its client has gone', async () => {
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
      const asked = once(server, 'request') as Promise<[IncomingMessage, OneWriteResponse]>; // of the classes given
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
      assert.deepEqual([told.length, service.inFlight.length], [0, 1], 'it is still to be begun');
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
