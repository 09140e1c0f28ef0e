import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRedactor } from '#core/dump';
import { HeaderWrites, removed, separator } from '../../recording/create-recording-observer.js';
import { headersDefinition, type HeadersSection } from './section.js';

type Write = readonly [
  by: string,
  name: string,
  value: string | undefined,
  place?: string,
  isRemembered?: true,
];

function writesOf(...given: readonly Write[]): HeadersSection['writes'] {
  const writes = new HeaderWrites();
  for (const [by, name, value, location = '', isRemembered = false] of given)
    writes.add(
      by,
      name,
      value ?? removed,
      ['', location, isRemembered ? 'remembered' : '', ''].join(separator),
    );
  const section = headersDefinition.clean?.(writes.text, createRedactor()) as HeadersSection; // its result type
  return section.writes;
}

describe('header writes in a record', () => {
  it('have the writer, the value or its removal, and the location', () => {
    assert.deepEqual(
      writesOf(
        ['', 'X-One', '1', '/srv/shop.ts:3:7 show'],
        ['express', 'Vary', 'Accept', 'node_modules/express/index.js:9:1 ', true],
        ['cors', 'x-one', undefined],
      ),
      [
        {
          by: null,
          name: 'X-One',
          value: '1',
          location: { name: 'show', file: '/srv/shop.ts', line: 3, column: 7 },
        },
        {
          by: 'express',
          name: 'Vary',
          value: 'Accept',
          location: { name: undefined, file: 'node_modules/express/index.js', line: 9, column: 1 },
          isRemembered: true,
        },
        { by: 'cors', name: 'x-one', value: null },
      ],
    );
  });

  it('omit those that change nothing, however the name is spelt', () => {
    const values = writesOf(
      ['a', 'X-None', undefined],
      ['a', 'X-One', '1'],
      ['b', 'x-one', '1'],
      ['c', 'X-One', '2'],
      ['d', 'X-ONE', undefined],
      ['e', 'x-one', undefined],
      ['f', 'x-one', '2'],
    );
    assert.deepEqual(
      values.map(({ by, value }) => [by, value]),
      [
        ['a', '1'],
        ['c', '2'],
        ['d', null],
        ['f', '2'],
      ],
    );
  });

  it('have no secrets, and at most 500 characters per value', () => {
    const [cookie, long] = writesOf(
      ['a', 'Set-Cookie', 'session=c4n4ry; Path=/'],
      ['a', 'X-Long', 'v'.repeat(501)],
    );
    assert.equal(cookie?.value, 'session=[redacted]; Path=/');
    assert.equal(long?.value, 'v'.repeat(500));
  });

  it('are limited to 200', () => {
    const many = Array.from({ length: 201 }, (_, at): Write => ['a', `X-${at}`, '1']);
    assert.equal(writesOf(...many).length, 200);
  });
});
