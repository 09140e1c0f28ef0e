import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startRefused, startService } from './service.js';
import { ask, header } from './wire-client.js';

describe('configuration, over the wire', () => {
  it('C1: serves over HTTP in development with debug on, and says where', async () => {
    const service = await startService({ APP_ENV: 'dev' });
    try {
      assert.match(service.url, /^http:\/\/127\.0\.0\.1:\d+$/);
      await service.said(/_profiler/);
      await service.said(/profiler\.db/);
      assert.notEqual(header(await ask(service.url, '/'), 'x-debug-token'), undefined);
    } finally {
      assert.equal(await service.stop(), 0);
    }
  });

  it('C2: a bad value ends the start with one line that names the variable and the fix', async () => {
    for (const variables of [
      { PORT: 'eighty' },
      { PROFILER_STORE: 'nowhere' },
      { HOST: '0.0.0.0' },
      { TLS_CERT: '/no/such.pem', TLS_KEY: '/no/such.pem' },
    ]) {
      const { code, printed } = await startRefused(variables);
      assert.notEqual(code, 0);
      assert.equal(printed.trim().split('\n').length, 1, printed);
      assert.match(printed, new RegExp(Object.keys(variables)[0] ?? ''));
    }
  });
});
