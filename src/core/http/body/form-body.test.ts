import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import qs from 'qs';
import { FormBody, type FormRecord, type UploadedFile } from './form-body.js';

const depth = 8;
type Entry = readonly [name: string, value: string | UploadedFile];

function record(...entries: readonly Entry[]): unknown {
  return plain(new FormBody(entries, depth).toRecord());
}

/** Converts a value to plain objects: deepEqual also compares prototypes. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null || 'bytes' in value) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, plain(one)]));
}

const file: UploadedFile = {
  field: 'photo',
  filename: 'a.png',
  mediaType: 'image/png',
  bytes: new Uint8Array([1]),
} as UploadedFile; // the part that a record needs

describe('form fields', () => {
  const form = new FormBody(
    [
      ['a', '1'],
      ['b', ''],
      ['a', '2'],
      ['photo', file],
      ['photo', 'text'],
    ],
    depth,
  );

  it('are found by name, first or all, files and texts separately', () => {
    assert.deepEqual(
      [form.get('a'), form.getAll('a'), form.get('b'), form.get('none')],
      ['1', ['1', '2'], '', undefined],
    );
    assert.deepEqual(
      [form.get('photo'), form.file('photo'), form.files().length, form.files('a').length],
      ['text', file, 1, 0],
    );
    assert.deepEqual(
      ['a', 'photo', 'none', 'toString'].map((name) => form.has(name)),
      [true, true, false, false],
    );
  });
});

describe('a form as a record', () => {
  it('nests by brackets, and creates lists for repeated and empty ones', () => {
    const rows: [entries: Entry[], expected: unknown][] = [
      [[['a', '1']], { a: '1' }],
      [
        [
          ['a', '1'],
          ['a', '2'],
          ['a', '3'],
        ],
        { a: ['1', '2', '3'] },
      ],
      [[['a[]', '1']], { a: ['1'] }],
      [
        [
          ['a[]', '1'],
          ['a[]', '2'],
        ],
        { a: ['1', '2'] },
      ],
      [
        [
          ['a[b]', '1'],
          ['a[c][d]', '2'],
        ],
        { a: { b: '1', c: { d: '2' } } },
      ],
      [
        [
          ['a[0]', 'x'],
          ['a[1]', 'y'],
        ],
        { a: ['x', 'y'] },
      ],
      [[['a[7]', 'x']], { a: ['x'] }], // no sparse entries
      [
        [
          ['a[1]', 'x'],
          ['a[0]', 'y'],
        ],
        { a: ['y', 'x'] },
      ],
      [
        [
          ['a[1][n]', 'pear'],
          ['a[1][m]', '2'],
        ],
        { a: [{ n: 'pear', m: '2' }] },
      ],
      [
        [
          ['a[1][n]', 'b'],
          ['a[0][m]', '5'],
          ['a[1][m]', '6'],
        ],
        { a: [{ m: '5' }, { n: 'b', m: '6' }] },
      ],
      [
        [
          ['a[][n]', '1'],
          ['a[][n]', '2'],
        ],
        { a: [{ n: '1' }, { n: '2' }] },
      ],
      [
        [
          ['a[0]', 'x'],
          ['a[b]', 'y'],
        ],
        { a: { '0': 'x', b: 'y' } },
      ],
      [Array.from({ length: 1500 }, (): Entry => ['a', 'x']), { a: Array.from({ length: 1500 }, () => 'x') }],
      [
        [
          ['a[0][n]', '1'],
          ['a[0][m]', '2'],
          ['a[1][n]', '3'],
        ],
        { a: [{ n: '1', m: '2' }, { n: '3' }] },
      ],
      [[['a[2000]', 'x']], { a: { '2000': 'x' } }], // index out of range
      [
        [
          ['a', '1'],
          ['a[b]', '2'],
        ],
        { a: ['1', { b: '2' }] },
      ],
      [
        [
          ['photo', file],
          ['photo', file],
        ],
        { photo: [file, file] },
      ],
      [[['', '1']], { '': '1' }],
    ];
    for (const [entries, expected] of rows)
      assert.deepEqual(record(...entries), expected, JSON.stringify(entries));
  });

  it('takes a name with malformed brackets literally', () => {
    for (const name of ['a[', 'a]', '[a]', 'a[b', 'a[b]c', 'a[[b]]', 'a[b]]', '[]', 'a[b[c]]'])
      assert.deepEqual(record([name, '1']), { [name]: '1' }, name);
  });

  it('cannot reach a prototype through any name', () => {
    for (const key of ['__proto__', 'constructor', 'prototype'])
      for (const name of [key, `a[${key}]`, `${key}[a]`, `a[${key}][b]`, `a[][${key}]`])
        assert.throws(() => record([name, '1']), { status: 400 }, name);
    const made = new FormBody(
      [
        ['toString', '1'],
        ['a[hasOwnProperty]', '2'],
      ],
      depth,
    ).toRecord();
    assert.equal(Object.getPrototypeOf(made), null);
    assert.equal(Object.getPrototypeOf(made['a']), null);
  });

  it('is a 413 if nested deeper than the limit', () => {
    assert.deepEqual(record([`a${'[b]'.repeat(depth - 1)}`, '1']) !== undefined, true);
    assert.throws(() => record([`a${'[b]'.repeat(depth)}`, '1']), { status: 413 });
    assert.throws(() => record([`a${'[]'.repeat(100_000)}`, '1']), { status: 413 });
  });

  it('never throws anything else, loses no value, and is bounded by its entries', () => {
    const name = fc.string({
      unit: fc.constantFrom('a', 'b', '[', ']', '0', '1', '[]', '[a]', '[0]', '.'),
      maxLength: 8,
    });
    fc.assert(
      fc.property(fc.array(fc.tuple(name, fc.string({ maxLength: 3 })), { maxLength: 12 }), (entries) => {
        let made: FormRecord;
        try {
          made = new FormBody(entries, depth).toRecord();
        } catch (error) {
          assert.ok(error instanceof Error && 'status' in error && error.status === 413);
          return;
        }
        const leaves = (value: unknown): string[] =>
          typeof value === 'string' ? [value] : Object.values(value as object).flatMap(leaves); // lists and records
        assert.deepEqual(leaves(made).sort(), entries.map(([, value]) => value).sort());
      }),
    );
  });

  it('has the same rows, lists and records as qs, for indexes in any order', () => {
    const index = fc.integer({ min: 0, max: 19 });
    const word = fc.constantFrom('name', 'qty', 'tags');
    const name = fc.oneof(
      word,
      word.map((one) => `list[${one}]`),
      index.map((at) => `plain[${at}]`),
      fc.constant('open[]'),
      fc.tuple(index, word).map(([at, one]) => `items[${at}][${one}]`),
      fc.tuple(index, index, word).map(([at, inner, one]) => `deep[${at}][rows][${inner}][${one}]`),
      fc.tuple(index, index).map(([at, inner]) => `lists[${at}][${inner}]`),
      index.map((at) => `appended[${at}][]`),
    );
    const entries = fc.array(fc.tuple(name, fc.string({ minLength: 1, maxLength: 3 })), { maxLength: 20 });
    fc.assert(
      fc.property(entries, (given) => {
        const text = given.map((pair) => pair.map(encodeURIComponent).join('=')).join('&');
        const limits = { depth: 10, arrayLimit: 100, parameterLimit: 1000 };
        assert.deepEqual(record(...given), qs.parse(text, limits), text);
      }),
    );
  });
});
