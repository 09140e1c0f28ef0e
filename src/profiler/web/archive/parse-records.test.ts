import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { plain } from '../../../../test/profiler/plain-record.js';
import { recordSchema } from '../../model/profile-record.js';
import { openArchive } from './archive.js';
import { readRecords } from './parse-records.js';

const sound = { ...plain, schema: recordSchema };

describe('a file of records', () => {
  it('with a number too large for its column is listed, with the largest possible number', async () => {
    const archive = await openArchive([{ ...sound, sequence: 2 ** 53 }]);
    assert.deepEqual(
      (await archive.list()).rows.map(({ sequence }) => sequence),
      [2 ** 31 - 1],
    );
    await archive.close();
  });

  it('is parsed as one document, formatted or not, and as one record per line', () => {
    const line = JSON.stringify(sound);
    for (const text of [line, JSON.stringify(sound, null, 2), `${line}\n`])
      assert.deepEqual(readRecords(text), [JSON.parse(line)]);
    const second = JSON.stringify({ ...sound, token: 'fedcba' });
    const read = readRecords(`${line}\n\n${second}`);
    assert.deepEqual(typeof read !== 'string' && read.map(({ token }) => token), ['abcdef', 'fedcba']);
  });

  it('may have unknown fields from a newer version', () => {
    assert.equal(readRecords(JSON.stringify({ ...sound, further: [1] })).length, 1);
  });

  it("is rejected with the first invalid part's position", () => {
    const { request } = sound;
    let deep: object = {};
    for (let level = 0; level < 600; level++) deep = { deep };
    for (const [change, problem] of [
      [{ token: 'ZZ' }, /token must match/],
      [{ request: { ...request, headers: [['a']] } }, /request\.headers\.0 must have 2 items/],
      [{ request: { ...request, headers: [['a', 1]] } }, /request\.headers\.0\.1 must be of type string/],
      [{ request: undefined }, /it must have the field .{1,2}request/],
      [{ state: 'other' }, /state must be complete or unfinished or aborted/],
      [{ sequence: -1 }, /sequence must be at least 0/],
      [
        { exception: { status: 500, class: 'E', message: 'm' } },
        /exception must have the field .{1,2}errors/,
      ],
      [{ route: 5 }, /route must be of type object/],
      [{ logTotals: { ...sound.logTotals, byLevel: { error: 'x' } } }, /logTotals\.byLevel\.error must be/],
      [{ sections: { own: deep } }, /nested deeper than 500 levels/],
      [{ schema: recordSchema + 1 }, /written by a newer version/],
    ] as const)
      assert.match(JSON.stringify(readRecords(JSON.stringify({ ...sound, ...change }))), problem);
    assert.equal(readRecords('5'), 'it is not a record: it must be of type object');
    assert.equal(readRecords(''), 'it is empty');
    assert.equal(readRecords('nonsense'), 'it is not valid JSON');
    assert.equal(readRecords(`${JSON.stringify(sound)}\n{`), 'line 2 is not valid JSON');
  });
});
