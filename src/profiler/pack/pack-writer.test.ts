import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PackReader } from './pack-reader.js';
import { PackWriter, wordCode } from './pack-writer.js';

describe('the dictionary of a pack', () => {
  const sealed = (write: (out: PackWriter) => void): PackReader => {
    const out = new PackWriter();
    write(out);
    out.end();
    return new PackReader(out.seal());
  };

  it('has 4,000 words; those after stand in the piece', () => {
    const words = Array.from({ length: 4005 }, (_, at) => `word ${at}`);
    const from = sealed((out) => {
      for (const word of words) out.word(word);
    }).open(0);
    const codes = sealed((out) => {
      for (const word of words) out.word(word);
    }).open(0);
    for (const word of words) assert.equal(from.word(), word);
    for (let at = 0; at < 4000; at++) assert.equal(codes.number(), at + wordCode.first);
    assert.equal(codes.number(), wordCode.own);
  });

  it('has no word of more than 1,000 characters: it is written each time', () => {
    const [fits, long] = ['x'.repeat(1000), 'y'.repeat(1001)];
    const from = sealed((out) => {
      out.word(fits);
      out.word(long);
      out.word(fits);
    }).open(0);
    assert.deepEqual([from.number(), from.number(), from.text()], [wordCode.first, wordCode.own, long]);
    assert.equal(from.number(), wordCode.first);
  });

  it('knows a numbered word by its number, and reads its text once', () => {
    let asked = 0;
    const wordOf = (number: number): string => {
      asked++;
      return number === 7 ? 'z'.repeat(1500) : `kind ${number}`;
    };
    const from = sealed((out) => {
      for (const number of [3, 3, 5, 3]) out.numberedWord(number, wordOf);
      assert.equal(asked, 2);
      out.numberedWord(7, wordOf);
      out.numberedWord(7, wordOf);
      out.word('kind 3');
    }).open(0);
    const read = Array.from({ length: 7 }, () => from.word());
    assert.deepEqual(
      read.map((word) => word?.slice(0, 6)),
      ['kind 3', 'kind 3', 'kind 5', 'kind 3', 'zzzzzz', 'zzzzzz', 'kind 3'],
    );
  });

  it('distinguishes nothing from an empty word', () => {
    const from = sealed((out) => {
      out.word(null);
      out.word('');
      out.ownWord('');
    }).open(0);
    assert.deepEqual([from.word(), from.word(), from.word()], [null, '', '']);
  });

  it('that lacks a word a piece names is damaged', () => {
    const from = sealed((out) => out.number(wordCode.first + 40)).open(0);
    assert.throws(() => from.word(), { name: 'RangeError', message: 'A word is not in the dictionary.' });
  });
});

describe('names of header fields', () => {
  it('are one word where no name holds a line break, else JSON', () => {
    const out = new PackWriter();
    out.names(['Host', 'a', 'Accept', 'b']);
    out.names(['Host', 'other', 'Accept', 'values']);
    out.names(['X-A\nX-B', '1']);
    out.names([]);
    out.end();
    const from = new PackReader(out.seal()).open(0);
    const read = (): [number, string | null] => [from.number(), from.word()];
    assert.deepEqual(read(), [0, 'Host\nAccept\n']);
    assert.deepEqual(read(), [0, 'Host\nAccept\n']);
    assert.deepEqual(read(), [1, '["X-A\\nX-B"]']);
    assert.deepEqual(read(), [0, '']);
  });
});
