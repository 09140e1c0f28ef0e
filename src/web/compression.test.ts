import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chooseEncoding, isCompressibleType } from './compression.js';

describe('chooseEncoding', () => {
  it('takes what the client likes best, then what stands first', () => {
    const cases: [accept: string | undefined, expected: string | undefined][] = [
      ['gzip, deflate, br', 'br'],
      ['gzip', 'gzip'],
      ['x-gzip', 'gzip'],
      ['gzip;q=1.0, br;q=0.5', 'gzip'],
      ['*', 'br'],
      ['*;q=0.5, br;q=0', 'gzip'],
      ['br;q=0, gzip;q=0', undefined],
      ['identity', undefined],
      ['identity;q=0.5, gzip;q=0.8', 'gzip'],
      ['identity;q=0.9, gzip;q=0.8', undefined],
      ['deflate', undefined],
      ['', undefined],
      [undefined, undefined],
    ];
    for (const [accept, expected] of cases) assert.equal(chooseEncoding(accept), expected, accept);
  });
});

describe('isCompressibleType', () => {
  it('is true for text in all its forms, and false for what is compressed already', () => {
    for (const type of [
      'text/html; charset=utf-8',
      'application/json',
      'application/problem+json',
      'image/svg+xml',
      'Text/Plain',
      'application/wasm',
    ])
      assert.equal(isCompressibleType(type), true, type);
    for (const type of [
      'image/png',
      'application/zip',
      'video/mp4',
      'application/octet-stream',
      'font/woff2',
      '',
      undefined,
    ])
      assert.equal(isCompressibleType(type), false, type);
  });
});
