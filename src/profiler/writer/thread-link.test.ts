import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { defaultRetention } from '../tables/open-store.js';
import { WriterThread } from './thread-link.js';

const folder = mkdtempSync(join(tmpdir(), 'lookback-thread-'));
after(() => rmSync(folder, { recursive: true, force: true }));

describe('the thread of a writer', () => {
  it('ends with its writer, which is not reported as a failure', async () => {
    const ended: string[] = [];
    for (let time = 0; time < 5; time++) {
      const ignored = (): void => undefined;
      const thread = new WriterThread(
        { address: `sqlite:${join(folder, 'ended.db')}`, retention: defaultRetention },
        {
          wrote: ignored,
          reserved: ignored,
          failed: (error) => assert.fail(String(error)),
          ended: (reason) => void ended.push(reason),
        },
      );
      thread.start();
      await thread.ask('flush');
      await thread.ask('close');
    }
    assert.deepEqual(ended, []);
  });
});
