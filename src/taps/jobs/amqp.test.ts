import assert from 'node:assert/strict';
import { channel } from 'node:diagnostics_channel';
import { describe, it } from 'node:test';
import { HttpRequest } from '#http';
import { createProfiler, requestRecording } from '#profiler';
import { runInScope } from '#scope';
import { tapAmqpChannel } from './amqp.js';

/** In the shape of amqplib's. */
class Channel {
  readonly written: unknown[] = [];
  publish(exchange: string, routingKey: string, content: Uint8Array, _options?: object): boolean {
    return this.written.push([exchange, routingKey, content]) > 0;
  }
  sendToQueue(queue: string, content: Uint8Array, options?: object): boolean {
    return this.publish('', queue, content, options);
  }
}
class ConfirmChannel extends Channel {
  override publish(...args: Parameters<Channel['publish']>): boolean {
    return super.publish(...args);
  }
}

describe('messages published by amqplib', () => {
  it('are published once each, with queue or exchange, and their content as data', async () => {
    const profiler = createProfiler({ store: 'memory:' });
    const seen: Record<string, unknown>[] = [];
    const listen = (message: unknown): void => void seen.push(message as Record<string, unknown>); // ours
    channel('lookback:jobs:sent').subscribe(listen);
    const undos = [Channel.prototype, ConfirmChannel.prototype].map(tapAmqpChannel);
    const peer = { address: '127.0.0.1', port: 1, encrypted: false };
    const request = new HttpRequest({ method: 'GET', target: '/', rawHeaders: [], httpVersion: '1.1', peer });
    request.scope.set(requestRecording, profiler.begin(request));
    const confirming = new ConfirmChannel();
    runInScope(request.scope, () => {
      assert.equal(new Channel().sendToQueue('mail', Buffer.from('{"to":"ada"}'), { messageId: 'm1' }), true);
      confirming.publish('orders', 'paid', Buffer.from('seven'));
    });
    new Channel().sendToQueue('mail', Buffer.from('of no request'));
    assert.deepEqual(
      seen.map(({ queue, name, data, id }) => [queue, name, data, id]),
      [
        ['mail', 'mail', { to: 'ada' }, 'm1'],
        ['orders', 'paid', 'seven', undefined],
      ],
    );
    assert.equal(confirming.written.length, 1);
    for (const undo of undos) undo?.();
    channel('lookback:jobs:sent').unsubscribe(listen);
    await profiler.close();
  });
});
