import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runInThisContext } from 'node:vm';
import fc from 'fast-check';
import { renderFetch } from './render-script.js';
import type { RepeatableRequest } from './repeatable-request.js';

/** Halves of surrogate pairs among them; made faster than the library's own unit. */
const anyCharacter = fc.integer({ min: 0, max: 0x10ffff }).map((code) => String.fromCodePoint(code));

const plain: RepeatableRequest = {
  method: 'POST',
  url: 'http://a.test/',
  headers: [],
  body: undefined,
  missing: [],
  isWhole: true,
};

describe('a request as a call of fetch', () => {
  it('has its parts as they are, whatever they hold', async () => {
    const any = fc.string({ unit: anyCharacter, maxLength: 20 });
    const body = fc.option(
      fc.oneof(
        any.map((content) => ({ encoding: 'text', content }) as const),
        fc
          .uint8Array({ maxLength: 20 })
          .map((bytes) => ({ encoding: 'base64', content: Buffer.from(bytes).toString('base64') }) as const),
      ),
      { nil: undefined },
    );
    const given = fc.record({
      method: any,
      url: any,
      headers: fc.array(fc.tuple(any, any), { maxLength: 3 }),
      body,
      missing: fc.array(any, { maxLength: 2 }),
    });
    await fc.assert(
      fc.asyncProperty(given, async (parts) => {
        const calls: {
          url: string;
          options: { method: string; headers: string[][]; body?: string | Uint8Array };
        }[] = [];
        const code = renderFetch({ ...plain, ...parts });
        const run = runInThisContext(`(async (fetch) => {\n${code}\n})`) as (fetch: unknown) => Promise<void>; // what the code above is
        await run((url: string, options: (typeof calls)[number]['options']) => calls.push({ url, options }));
        const [{ url, options } = assert.fail(code)] = calls;
        assert.deepEqual([url, options.method], [parts.url, parts.method]);
        assert.deepEqual(
          options.headers.map((pair) => [...pair]),
          parts.headers,
        );
        const sent =
          typeof options.body === 'string' || options.body === undefined
            ? options.body
            : Buffer.from(options.body).toString('base64');
        assert.equal(sent, parts.body?.content);
      }),
      { numRuns: 60 },
    );
  });
});
