import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { createServer as createTcpServer, Server } from 'node:net';
import { describe, it } from 'node:test';
import { interceptEmit, ownServer } from './intercept-emit.js';

describe('server emissions', () => {
  it('pass through one function for requests and listening only, until it is undone', () => {
    const server = createServer();
    const former = Object.getOwnPropertyDescriptors(server);
    const seen: string[] = [];
    const heard: unknown[] = [];
    for (const event of ['request', 'listening', 'close'])
      server.on(event, (...args) => heard.push([event, ...args]));
    const restore = interceptEmit(({ event, args, go }) => {
      seen.push(`${event} ${args.length}`);
      return go();
    }, server);
    assert.equal(server.emit('request', 1 as never, 2 as never), true);
    assert.equal(server.emit('listening'), true);
    assert.equal(server.emit('close'), true);
    assert.equal(server.emit('checkContinue', 1 as never, 2 as never), false);
    assert.deepEqual(seen, ['request 2', 'listening 0', 'checkContinue 2']);
    assert.deepEqual(heard, [['request', 1, 2], ['listening'], ['close']]);
    server.removeAllListeners();
    restore();
    assert.deepEqual(Object.keys(Object.getOwnPropertyDescriptors(server)), Object.keys(former));
  });

  it('may be handled by it alone', () => {
    const server = createServer(() => assert.fail('was asked'));
    const restore = interceptEmit(() => true, server);
    assert.equal(server.emit('request', 1 as never, 2 as never), true);
    restore();
  });

  it('are seen for every server except our own', () => {
    const seen: unknown[] = [];
    const restore = interceptEmit(({ server, go }) => {
      seen.push(server);
      return go();
    });
    const [http, tcp, own] = [createServer(), createTcpServer(), createServer()];
    Object.defineProperty(own, ownServer, { value: true });
    for (const server of [http, tcp, own]) server.emit('listening');
    restore();
    http.emit('listening');
    assert.deepEqual(seen, [http, tcp]);
    assert.equal(Object.hasOwn(Server.prototype, 'emit'), false);
  });

  it('still reach an outer replacement, even after the interception behind it is undone', () => {
    const server = createServer();
    let ours = 0;
    const restore = interceptEmit(({ go }) => {
      ours++;
      return go();
    }, server);
    const { emit } = server;
    const theirs = (event: string): boolean => Reflect.apply(emit, server, [event]);
    server.emit = theirs;
    server.emit('listening');
    restore();
    assert.equal(server.emit, theirs);
    server.emit('listening');
    assert.equal(ours, 1);
  });
});
