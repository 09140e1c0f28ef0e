import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type } from 'arktype';
import * as v from 'valibot';
import { z } from 'zod';
import { HttpResponse } from 'lookback';
import { withSchemas } from 'lookback/controller';

/** Holds only if both types are identical, not merely assignable. */
type Same<Left, Right> =
  (<Type>() => Type extends Left ? 1 : 2) extends <Type>() => Type extends Right ? 1 : 2 ? true : false;

describe('types of schemas', () => {
  it('reach the controller without a cast, and restrict its result', () => {
    const controller = withSchemas(
      {
        params: z.object({ id: z.coerce.number() }),
        query: v.object({ page: v.pipe(v.string(), v.transform(Number)) }),
        headers: type({ 'x-kind': "'a'|'b'" }),
        body: z.object({ tags: z.array(z.string()).default([]) }),
        response: z.object({ at: z.string().transform(Number) }),
      },
      ({ params, query, headers, body, user }) => {
        const types: [
          Same<typeof params, { id: number }>,
          Same<typeof query, { page: number }>,
          Same<(typeof headers)['x-kind'], 'a' | 'b'>,
          Same<typeof body, { tags: string[] }>,
          Same<typeof user, { readonly identifier: string; readonly roles: readonly string[] } | undefined>,
        ] = [true, true, true, true, {} as never]; // a type with its own name
        return { at: String(types.length) };
      },
    );
    assert.equal(typeof controller, 'function');
    // @ts-expect-error the schema accepts text
    withSchemas({ response: z.object({ at: z.string() }) }, () => ({ at: 1 }));
    withSchemas({ response: z.object({ at: z.string() }) }, () => HttpResponse.text('a response is one'));
    // @ts-expect-error there is no schema for the body
    withSchemas({ response: z.string() }, ({ body }) => body);
    withSchemas({ query: z.object({}) }, ({ params }) => ({ id: params['id'] }));
  });
});
