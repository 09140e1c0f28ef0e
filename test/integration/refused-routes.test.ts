import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createApp, requestEvent } from 'lookback';
import { withSchemas } from 'lookback/controller';
import { z, type ZodType } from 'zod';

const quiet = { configuration: { debug: false } } as const;

describe('routes that an application refuses when they are added', () => {
  it('a second route of one name, so that the first one still answers under app.fetch', async () => {
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
  it('a controller whose schema wants a parameter that the path has not', () => {
    const path: string = '/a/{id}'; // not literal: the compiler cannot tell
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

  it('a listener of an event of another copy of the package', () => {
    const foreign = { name: 'request', slot: requestEvent.slot }; // what the other copy has for its own
    const listen = (): unknown => createApp(quiet).on(foreign, () => undefined, { name: 'mine' });
    assert.throws(listen, { code: 'KERNEL_OTHER_COPY', message: /"mine" of the event "request"/ });
  });
});
