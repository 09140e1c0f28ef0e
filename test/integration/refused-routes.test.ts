import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createApp, requestEvent } from 'lookback';
import { withSchemas } from 'lookback/controller';
import { z, type ZodType } from 'zod';

const quiet = { configuration: { debug: false } } as const;

describe('refused when it is added to an application', () => {
  it('a second route with the same name, so that the first one still answers with app.fetch', async () => {
    const app = createApp(quiet);
    app.get('/a', () => 'first', { name: 'x' });
    assert.throws(() => app.get('/b', () => 'second', { name: 'x' }), { code: 'ROUTING_DUPLICATE_NAME' });
    assert.equal(await (await app.fetch('http://localhost/a')).text(), 'first');
    assert.equal((await app.fetch('http://localhost/b')).status, 404);
  });

  it('a variable written with a colon, and a path without a slash', () => {
    const app = createApp(quiet);
    assert.throws(() => app.get('/a/:id', () => 'a'), { code: 'ROUTING_BAD_PATTERN' });
    assert.throws(() => app.get('a', () => 'a'), { code: 'ROUTING_BAD_PATTERN' });
  });
  it('a controller whose schema requires a parameter that the path lacks', () => {
    const path: string = '/a/{id}'; // not a literal: the compiler cannot tell
    const show = (params: ZodType): unknown =>
      createApp(quiet).get(
        path,
        withSchemas({ params }, () => ''),
      );
    assert.throws(() => show(z.object({ slug: z.string() })), {
      code: 'CONTROLLER_ROUTE_PARAMETER',
      message: /"slug", but the route get_a_id has no such parameter/,
    });
    show(z.object({ id: z.coerce.number(), slug: z.string().optional() }));
    show(z.object({ slug: z.string().optional() }).refine(async () => true));
    show(z.union([z.object({ id: z.string() }), z.object({ slug: z.string() })]));
  });

  it('a listener for an event from another copy of the package', () => {
    const foreign = { name: 'request', slot: requestEvent.slot }; // an event of the other copy
    const listen = (): unknown => createApp(quiet).on(foreign, () => undefined, { name: 'mine' });
    assert.throws(listen, { code: 'KERNEL_OTHER_COPY', message: /"mine" of the event "request"/ });
  });
});
