import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createApp } from 'lookback';
import type { ProfileRecord } from 'lookback/profiler';

const find = async (): Promise<object> => ({ name: 'Ada' });

it('a promise among the values of a log line is a finding with the line and the path; other values are not', async () => {
  const app = createApp({
    configuration: { env: 'dev', debug: true, profilerStore: 'memory:' },
    logHandlers: [{ minLevel: 'emergency', handle: () => undefined }],
  });
  app.get('/lost', ({ log }) => {
    log.info('Found.', { id: 7, order: { lines: [1, find()] } });
    console.log(find());
    return 'done';
  });
  app.get('/whole', async ({ log }) => {
    log.info('Found.', { user: await find(), none: undefined });
    return 'done';
  });
  const findingsOf = async (path: string): Promise<string[]> => {
    const response = await app.fetch(path, { peer: { address: '127.0.0.1' } });
    const address = `/_profiler/${response.headers.get('x-debug-token') ?? ''}.json`;
    const record = (await (
      await app.fetch(address, { peer: { address: '127.0.0.1' } })
    ).json()) as ProfileRecord;
    return (record.findings ?? []).flatMap(({ kind, text }) => (kind === 'not-awaited' ? [text] : []));
  };
  try {
    assert.deepEqual(await findingsOf('/lost'), [
      'The log line “Found.” has a promise at order.lines[1]: is an await missing?',
      'The log line has a promise at values[0]: is an await missing?',
    ]);
    assert.deepEqual(await findingsOf('/whole'), []);
  } finally {
    await app.close();
  }
});
