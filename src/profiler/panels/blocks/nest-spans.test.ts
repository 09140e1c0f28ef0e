import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { RecordedSpan } from '../../model/profile-record.js';
import { nestSpans } from './nest-spans.js';

const span = (name: string, startMs: number, durationMs: number): RecordedSpan => ({
  name,
  category: 'stage',
  startMs,
  durationMs,
});

describe('nestSpans', () => {
  it('a span is one deeper than the span it lies within', () => {
    const nested = nestSpans([
      span('controller', 3, 4),
      span('request', 0, 2),
      span('router', 0.5, 0.5),
      span('query', 4, 1),
      span('firewall', 1, 1),
    ]);
    assert.deepEqual(
      nested.map(({ name, depth }) => `${depth} ${name}`),
      ['0 request', '1 router', '1 firewall', '0 controller', '1 query'],
    );
  });

  it('siblings that the clock cannot tell apart are not nested, and a listener belongs to its stage', () => {
    const listener = (name: string, startMs: number, durationMs: number): RecordedSpan => ({
      ...span(name, startMs, durationMs),
      category: 'listener',
    });
    const nested = nestSpans([
      span('response', 5, 0.004),
      listener('csrf cookie', 5, 0.001),
      listener('remember me', 5.001, 0),
      listener('session', 5.001, 0.003),
      listener('last', 5.004, 0),
      span('finish', 5.004, 0),
      listener('release', 5.004, 0),
      span('terminate', 6, 1),
    ]);
    assert.deepEqual(
      nested.map(({ name, depth }) => `${depth} ${name}`),
      [
        '0 response',
        '1 csrf cookie',
        '1 remember me',
        '1 session',
        '1 last',
        '0 finish',
        '1 release',
        '0 terminate',
      ],
    );
  });

  it('puts nothing within a query: what lies within it runs beside it', () => {
    const query = (name: string, startMs: number, durationMs: number): RecordedSpan => ({
      ...span(name, startMs, durationMs),
      category: 'database',
      section: 'db',
    });
    const nested = nestSpans([span('controller', 0, 10), query('slow', 1, 8), query('quick', 2, 1)]);
    assert.deepEqual(
      nested.map(({ name, depth }) => `${depth} ${name}`),
      ['0 controller', '1 slow', '1 quick'],
    );
  });

  it('keeps every span, whatever overlaps', () => {
    const times = fc.double({ min: 0, max: 1_000, noNaN: true });
    fc.assert(
      fc.property(fc.array(fc.tuple(times, times)), (pairs) => {
        const spans = pairs.map(([start, length], index) => span(String(index), start, length));
        assert.deepEqual(
          new Set(nestSpans(spans).map(({ name }) => name)),
          new Set(spans.map(({ name }) => name)),
        );
      }),
    );
  });
});
