import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createApp, HttpRequest, requestLocale, requestRoute } from 'lookback';
import { createLocale } from 'lookback/locale';

describe('sub-requests', () => {
  it('K1: run every step again, and leave the parent its locale and route', async () => {
    const app = createApp({
      configuration: { debug: true, profilerStore: 'memory:' },
      locale: createLocale({ enabled: ['en', 'fr'] }),
    });
    app.get(
      '/{_locale<en|fr>}/part',
      ({ locale, request }) => `${locale} ${request.scope.get(requestRoute)?.name}`,
      { name: 'part' },
    );
    app.get(
      '/whole',
      async ({ request }) => {
        const part = await app.forward(request, '/fr/part');
        const missing = await app.forward(request, '/no/such/part');
        return {
          part: part.body,
          missing: missing.status,
          locale: request.scope.get(requestLocale),
          route: request.scope.get(requestRoute)?.name,
        };
      },
      { name: 'whole' },
    );
    const request = (target: string): HttpRequest =>
      new HttpRequest({
        method: 'GET',
        target,
        rawHeaders: ['Host', 'localhost'],
        httpVersion: '1.1',
        peer: { address: '127.0.0.1', port: 1, encrypted: false },
      });
    const asked = request('/whole');
    const response = await app.handle(asked);
    assert.deepEqual(JSON.parse(typeof response.body === 'string' ? response.body : ''), {
      part: 'fr part',
      missing: 404,
      locale: 'en',
      route: 'whole',
    });
    const token = response.headers.get('x-debug-token') ?? '';
    await app.kernel.terminate(asked, response, { status: 200, headers: [], bodyBytes: 0, completed: true });
    const found = await app.profiler?.find(token);
    assert.equal(found?.kind, 'found');
    const record = found?.kind === 'found' ? found.record : undefined;
    assert.equal(record?.children?.length, 2);
    await app.close();
  });
});
