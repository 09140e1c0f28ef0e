import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createApp } from 'lookback';
import type { ProfileRecord } from 'lookback/profiler';
import { createPasswords } from 'lookback/security';

describe('password hashes in a record', () => {
  it('are spans with their time, and waiting for other passwords is a separate span', async () => {
    const passwords = createPasswords([
      {
        name: 'slow',
        handles: () => true,
        hash: async (password) => `slow:${password.length}`,
        verify: (hash) => new Promise((resolve) => setTimeout(resolve, 30, hash !== '')), // so that the third one waits
      },
    ]);
    const apps = [1, 2].map(() =>
      createApp({ configuration: { debug: true, profilerStore: 'memory:' }, logHandlers: [] }),
    );
    const [app] = apps;
    assert.ok(app !== undefined);
    app.get('/check', async () => {
      await Promise.all([1, 2, 3].map(() => passwords.check('slow:3', 'abc')));
      return 'ok';
    });
    const response = await app.fetch('/check', { peer: { address: '127.0.0.1' } });
    await response.text();
    const token = response.headers.get('x-debug-token') ?? '';
    const page = await app.fetch(`/_profiler/${token}.json`, { peer: { address: '127.0.0.1' } });
    const { timeline } = (await page.json()) as ProfileRecord; // our own JSON
    const named = (name: string) => timeline.filter((span) => span.name === name && span.section === 'spans');
    assert.equal(named('Check a password').length, 3);
    assert.ok(named('Check a password').every(({ durationMs }) => durationMs >= 25));
    assert.equal(named('Wait for other passwords').length, 1);
    assert.equal(named('Hash a password').length, 1, 'the dummy hash for unknown users, computed once');
    await Promise.all(apps.map((one) => one.close()));
  });
});
