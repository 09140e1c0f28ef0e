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

  it('takes simple values as they are, without secrets, and says what was cut of a long one', () => {
    for (const value of ['word', 3, -0, true, null, undefined])
      assert.equal(takeValue(value, redactor), value);
    assert.doesNotMatch(JSON.stringify(takeValue('token=abc123def', redactor)), /abc123/);
    assert.deepEqual(takeValue('x'.repeat(3000), redactor), {
      type: 'string',
      text: 'x'.repeat(500),
      length: 3000,
    });
  });

  it('takes the parameters that are there, and hides those with secret names', () => {
    const given = { slug: 'soup', token: 'abc' };
    const options = { redactor, max: 10, isOpen: false };
    assert.deepEqual(takeParameters(given, ['slug', 'page', 'token'], options), [
      { name: 'slug', value: 'soup' },
      { name: 'token', value: '[redacted]' },
    ]);
    const [, open] = takeParameters(given, ['slug', 'token'], { ...options, isOpen: true });
    assert.equal(open?.value, 'abc');
  });
});
