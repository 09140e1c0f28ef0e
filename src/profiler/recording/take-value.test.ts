import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createDump, createRedactor, dump } from '#core/dump';
import { objectOf } from '../encoding/encoded-record.js';
import { takePlain, takeValue } from './take-value.js';

class SqlEntityManager {
  readonly inside = { of: 'it' };
}
class MailService extends SqlEntityManager {}
class Article {
  readonly title = 'On stacks';
}

const redactor = createRedactor();

describe('takeValue', () => {
  it('shows services as one line, and data with its members', () => {
    for (const value of [new SqlEntityManager(), new MailService()])
      assert.deepEqual(takeValue(value, redactor), {
        type: 'object',
        text: value.constructor.name,
        cut: 'depth',
      });
    assert.deepEqual(takeValue(new Article(), redactor), dump(new Article(), { redactor }));
  });

  it('keeps primitives as they are, and says what was cut from a long one', () => {
    for (const value of ['word', 3, true, null, undefined]) assert.equal(takeValue(value, redactor), value);
    assert.equal(takeValue('token=abc123def', redactor), 'token=abc123def'); // the writer redacts texts
    assert.deepEqual(takeValue(Number.NaN, redactor), { type: 'number', text: 'NaN' });
    assert.deepEqual(takeValue('x'.repeat(3000), redactor), {
      type: 'string',
      text: 'x'.repeat(500),
      length: 3000,
    });
  });
});

describe('a log context with primitives', () => {
  const snapshot = createDump({ redactor });
  const value = fc.oneof(
    fc.string({ maxLength: 30 }),
    fc.double(),
    fc.boolean(),
    fc.constantFrom(null, undefined, 'token=abc123def', 'Bearer abcdefghijklmnopqrstuvwxyz0123456789'),
  );
  const name = fc.oneof(
    fc.string({ maxLength: 12 }),
    fc.constantFrom('password', 'apiKey', '__proto__', '1', 'user'),
  );

  it('has the snapshot taken when it was logged, even if its object changes later', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(name, value), { minLength: 1, maxLength: 20 }), (entries) => {
        const context: Record<string, unknown> = Object.fromEntries(entries);
        const shown = snapshot(context);
        const taken = takePlain(context);
        assert.ok(taken !== undefined);
        for (const key of Object.keys(context)) delete context[key];
        assert.deepEqual(snapshot(objectOf(taken)), shown);
      }),
    );
  });

  it('excludes classes, lists, and nested, long, empty or large objects, and runs no getter or trap', () => {
    let ran = 0;
    const count = (): number => ran++;
    const trap = new Proxy({ a: 1 }, { ownKeys: () => (count(), []), getPrototypeOf: () => (count(), null) });
    const many = Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`n${at}`, at]));
    const accessors = Object.defineProperties({ a: 1 }, { b: { enumerable: true, get: count } });
    const others = [
      undefined,
      null,
      'text',
      [1],
      {},
      new Article(),
      Object.create(null),
      new Error('x'),
      trap,
      many,
    ];
    for (const other of [
      ...others,
      { a: { b: 1 } },
      { a: 'x'.repeat(501) },
      { a: 1n },
      { [Symbol('s')]: 1, a: 1 },
      accessors,
    ])
      assert.equal(takePlain(other), undefined);
    assert.equal(ran, 0);
  });
});
