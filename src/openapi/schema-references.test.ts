import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { JsonSchema } from './open-api-document.js';
import { referencedNames, refersToRoot, rewriteReferences } from './schema-references.js';

const prefix = '#/components/schemas/';

function rewrite(
  schema: JsonSchema,
  names: Readonly<Record<string, string>> = {},
  root = 'Root',
): JsonSchema {
  return rewriteReferences(schema, { names: new Map(Object.entries(names)), root, prefix });
}

describe('references of a JSON Schema', () => {
  it('to a part lead to its component, whichever keyword holds the parts', () => {
    const names = { Item: 'ItemInput', 'a/b': 'a_b' };
    assert.deepEqual(rewrite({ $ref: '#/$defs/Item' }, names), { $ref: `${prefix}ItemInput` });
    assert.deepEqual(rewrite({ $ref: '#/definitions/Item' }, names), { $ref: `${prefix}ItemInput` });
    assert.deepEqual(rewrite({ $ref: '#/$defs/a~1b' }, names), { $ref: `${prefix}a_b` });
    assert.deepEqual(rewrite({ $ref: '#/$defs/a%2Fb' }, names), { $ref: `${prefix}a_b` });
    assert.deepEqual(rewrite({ $ref: '#/$defs/Item/properties/id' }, names), {
      $ref: `${prefix}ItemInput/properties/id`,
    });
  });

  it('to the whole lead to the component of the whole, and those to elsewhere stay', () => {
    assert.deepEqual(rewrite({ items: { $ref: '#' } }), { items: { $ref: `${prefix}Root` } });
    assert.deepEqual(rewrite({ $ref: '#/properties/x' }), { $ref: `${prefix}Root/properties/x` });
    assert.deepEqual(rewrite({ $ref: 'https://example.org/s.json' }), { $ref: 'https://example.org/s.json' });
  });

  it('are found in lists and under names, and not in data', () => {
    const reference = { $ref: '#/$defs/A' };
    const rewritten = { $ref: `${prefix}B` };
    const names = { A: 'B' };
    assert.deepEqual(rewrite({ anyOf: [reference, { not: reference }] }, names), {
      anyOf: [rewritten, { not: rewritten }],
    });
    // The names of properties are the application's: one may be called like a keyword.
    assert.deepEqual(rewrite({ properties: { default: reference, $ref: reference } }, names), {
      properties: { default: rewritten, $ref: rewritten },
    });
    for (const keyword of ['default', 'const', 'example'])
      assert.deepEqual(rewrite({ [keyword]: reference }, names), { [keyword]: reference }, keyword);
    assert.deepEqual(rewrite({ enum: [reference], examples: [reference] }, names), {
      enum: [reference],
      examples: [reference],
    });
  });

  it('to the whole are distinguished from those to parts', () => {
    assert.equal(refersToRoot({ properties: { child: { $ref: '#' } } }), true);
    assert.equal(refersToRoot({ $ref: '#/properties/a' }), true);
    assert.equal(refersToRoot({ $ref: '#/$defs/A' }), false);
    assert.equal(refersToRoot({ default: { $ref: '#' } }), false);
    assert.equal(refersToRoot({ $ref: 'other.json' }), false);
  });

  it('name their parts, each as often as it is referred to', () => {
    const schema = {
      allOf: [{ $ref: '#/$defs/A' }, { $ref: '#/definitions/B' }],
      items: { $ref: '#/$defs/A' },
    };
    assert.deepEqual(referencedNames(schema), ['A', 'B', 'A']);
    assert.deepEqual(referencedNames({ $ref: '#' }), []);
  });
});

describe('rewriting references', () => {
  const name = fc.constantFrom('A', 'B', 'C');
  const schema = fc.letrec<{ schema: JsonSchema }>((tie) => ({
    schema: fc.oneof(
      { maxDepth: 4 },
      fc.record({
        $ref: fc.oneof(
          name.map((one) => `#/$defs/${one}`),
          fc.constant('#'),
        ),
      }),
      fc.record({ type: fc.constantFrom('string', 'object') }),
      fc.record({ properties: fc.dictionary(fc.string(), tie('schema'), { maxKeys: 3 }) }),
      fc.record({ anyOf: fc.array(tie('schema'), { maxLength: 3 }) }),
      fc.record({ default: fc.jsonValue(), items: tie('schema') }),
    ),
  })).schema;

  it('leaves none into the schema itself, changes nothing else, and takes nothing of what it was given', () => {
    fc.assert(
      fc.property(schema, (given) => {
        const before = JSON.stringify(given);
        const names = { A: 'A1', B: 'B1', C: 'C1' };
        const made = rewrite(given, names);
        assert.equal(JSON.stringify(given), before);
        assert.equal(refersToRoot(made) && !JSON.stringify(made).includes(prefix), false);
        assert.deepEqual(referencedNames(made), []);
        const back = JSON.stringify(made)
          .replaceAll(/"#\/components\/schemas\/([ABC])1"/g, '"#/$defs/$1"')
          .replaceAll(`"${prefix}Root"`, '"#"');
        assert.deepEqual(JSON.parse(back), JSON.parse(before));
      }),
    );
  });
});
