import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dump } from './dump-value.js';
import { fillPlaceholders } from './fill-placeholders.js';

const fill = (message: string, context: unknown): string => fillPlaceholders(message, dump(context));

describe('placeholders in a log message', () => {
  it('are filled with texts, numbers, booleans, null and dates at each occurrence', () => {
    assert.equal(fill('{who} has {count} items, {who}', { who: 'ada', count: 3 }), 'ada has 3 items, ada');
    assert.equal(
      fill('{a} {b} {c} {d}', { a: true, b: null, c: 5n, d: new Date(0) }),
      `true null 5n ${dump(new Date(0)).text}`,
    );
    assert.equal(fill('{user.name} {a-b} {a_b}', { 'user.name': 'x', 'a-b': 'y', a_b: 'z' }), 'x y z');
    assert.equal(fill('{0}', ['first']), 'first');
  });

  it('stay if there is no value, if the value is an object, or if they are not placeholders', () => {
    assert.equal(
      fill('{who} {list} {of} {un}', { list: [1], of: {}, un: undefined }),
      '{who} {list} {of} {un}',
    );
    assert.equal(fill('{ who } {} {{who}} {wh o}', { who: 'ada' }), '{ who } {} {ada} {wh o}');
    for (const context of [undefined, null, 'text', 7]) assert.equal(fill('{who}', context), '{who}');
    assert.equal(fillPlaceholders('{who}', undefined), '{who}');
    assert.equal(
      fill('{constructor} {__proto__} {toString}', { a: 1 }),
      '{constructor} {__proto__} {toString}',
    );
  });

  it('show no secret, run no getter, and mark truncated text', () => {
    const context = {
      password: 'hunter22',
      get lazy(): string {
        throw new Error('read');
      },
      long: 'x'.repeat(5000),
    };
    const text = fill('{password} {lazy} {long}', context);
    assert.doesNotMatch(text, /hunter22/);
    assert.match(text, /^\[redacted\] \{lazy\} x{2000}…$/);
  });

  it('within a value are not filled again', () => {
    assert.equal(fill('{a} {b}', { a: '{b}', b: '$& {a}' }), '{b} $& {a}');
  });
});
