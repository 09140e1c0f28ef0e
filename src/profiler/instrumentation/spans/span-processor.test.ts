import assert from 'node:assert/strict';
import { it } from 'node:test';
import { simpleFields } from './span-processor.js';

it('attributes of a span are kept that are text, numbers or yes and no, the first fifty', () => {
  const given = { text: 'x', number: 0, flag: false, none: null, list: ['x'], object: {}, big: 1n };
  assert.deepEqual(simpleFields(given), { text: 'x', number: 0, flag: false });
  for (const none of [undefined, null, 'text']) assert.deepEqual(simpleFields(none), {});
  const many = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`a${at}`, at]));
  assert.equal(Object.keys(simpleFields(many)).length, 50);
});
