import assert from 'node:assert/strict';
import { channel, tracingChannel } from 'node:diagnostics_channel';
import { after, before, beforeEach, describe, it } from 'node:test';
import { HttpRequest } from '#core/http';
import { createProfiler, type Profiler, requestRecording } from '#profiler';
import { runInScope } from '#core/scope';
import { listenToRedis } from './redis.js';

interface Command {
  readonly command: string;
  readonly args: readonly unknown[];
  readonly hit?: boolean;
}

describe('commands published by Redis clients', () => {
  const commands = channel('lookback:cache:command');
  let [profiler, seen]: [Profiler | undefined, Command[]] = [undefined, []];
  const listen = (message: unknown): void => void seen.push(message as Command); // published by the instrumentation
  let stop = (): void => undefined;
  before(() => {
    profiler = createProfiler({ store: 'memory:' });
    commands.subscribe(listen);
    stop = listenToRedis();
  });
  beforeEach(() => (seen = []));
  after(async () => {
    stop();
    commands.unsubscribe(listen);
    await profiler?.close();
  });

  const publish = async (name: string, message: object, result: unknown): Promise<void> => {
    const peer = { address: '127.0.0.1', port: 1, encrypted: false };
    const request = new HttpRequest({ method: 'GET', target: '/', rawHeaders: [], httpVersion: '1.1', peer });
    request.scope.set(requestRecording, profiler?.begin(request) ?? assert.fail('there is none'));
    await runInScope(request.scope, () =>
      tracingChannel<object>(name).tracePromise(async () => result, message),
    );
  };

  it('include for reads whether the key was found', async () => {
    for (const [command, result, hit] of [
      ['get', 'x', true],
      ['get', '', true],
      ['GET', null, false],
      ['GET', undefined, false],
      ['EXISTS', 0, false],
      ['EXISTS', 1, true],
      ['MGET', [null, undefined], false],
      ['MGET', [null, 'x'], true],
      ['HGETALL', {}, false],
      ['HGETALL', { a: '1' }, true],
      ['GET', Buffer.alloc(0), true],
      ['SET', 'OK', undefined],
    ] as const) {
      await publish('ioredis:command', { command, args: ['key'] }, result);
      const last = seen.at(-1);
      assert.deepEqual([last?.command, last?.args, last?.hit], [command.toUpperCase(), ['key'], hit]);
    }
  });

  it('have their arguments without the command, which redis repeats; a transaction has its size', async () => {
    await publish('node-redis:command', { command: 'GET', args: ['get', 'key'] }, 'x');
    await publish('node-redis:command', { command: 'GET', args: [7] }, 'x');
    for (const batchSize of [1, 2])
      await publish('node-redis:batch', { batchMode: 'MULTI', batchSize }, undefined);
    await publish('node-redis:batch', { batchMode: 'PIPELINE', batchSize: 2 }, undefined);
    assert.deepEqual(
      seen.map(({ command, args }) => [command, ...args]),
      [
        ['GET', 'key'],
        ['GET', 7],
        ['MULTI', '1 command'],
        ['MULTI', '2 commands'],
      ],
    );
  });
});
