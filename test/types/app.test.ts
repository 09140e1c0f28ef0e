import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createApp } from 'lookback';
import { integer } from 'lookback/routing';

describe('typed routes of an application', () => {
  it('a handler knows the parameters of its path, and no others', async () => {
    const app = createApp({ configuration: { profilerStore: 'off' } });
    app.get('/blog/{slug}/{page<\\d+>?1}', ({ params }) => {
      const known: string = params.slug + params.page;
      // @ts-expect-error the path has no such variable
      const unknown: unknown = params.sluq;
      return `${known} ${String(unknown)}`;
    });
    app.get('/orders/{id}', ({ params }) => ({ next: params.id + 1 }), { converters: { id: integer } });
    // @ts-expect-error text is no number
    app.get('/wrong/{id}', ({ params }) => ({ next: Math.abs(params.id) }));
    assert.equal(await (await app.fetch('/blog/a')).text(), 'a1 undefined');
    assert.deepEqual(await (await app.fetch('/orders/41')).json(), { next: 42 });
  });
});
