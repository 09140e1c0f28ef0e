import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { mongoStatement } from './mongo.js';

describe('an operation on documents as a statement', () => {
  it('has names, placeholders, and values in order', () => {
    const found = mongoStatement('users.find', [
      { age: { $gt: 18 }, tags: ['a', 'b'] },
      undefined,
      { name: 1 },
    ]);
    assert.equal(found.sql, 'users.find({"age": {"$gt": ?}, "tags": [?, ?]}, {"name": ?})');
    assert.deepEqual(found.params, [18, 'a', 'b', 1]);
  });

  it('treats class instances as values, and runs no getter', () => {
    const id = new (class ObjectId {})();
    const document = {
      id,
      get secret(): string {
        throw new Error('was run');
      },
    };
    assert.deepEqual(mongoStatement('users.find', [document]), {
      sql: 'users.find({"id": ?})',
      params: [id],
    });
  });

  it('marks where it truncated large, deep or endless input', () => {
    const many = mongoStatement(
      'users.insert',
      Array.from({ length: 10_000 }, (_, id) => ({ id })),
    );
    assert.ok(many.sql.length < 3000 && many.params.length <= 200, many.sql);
    assert.match(many.sql, /, …\)$/);
    const list = (count: number): string =>
      mongoStatement('t.find', [Array.from({ length: count }, () => 1)]).sql;
    assert.match(list(199), /\?\]\)$/); // the list itself is a part, too
    assert.match(list(200), /\?, …\]\)$/);
    const wide = mongoStatement('t.find', [{ id: { $in: Array.from({ length: 5000 }, () => []) } }]);
    assert.match(wide.sql, /\[\], …\]}}\)$/);
    const circle: Record<string, unknown> = {};
    circle['self'] = circle;
    assert.match(mongoStatement('t.find', [circle]).sql, /^t\.find\((?:\{"self": ){6}\?}{6}\)$/);
  });

  it('has as many placeholders as values, for any input', () => {
    fc.assert(
      fc.property(
        fc.array(fc.object({ maxDepth: 9, withNullPrototype: true }), { maxLength: 6 }),
        (documents) => {
          const { sql, params } = mongoStatement('t.find', documents);
          // Names are JSON strings; without them, only placeholders remain.
          const placeholders = sql.replaceAll(/"(?:[^"\\]|\\.)*"/g, '').match(/\?/g) ?? [];
          assert.equal(placeholders.length, params.length);
          assert.ok(params.length <= 200);
        },
      ),
    );
  });
});
