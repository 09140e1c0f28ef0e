import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createApp } from 'lookback';
import { toOneOf, queryParameter, toInteger, withArguments } from 'lookback/controller';

/** Holds only if both types are identical, not merely assignable. */
type Same<Left, Right> =
  (<Type>() => Type extends Left ? 1 : 2) extends <Type>() => Type extends Right ? 1 : 2 ? true : false;

describe('types of declared arguments', () => {
  it('a query parameter has its type inside withArguments', async () => {
    const app = createApp({ configuration: { profilerStore: 'off' } });
    app.get(
      '/search',
      withArguments(
        [
          queryParameter('must'),
          queryParameter('text', { optional: true }),
          queryParameter('order', { default: 'asc' }),
          queryParameter('page', { convert: toInteger, optional: true }),
          queryParameter('size', { convert: toInteger, default: 10 }),
          queryParameter('kind', { convert: toOneOf('a', 'b'), optional: true }),
        ],
        (must, text, order, page, size, kind) => {
          const types: [
            Same<typeof must, string>,
            Same<typeof text, string | undefined>,
            Same<typeof order, string>,
            Same<typeof page, number | undefined>,
            Same<typeof size, number>,
            Same<typeof kind, 'a' | 'b' | undefined>,
          ] = [true, true, true, true, true, true];
          return { must, text, order, page, size, kind, types: types.length };
        },
      ),
    );
    const answer = await app.fetch('/search?must=m&page=2&kind=b');
    assert.deepEqual(await answer.json(), {
      must: 'm',
      order: 'asc',
      page: 2,
      size: 10,
      kind: 'b',
      types: 6,
    });
    await app.close();
  });
});
