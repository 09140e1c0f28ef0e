import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { indentJson } from './indent-json.js';

describe('indentJson', () => {
  it('puts members on lines of their own and leaves everything else as it was sent', () => {
    assert.equal(
      indentJson('{"a":[1,{"b":"x, y: {z}"}],"a":12345678901234567890,"e":{},"f":[ ]}'),
      [
        '{',
        '  "a": [',
        '    1,',
        '    {',
        '      "b": "x, y: {z}"',
        '    }',
        '  ],',
        '  "a": 12345678901234567890,',
        '  "e": {},',
        '  "f": [ ]',
        '}',
      ].join('\n'),
    );
    for (const text of ['', '12', '"text"', '{\n "a": 1}', 'no JSON at all'])
      assert.equal(indentJson(text), text);
    assert.equal(indentJson('{"cut": "in the mid'), '{\n  "cut": "in the mid');
  });

  it('means the same as before, for any JSON', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), (text) => {
        assert.deepEqual(JSON.parse(indentJson(text)), JSON.parse(text));
      }),
    );
  });

  it('stays within a bound for hostile depth', () => {
    assert.ok(indentJson('['.repeat(65_536)).length < 65_536 * 60);
  });
});
