import assert from 'node:assert/strict';
import { it } from 'node:test';
import { simpleFields } from './span-processor.js';

it('the first fifty span attributes that are texts, numbers or booleans are kept', () => {
  const given = { text: 'x', number: 0, flag: false, none: null, list: ['x'], object: {}, big: 1n };
  assert.deepEqual(simpleFields(given), { text: 'x', number: 0, flag: false });
  for (const none of [undefined, null, 'text']) assert.deepEqual(simpleFields(none), {});
  const many = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`a${at}`, at]));
  assert.equal(Object.keys(simpleFields(many)).length, 50);
});
