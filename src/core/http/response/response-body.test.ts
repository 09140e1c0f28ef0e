import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { currentScope, Scope } from '#core/scope';
import { assertResponse, beginBody, createChunkSource, type StreamedBody } from './response-body.js';

async function read(body: StreamedBody): Promise<string[]> {
  const chunks: string[] = [];
  for await (const chunk of body) chunks.push(Buffer.from(chunk).toString());
  return chunks;
}

describe('a body of a wrong type', () => {
  const check = (body: unknown) => (): void => assertResponse({ status: 200, body: body as null }); // JavaScript may set anything

  it('is refused, with its kind', () => {
    for (const [body, what] of [
      [5, 'a number'],
      [undefined, 'undefined'],
      [new Map(), 'an instance of Map'],
      [{ a: 1 }, 'an instance of Object'],
    ] as const)
      assert.throws(check(body), {
        code: 'HTTP_RESPONSE_BODY_INVALID',
        message: new RegExp(`be ${what}\\.`),
      });
  });

  it('is refused as a promise, whose rejection is handled', async () => {
    const unhandled: unknown[] = [];
    const note = (error: unknown): void => void unhandled.push(error);
    process.on('unhandledRejection', note);
    try {
      assert.throws(check(Promise.reject(new Error('no body'))), {
        code: 'HTTP_RESPONSE_BODY_INVALID',
        message: /a promise \(is an await missing\?\)/,
      });
      await new Promise(setImmediate); // unhandled rejections are reported before
      assert.deepEqual(unhandled, []);
    } finally {
      process.off('unhandledRejection', note);
    }
  });
});

describe('a started body', () => {
  it("yields every chunk once, in its request's scope, even if it is started twice", async () => {
    const scope = new Scope();
    const letters = async function* (): AsyncGenerator<string> {
      for (const letter of 'abc') {
        assert.equal(currentScope(), scope);
        yield letter;
      }
    };
    assert.deepEqual(await read(await beginBody(letters(), scope)), ['a', 'b', 'c']);
    const twice = await beginBody(await beginBody(letters(), scope), scope);
    assert.deepEqual(await read(twice), ['a', 'b', 'c']);
  });

  it('rejects, and is stopped, if its first chunk fails or has the wrong type', async () => {
    let stopped = 0;
    for (const chunk of [5, null, {}]) {
      const wrong = (async function* () {
        try {
          yield chunk as unknown as string; // JavaScript callers may pass it
        } finally {
          stopped += 1;
        }
      })();
      await assert.rejects(beginBody(wrong, new Scope()), { code: 'HTTP_CHUNK_INVALID' });
    }
    assert.equal(stopped, 3);
  });

  it('is stopped when its reader leaves', async () => {
    let stopped = false;
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(Buffer.from('x')),
      cancel: () => void (stopped = true),
    });
    for await (const chunk of await beginBody(endless, new Scope())) {
      assert.equal(Buffer.from(chunk).toString(), 'x');
      break;
    }
    assert.equal(stopped, true);
  });

  it('does not wait long for a silent stream, and fails later if the stream does', async () => {
    let give: ((chunk: string) => void) | undefined;
    let fail: ((error: Error) => void) | undefined;
    const silent = new ReadableStream<Uint8Array>({
      start(controller) {
        give = (chunk) => controller.enqueue(Buffer.from(chunk));
        fail = (error) => controller.error(error);
      },
    });
    const source = createChunkSource(await beginBody(silent, new Scope()));
    give?.('late');
    assert.equal(Buffer.from((await source.next()) ?? '').toString(), 'late');
    fail?.(new Error('cut'));
    await assert.rejects(async () => source.next(), { message: 'cut' });
  });
});
