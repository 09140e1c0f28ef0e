import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { defaultRetention } from '../tables/retention.js';
import type { Worker } from 'node:worker_threads';
import { WriterThread } from './thread-link.js';

const folder = mkdtempSync(join(tmpdir(), 'lookback-thread-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const ignored = (): void => undefined;

/** A thread that has not started, and the ids that its store has reserved. */
function threadOf(file: string, ended: string[] = []): { thread: WriterThread; reserved: number[][] } {
  const reserved: number[][] = [];
  const thread = new WriterThread(
    { address: `sqlite:${join(folder, file)}`, retention: defaultRetention },
    {
      wrote: ignored,
      reserved: (...range) => void reserved.push(range),
      failed: (error) => assert.fail(String(error)),
      ended: (reason) => void ended.push(reason),
    },
  );
  return { thread, reserved };
}

describe('a writer thread', () => {
  it('is started at process end only if messages wait for it', async () => {
    const { thread, reserved } = threadOf('waiting.db');
    thread.post('reserve', 8);
    await thread.ask('close');
    assert.deepEqual(
      reserved.map(([from = 0, to]) => (to ?? 0) - from),
      [8],
    );
    await threadOf('unused.db').thread.ask('close');
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.startsWith('unused')),
      [],
    );
  });

  it('ignores messages from Node and the application on both sides, whatever they are', async () => {
    const ended: string[] = [];
    const begun = new Promise<Worker>((resolve) => process.once('worker', resolve));
    const { thread } = threadOf('foreign.db', ended);
    thread.start();
    const worker = await begun;
    const foreign: unknown[] = [
      null,
      undefined,
      'text',
      0,
      [],
      {},
      new Map(),
      { 'watch:import': ['file:///a.js'] },
    ];
    for (const name of [
      'constructor',
      'toString',
      'then',
      '__proto__',
      'hasOwnProperty',
      'wrote',
      'answered',
      'close',
    ])
      for (const sender of [undefined, 'someone', 'lookback writer'])
        foreign.push(
          JSON.parse(`{"${name}":1}`),
          { event: name, args: [], ...(name === 'wrote' || name === 'answered' ? {} : { sender }) },
          { method: name, args: [], number: 1, ...(name === 'close' ? {} : { sender }) },
        );
    for (const message of foreign) {
      worker.postMessage(message);
      worker.emit('message', message);
    }
    await thread.ask('flush');
    assert.deepEqual(ended, []);
    await thread.ask('close');
  });

  it('ends with its writer, which is not reported as a failure', async () => {
    const ended: string[] = [];
    for (let time = 0; time < 5; time++) {
      const { thread } = threadOf('ended.db', ended);
      thread.start();
      await thread.ask('flush');
      await thread.ask('close');
    }
    assert.deepEqual(ended, []);
  });
});
