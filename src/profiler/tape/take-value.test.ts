import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRedactor, dump } from '#dump';
import { takeParameters, takeValue } from './take-value.js';

class SqlEntityManager {
  readonly inside = { of: 'it' };
}
class MailService extends SqlEntityManager {}
class Article {
  readonly title = 'On stacks';
}

const redactor = createRedactor();

describe('takeValue', () => {
  it('shows what does something as one line, and what holds something with its members', () => {
    for (const value of [new SqlEntityManager(), new MailService()])
      assert.deepEqual(takeValue(value, redactor), {
        type: 'object',
        text: value.constructor.name,
        cut: 'depth',
      });
    assert.deepEqual(takeValue(new Article(), redactor), dump(new Article(), { redactor }));
  });

  it('takes simple values as they are, and says what was cut of a long one', () => {
    for (const value of ['word', 3, true, null, undefined]) assert.equal(takeValue(value, redactor), value);
    assert.equal(takeValue('token=abc123def', redactor), 'token=abc123def'); // the writer redacts texts
    assert.deepEqual(takeValue(Number.NaN, redactor), { type: 'number', text: 'NaN' });
    assert.deepEqual(takeValue('x'.repeat(3000), redactor), {
      type: 'string',
      text: 'x'.repeat(500),
      length: 3000,
    });
  });

  it('takes the parameters that are there, in their order', () => {
    const given = { slug: 'soup', token: 'abc' };
    assert.deepEqual(takeParameters(given, ['slug', 'page', 'token'], 10, redactor), [
      { name: 'slug', value: 'soup' },
      { name: 'token', value: 'abc' },
    ]);
  });
});
