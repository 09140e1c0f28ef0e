import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRedactor } from '#dump';
import { HeaderListWriter, readHeaderList } from './header-lists.js';
import { PackReader } from './pack-reader.js';
import { PackWriter } from './pack-writer.js';

interface Given {
  readonly raw: readonly string[];
  /** Of the record; of a response it is told to the writer. */
  readonly token: string;
}

/** What is read of each list, and which of them name the same one. */
function throughPack(
  lists: readonly Given[],
  kind: 'request' | 'response',
): { flat: string[][]; numbers: number[] } {
  const pack = new PackWriter();
  const writer = new HeaderListWriter(pack, createRedactor());
  const numbers = lists.map(({ raw, token }) => {
    pack.begin();
    const number = writer.find(raw, kind === 'response' ? { token, linkText: '', linkBase: '' } : undefined);
    writer.write(raw);
    return number;
  });
  const reader = new PackReader(pack.seal());
  const flat = lists.map(({ token }, index) => {
    reader.open(index);
    return readHeaderList(reader, numbers[index] ?? 0, token).flat();
  });
  return { flat, numbers };
}

describe('header lists', () => {
  it('of responses that name their own records are one list, and come back with the own token', () => {
    const lists = ['aaaaaa', 'bbbbbb', 'cccccc'].map((token) => ({
      raw: [
        'Content-Type',
        'text/plain',
        'X-Debug-Token',
        token,
        'X-Debug-Token-Link',
        `http://h/_profiler/${token}`,
      ],
      token,
    }));
    const { flat, numbers } = throughPack(lists, 'response');
    assert.equal(new Set(numbers).size, 1);
    assert.deepEqual(
      flat,
      lists.map(({ raw }) => raw),
    );
  });

  it('of a response that holds the token of another record keep that token', () => {
    const raw = ['Location', '/_profiler/aaaaaa', 'X-One', '1', 'X-Two', '2', 'X-Three', '3'];
    const lists = [
      { raw, token: 'aaaaaa' },
      { raw: [...raw], token: 'bbbbbb' },
    ];
    assert.deepEqual(throughPack(lists, 'response').flat, [raw, raw]);
  });

  it('of requests keep what looks like a token, also where a record happens to have it', () => {
    const raw = ['Host', 'h', 'X-Id', 'build-aaaaaa'];
    const lists = [
      { raw, token: 'aaaaaa' },
      { raw, token: 'bbbbbb' },
      { raw: [...raw], token: 'cccccc' },
    ];
    const { flat, numbers } = throughPack(lists, 'request');
    assert.deepEqual(flat, [raw, raw, raw]);
    assert.equal(new Set(numbers).size, 1);
  });
});
