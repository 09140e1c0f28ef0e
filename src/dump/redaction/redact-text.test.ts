import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createRedactor } from './create-redactor.js';

const { text } = createRedactor();

describe('the user part of URLs in a text', () => {
  it('is hidden, in each of several URLs, and nothing beside it', () => {
    assert.equal(
      text('amqp://ada:s3cret@mq:5672 then https://x:y@example.org/a?b=c@d and postgres://u@h/db.'),
      'amqp://[redacted]@mq:5672 then https://[redacted]@example.org/a?b=c@d and postgres://[redacted]@h/db.',
    );
    assert.equal(text('git+ssh://git:pw@host://x:y@z'), 'git+ssh://[redacted]@host://[redacted]@z');
  });

  it('is none behind a path, a query, a space or a quote, nor without a scheme', () => {
    for (const one of [
      'https://example.org/@ada',
      'https://example.org?mail=a@b.org',
      'see https:// ada@example.org',
      'href="https://"ada@example.org',
      '://ada:pw@x',
      'x://ada:pw@x',
      '1://ada:pw@x',
    ])
      assert.equal(text(one), one);
  });

  it('is hidden wherever it stands, as one expression over the whole text would', () => {
    const expression = /([a-z][a-z0-9+.-]{1,30}:\/\/)[^\s/?#@"'<>]{1,512}@/gi;
    const part = fc.constantFrom('http', '://', 'a', 'Z', '9', '+', '.', '@', '/', ' ', '"', ':', '\u00e9');
    fc.assert(
      fc.property(fc.array(part, { maxLength: 40 }), (parts) => {
        const given = parts.join('');
        assert.equal(text(given), given.replace(expression, '$1[redacted]@'));
      }),
      { numRuns: 2000 },
    );
  });
});
