import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { createProfiler, createSqliteStore } from '#profiler';
import type { Recording, Segment } from '#profiler';
import { getRecord, watchRequest } from './watch-request.js';

const folder = mkdtempSync(join(tmpdir(), 'lookback-redaction-'));
after(() => rmSync(folder, { recursive: true, force: true }));

let secrets = 0;
const canary = (): string => `c4n4ry${String(secrets++).padStart(3, '0')}Zz9`;

/** A request with a secret of its own in every place that a record has. */
function secretRequest(): Parameters<typeof watchRequest>[1] {
  const params = { token: canary() };
  const during = (recording: Recording): void => {
    recording.route({ name: 'reset', path: '/reset/{token}' }, params);
    recording.controller(
      { name: 'c' },
      [{ password: canary() }, `Bearer ${canary()}`],
      [{ name: 'a' }, { name: 'b' }],
    );
    recording.log({
      time: Date.now(),
      level: 'error',
      channel: 'app',
      message: `login failed: password=${canary()}`,
      context: { apiKey: canary(), nested: [{ secret: canary() }], header: `Basic ${canary()}` },
    });
    recording.section('db', {
      queries: [{ sql: `set password = '${canary()}'` }],
      credentials: { user: canary() },
    });
    recording.error(
      Object.assign(
        new Error(`token=${canary()} is wrong`, { cause: new Error(`https://ada:${canary()}@db/`) }),
        {
          accessToken: canary(),
        },
      ),
    );
    recording.requestBody(
      JSON.stringify({ user: 'ada', password: canary(), deep: [{ client_secret: canary() }] }),
    );
  };
  return {
    source: {
      method: 'POST',
      target: `/reset?api_key=${canary()}&page=2`,
      rawHeaders: [
        'Host',
        'a.test',
        'Content-Type',
        'application/json',
        'Authorization',
        `Bearer ${canary()}`,
        'Cookie',
        `sid=${canary()}; theme=${canary()}`,
        'X-Api-Key',
        canary(),
        'Referer',
        `http://u:${canary()}@a.test/?session=${canary()}`,
        'Proxy-Authorization',
        `Basic ${canary()}`,
      ],
    },
    during,
    body: `{"token":"${canary()}","name":"ada"}`,
    sent: {
      headers: [
        'Content-Type',
        'application/json',
        'Set-Cookie',
        `sid=${canary()}; Path=/; HttpOnly`,
        'Location',
        `/next?access_token=${canary()}`,
      ],
    },
  };
}

describe('secrets', () => {
  it('are in no record, no segment and no byte of the file, also where neighbours differ only in them', async () => {
    const inner = createSqliteStore(join(folder, 'records.db'));
    const segments: Segment[] = [];
    const profiler = createProfiler({
      store: {
        lease: (amount) => inner.lease(amount),
        write: (some) => {
          segments.push(...some);
          return inner.write(some);
        },
        find: (key) => inner.find(key),
        search: (search) => inner.search(search),
        tally: () => inner.tally(),
        prune: (bucket) => inner.prune(bucket),
        close: () => inner.close(),
      },
      storeName: 'test',
    });
    const tokens = Array.from({ length: 5 }, () => watchRequest(profiler, secretRequest()));
    const records = await Promise.all(tokens.map((token) => getRecord(profiler, token)));
    await profiler.flush();
    await profiler.close();
    assert.ok(secrets >= 100 && segments.length > 0);
    for (const record of records) {
      assert.doesNotMatch(JSON.stringify(record), /c4n4ry/);
      assert.match(record.request.target, /^\/reset\?api_key=.*redacted.*&page=2$/);
      assert.deepEqual(
        record.request.cookies.map(([name]) => name),
        ['sid', 'theme'],
      );
      assert.equal(record.response?.cookies[0]?.attributes.length, 2);
      assert.match(record.request.body?.content ?? '', /"user":"ada"/);
    }
    for (const { directory, body, facts } of segments) {
      for (const part of [directory, body, Buffer.from(JSON.stringify(facts))])
        assert.equal(Buffer.from(part).includes('c4n4ry'), false);
    }
    for (const name of readdirSync(folder))
      assert.equal(readFileSync(join(folder, name)).includes('c4n4ry'), false, name);
  });
});
