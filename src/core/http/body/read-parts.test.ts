import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { text } from 'node:stream/consumers';
import { parseMediaType } from '../headers/parameters.js';
import { readParts } from './read-parts.js';

type Limits = Parameters<typeof readParts>[2]['limits'];

const wide: Limits = { fields: 100, files: 100, fieldSize: 1000 };

interface Part {
  readonly name?: string;
  readonly filename?: string;
  readonly value: string;
}

function bodyOf(...parts: readonly Part[]): string {
  const rendered = parts.map(({ name, filename, value }) => {
    const names = [
      name === undefined ? '' : `; name="${name}"`,
      filename === undefined ? '' : `; filename="${filename}"`,
    ];
    return `--line\r\nContent-Disposition: form-data${names.join('')}\r\n\r\n${value}\r\n`;
  });
  return `${rendered.join('')}--line--\r\n`;
}

interface Reading {
  readonly limits?: Limits;
  readonly type?: string;
  readonly signal?: AbortSignal;
  readonly refuse?: (field: string) => Error | undefined;
}

/** Reads a body and notes its parts in order. */
async function read(
  body: string | AsyncIterable<Uint8Array>,
  { limits = wide, type = 'multipart/form-data; boundary=line', signal, refuse }: Reading = {},
): Promise<string[]> {
  const seen: string[] = [];
  const files: Promise<unknown>[] = [];
  async function* chunks(): AsyncGenerator<Uint8Array> {
    if (typeof body === 'string') yield Buffer.from(body);
    else yield* body;
  }
  const mediaType = parseMediaType(type);
  assert.ok(mediaType !== undefined);
  await readParts(chunks(), mediaType, {
    limits,
    ...(signal !== undefined && { signal }),
    field: (name, value) => void seen.push(`${name}=${value}`),
    file({ field, filename, mediaType: given }, stream) {
      const refusal = refuse?.(field);
      if (refusal !== undefined) {
        stream.resume();
        return refusal;
      }
      files.push(
        text(stream).then(
          (all) => seen.push(`${field}: ${filename} ${given} ${all}`),
          () => undefined,
        ),
      );
      return undefined;
    },
  });
  await Promise.all(files);
  return seen;
}

const malformed = (reason: string): object => ({ status: 400, message: new RegExp(reason) });
const tooLarge = (what: string): object => ({ status: 413, message: new RegExp(what) });

describe('the parts of a form', () => {
  it('are fields and files', async () => {
    const body = bodyOf(
      { name: 'a', value: '1' },
      { name: 'f', filename: 'x.txt', value: 'content' },
      { name: 'b', value: '' },
    );
    assert.deepEqual(await read(body), ['a=1', 'b=', 'f: x.txt text/plain content']);
  });

  it('are refused at the first exceeded limit: of fields, files, parts and their sizes', async () => {
    const field = { name: 'a', value: '12345' };
    const file = { name: 'f', filename: 'x', value: '12345' };
    for (const [limits, parts, what] of [
      [{ fields: 1 }, [field, field], '1 fields'],
      [{ files: 1 }, [file, file], '1 files'],
      [{ parts: 2 }, [field, file, field], '2 parts'],
      [{ fieldSize: 4 }, [field], '4 bytes in the field "a"'],
      [{ fileSize: 4 }, [file], '4 bytes in the field "f"'],
    ] as const) {
      const [name = '', limit = 0] = Object.entries(limits)[0] ?? [];
      await assert.rejects(read(bodyOf(...parts), { limits: { ...wide, ...limits } }), tooLarge(what), what);
      const more = { ...wide, [name]: limit + 1 };
      assert.equal(
        (await read(bodyOf(...parts), { limits: more })).length,
        parts.length,
        `${name} at its limit`,
      );
    }
  });

  it('without a name, or with NUL in a file name, are malformed', async () => {
    await assert.rejects(read(bodyOf({ value: '1' })), malformed('a part has no name'));
    await assert.rejects(read(bodyOf({ filename: 'x', value: '1' })), malformed('a part has no name'));
    await assert.rejects(
      read(bodyOf({ name: 'f', filename: 'a\0b', value: '1' })),
      malformed('contains a NUL'),
    );
  });

  it('need a valid boundary', async () => {
    for (const boundary of ['', '; boundary="a\\"b"', `; boundary=${'x'.repeat(71)}`])
      await assert.rejects(
        read('', { type: `multipart/form-data${boundary}` }),
        malformed('has no boundary'),
        boundary,
      );
    for (const boundary of ['x'.repeat(70), "0aZ'()+_,./:=? -b"])
      assert.deepEqual(
        await read(bodyOf({ name: 'a', value: '1' }).replaceAll('--line', `--${boundary}`), {
          type: `multipart/form-data; boundary="${boundary}"`,
        }),
        ['a=1'],
      );
  });

  it('that are truncated or unreadable are malformed; anything after the last one is read and ignored', async () => {
    const whole = bodyOf({ name: 'a', value: '1' }, { name: 'f', filename: 'x', value: 'content' });
    for (const end of [1, 20, 60, whole.length - 9])
      await assert.rejects(read(whole.slice(0, end)), { status: 400 }, String(end));
    await assert.rejects(
      read(`--line\r\nOdd: x\r\n\r\n1\r\n${whole}`),
      malformed('valid Content-Disposition'),
    );
    let taken = 0;
    async function* long(): AsyncGenerator<Uint8Array> {
      yield Buffer.from(whole);
      for (; taken < 5; taken++) yield Buffer.from(bodyOf({ name: 'late', value: '2' }));
    }
    assert.deepEqual(await read(long()), ['a=1', 'f: x text/plain content']);
    assert.equal(taken, 5);
  });

  it("end with the first error: the body's, the reader's, or the signal's", async () => {
    const lost = new Error('connection lost');
    async function* failing(): AsyncGenerator<Uint8Array> {
      yield Buffer.from(bodyOf({ name: 'a', value: '1' }).slice(0, 30));
      throw lost;
    }
    await assert.rejects(read(failing()), lost);
    const refusal = new Error('no such field');
    const body = bodyOf({ name: 'f', filename: 'x', value: '1' }, { name: 'g', filename: 'y', value: '2' });
    await assert.rejects(read(body, { refuse: () => refusal }), refusal);
    const second = (field: string): Error | undefined => (field === 'g' ? refusal : undefined);
    await assert.rejects(read(body, { refuse: second }), refusal);
    await assert.rejects(read(body, { signal: AbortSignal.abort() }), { name: 'AbortError' });
  });
});
