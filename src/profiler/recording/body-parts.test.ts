import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { BodyParts, type MultipartSection } from './body-parts.js';

const end = '\r\n';
const head = (more: string): string => `--b${end}Content-Disposition: form-data; ${more}${end}`;
const part = (more: string, content: string, type = ''): string =>
  `${head(more)}${type === '' ? '' : `Content-Type: ${type}${end}`}${end}${content}${end}`;

function read(body: string | Uint8Array, size = Infinity): MultipartSection | undefined {
  const parts = new BodyParts('b');
  const bytes = Buffer.from(body);
  for (let at = 0; at < bytes.length; at += size) parts.add(bytes.subarray(at, at + size));
  return parts.section();
}

const form = `${part('name="title"', 'T')}${part('name="photo"; filename="cat.png"', 'hello', 'image/png')}--b--${end}`;

describe('the parts of a multipart body', () => {
  it('are fields and files with name, type and size, however the bytes are split into chunks', () => {
    for (const size of [1, 2, 3, 7, 50, Infinity])
      assert.deepEqual(
        read(form, size),
        {
          parts: [
            { name: 'title', bytes: 1 },
            { name: 'photo', filename: 'cat.png', type: 'image/png', bytes: 5 },
          ],
          more: 0,
        },
        String(size),
      );
  });

  it('have names as clients write them: escaped, unquoted, in UTF-8, extended, with a path', () => {
    const names = [
      part('name="a\\"b"; filename="C:\\\\x\\\\é.txt"', ''),
      part('name=plain;filename=f.txt', ''),
      part(`name="x"; filename="a.txt"; filename*=UTF-8''na%C3%AFve.txt`, ''),
      part('name="none"; filename=""', ''),
      part('NAME="upper"', 'ä'),
      `--b${end}${end}no head${end}`,
    ];
    assert.deepEqual(read(`${names.join('')}--b--`)?.parts, [
      { name: 'a"b', filename: 'é.txt', bytes: 0 },
      { name: 'plain', filename: 'f.txt', bytes: 0 },
      { name: 'x', filename: 'naïve.txt', bytes: 0 },
      { name: 'none', filename: '', bytes: 0 },
      { name: 'upper', bytes: 2 },
      { name: '', bytes: 7 },
    ]);
  });

  it('are counted up to the end of the body, and the last one is marked as cut', () => {
    assert.deepEqual(read(form.slice(0, -8)), {
      parts: [
        { name: 'title', bytes: 1 },
        { name: 'photo', filename: 'cat.png', type: 'image/png', bytes: 2, isCut: true },
      ],
      more: 0,
    });
    assert.equal(read(head('name="a"')), undefined, 'within its head');
    assert.equal(read(''), undefined);
    assert.equal(read('{"not": "multipart"}'), undefined);
  });

  it('are limited to a hundred with short names; an endless head ends them, and so does the last boundary', () => {
    const many = read(part('name="x"', 'y').repeat(130));
    assert.deepEqual([many?.parts.length, many?.more], [100, 30]);
    assert.equal(read(part(`name="${'n'.repeat(1900)}"`, ''))?.parts[0]?.name.length, 300);
    const endless = read(`${part('name="a"', '1')}--b${end}${'x'.repeat(20_000)}${end}${end}`);
    assert.deepEqual(endless?.parts, [{ name: 'a', bytes: 1 }]);
    assert.equal(read(`${form}${part('name="after"', '')}`)?.parts.length, 2);
  });

  it('have their content sizes, for any contents', () => {
    fc.assert(
      fc.property(
        fc.array(fc.uint8Array({ maxLength: 200 }), { minLength: 1, maxLength: 5 }),
        fc.integer({ min: 1, max: 100 }),
        (contents, size) => {
          const body = Buffer.concat([
            ...contents.flatMap((content, at) => [
              Buffer.from(`${head(`name="${at}"`)}${end}`),
              content,
              Buffer.from(end),
            ]),
            Buffer.from('--b--'),
          ]);
          assert.deepEqual(
            read(body, size)?.parts.map(({ bytes }) => bytes),
            contents.map(({ length }) => length),
          );
        },
      ),
    );
  });
});
