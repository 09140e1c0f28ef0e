import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withoutPseudoHeaders } from './request-source.js';

describe('withoutPseudoHeaders', () => {
  it('keeps the fields of an HTTP/2 request in their order, repeated ones too', () => {
    assert.deepEqual(
      withoutPseudoHeaders([
        ':method',
        'GET',
        'x-forwarded-for',
        '192.0.2.1',
        ':path',
        '/',
        'cookie',
        'a=1',
        'x-forwarded-for',
        '192.0.2.2',
        'cookie',
        'b=2',
      ]),
      ['x-forwarded-for', '192.0.2.1', 'cookie', 'a=1', 'x-forwarded-for', '192.0.2.2', 'cookie', 'b=2'],
    );
  });
});
