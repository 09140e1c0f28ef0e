import assert from 'node:assert/strict';
import { channel } from 'node:diagnostics_channel';
import { describe, it } from 'node:test';
import { HttpRequest } from '#core/http';
import { createProfiler, requestRecording } from '#profiler';
import { runInScope } from '#core/scope';
import { instrumentAmqpChannel } from './amqp.js';
import { recordJobs } from './bullmq.js';
import { recordJobsBy } from './run-job.js';

/** Shaped like amqplib's. */
class Channel {
  readonly written: unknown[] = [];
  consumer: (message: object | null) => unknown = () => undefined;
  publish(exchange: string, routingKey: string, content: Uint8Array, options?: object): boolean {
    const message = { content, properties: { headers: {}, ...options } };
    return this.written.push([exchange, routingKey, content]) > 0 && this.#sent.push(message) > 0;
  }
  readonly #sent: object[] = [];
  /** Delivers published messages, as amqplib does with those from the server. */
  deliver(fields: object): unknown {
    return this.dispatchMessage(fields, this.#sent.shift() ?? null);
  }
  dispatchMessage(_fields: object, message: object | null): unknown {
    return this.consumer(message);
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
  it('are reported once each, with queue or exchange, and their content as data', async () => {
    const profiler = createProfiler({ store: 'memory:' });
    const seen: Record<string, unknown>[] = [];
    const listen = (message: unknown): void => void seen.push(message as Record<string, unknown>); // ours
    channel('lookback:jobs:sent').subscribe(listen);
    const undos = [Channel.prototype, ConfirmChannel.prototype].map(instrumentAmqpChannel);
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

describe('messages delivered by an amqplib channel', () => {
  it("have their own records, in the publishing request's trace, and end with the consumer", async () => {
    const profiler = createProfiler({ store: 'memory:' });
    recordJobsBy(() => profiler);
    const given = recordJobs(new Channel());
    const peer = { address: '127.0.0.1', port: 1, encrypted: false };
    const request = new HttpRequest({ method: 'GET', target: '/', rawHeaders: [], httpVersion: '1.1', peer });
    const recording = profiler.begin(request);
    request.scope.set(requestRecording, recording);
    runInScope(request.scope, () => {
      for (const to of ['ada', 'ben', 'eve']) given.publish('', 'mail', Buffer.from(JSON.stringify({ to })));
    });
    profiler.finish(recording, undefined, { status: 200, headers: [], bodyBytes: 0, completed: true });
    const fields = { exchange: '', routingKey: 'mail', redelivered: false };
    const seen: unknown[] = [];
    given.consumer = (message) => seen.push(message);
    assert.equal(given.deliver(fields), 1, 'the return value of the consumer is passed on');
    given.consumer = () => Promise.reject(new RangeError('no such address'));
    await assert.rejects(async () => given.deliver(fields), { message: 'no such address' });
    given.consumer = () => {
      throw new TypeError('at once');
    };
    assert.throws(() => given.deliver({ ...fields, redelivered: true }), { message: 'at once' });
    given.consumer = (message) => seen.push(message);
    given.deliver(fields); // the server has cancelled the consumer
    assert.equal(seen[1], null);

    const { rows } = await profiler.list({ limit: 10 });
    const jobs = rows.filter(({ method }) => method === 'JOB').toReversed();
    assert.deepEqual(
      jobs.map(({ path, status }) => [path, status]),
      [
        ['/mail', 200],
        ['/mail', 500],
        ['/mail', 500],
      ],
    );
    assert.equal(new Set(rows.map(({ trace }) => trace)).size, 1, 'one trace');
    recordJobsBy(undefined);
    await profiler.close();
  });
});
