import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startRefused, startService } from './service.js';
import { ask, header } from './wire-client.js';

describe('configuration, over the wire', () => {
  it('C1: serves over HTTP in development with debug on, and prints where', async () => {
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

  it('C2: an invalid value prevents startup with one line that names the variable and the fix', async () => {
    const refused: [variables: Record<string, string>, fix: RegExp][] = [
      [{ PORT: 'eighty' }, /65,?535/],
      [{ PROFILER_STORE: 'nowhere' }, /sqlite:.*memory:.*off/],
      [{ HOST: '0.0.0.0' }, /APP_ENV=prod.*HOST=127\.0\.0\.1.*APP_DEBUG_PUBLIC=1/],
      [{ TLS_CERT: '/no/such.pem', TLS_KEY: '/no/such.pem' }, /a PEM file that this user can read/],
      [{ APP_DEBUG: 'perhaps' }, /1, true, yes or on; 0, false, no or off/],
      [{ TRUSTED_PROXIES: 'nonsense' }, /address/i],
    ];
    for (const [variables, fix] of refused) {
      const { code, printed } = await startRefused(variables);
      assert.notEqual(code, 0);
      assert.equal(printed.trim().split('\n').length, 1, printed);
      const [[variable, value] = ['', '']] = Object.entries(variables);
      assert.ok(printed.includes(variable) && printed.includes(value), printed);
      assert.match(printed, fix);
    }
  });
});
