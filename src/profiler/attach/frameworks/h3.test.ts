import assert from 'node:assert/strict';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { describe, it } from 'node:test';
import { Attachment } from '../attachment/attachment.js';
import { carryWatch } from '../watch/followed-methods.js';
import { watchH3, watchH3Events } from './h3.js';

class H3Event {
  readonly node = { req: {} };
  readonly method = 'GET';
  readonly context = {};
  get path(): string {
    return '/users/7';
  }
}

describe('h3 1 events', () => {
  it('are watched once, no matter how often their path is read, and not after the end', () => {
    const own = Object.getOwnPropertyDescriptor(H3Event.prototype, 'path');
    const stop = watchH3Events(H3Event.prototype);
    const [event, other] = [new H3Event(), new H3Event()];
    const exchange = { atEnd: [] };
    for (const { node } of [event, other]) carryWatch(node.req, { owner: exchange });
    for (let time = 0; time < 3; time++) assert.equal(event.path, '/users/7');
    assert.equal(exchange.atEnd.length, 1);
    stop?.();
    assert.deepEqual(Object.getOwnPropertyDescriptor(H3Event.prototype, 'path'), own);
    assert.deepEqual([other.path, exchange.atEnd.length], ['/users/7', 1]);
  });
});

it('an h3 route composed with its own middleware before it was watched still has a timed handler', async () => {
  const route = { route: '/x', handler: () => 'own', '~composed': () => 'of an earlier request' };
  class App {
    '~middleware' = [];
    '~findRoute'(_event: unknown): { readonly data: object } {
      return { data: route };
    }
  }
  const undo = watchH3(App.prototype);
  const socket = Object.defineProperty(new Socket(), 'remoteAddress', { value: '127.0.0.1' });
  const incoming = Object.assign(new IncomingMessage(socket), {
    method: 'GET',
    url: '/x',
    httpVersion: '1.1',
    httpVersionMajor: 1,
    rawHeaders: ['Host', 'localhost'],
  });
  const attachment = new Attachment({ store: 'memory:', enabled: true });
  const data = attachment.handle(incoming, new ServerResponse(incoming), () => {
    const event = { req: { method: 'GET' }, runtime: { node: { req: incoming } } };
    return new App()['~findRoute'](event).data;
  });
  undo?.();
  assert.notEqual(Reflect.get(data ?? {}, 'handler'), route.handler);
  assert.equal(Reflect.get(data ?? {}, '~composed'), undefined);
  await attachment.close();
});
