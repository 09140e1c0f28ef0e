import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { endOf, eventsOf, fromTicks, idOf, spanCode, spanEnd, type SpanKind, timelineOf } from './spans.js';

describe("a recording's spans", () => {
  const kinds: readonly SpanKind[] = [
    { name: 'request', category: 'stage' },
    { name: 'router', category: 'listener', event: 'request', priority: 32, location: '/srv/app.ts:3:7' },
    { name: 'own', category: 'listener', event: 'other' },
    { name: 'show', category: 'controller' },
  ];
  const numbers = [
    [spanCode(0, spanEnd.plain), 0, 0],
    [spanCode(1, spanEnd.failed), 10_000, 30_000],
    [spanCode(3, spanEnd.open), 30_000, 50_000],
    [spanCode(2, spanEnd.stopped), 60_000, 70_000],
    [spanCode(9, spanEnd.plain), 80_000, 90_000],
    [spanCode(2, spanEnd.plain), 90_000, 95_000],
  ].flat();

  it('combine kind and outcome in one code', () => {
    fc.assert(
      fc.property(fc.nat(20_000), fc.constantFrom(...Object.values(spanEnd)), (id, end) => {
        assert.deepEqual([idOf(spanCode(id, end)), endOf(spanCode(id, end))], [id, end]);
      }),
    );
    assert.equal(fromTicks(15_000), 1.5);
  });

  it('become timeline bars; those without an end or of an unknown kind are marked', () => {
    assert.deepEqual(
      timelineOf(numbers, kinds).map((one) => [
        one.name,
        one.category,
        one.startMs,
        one.durationMs,
        one.open,
      ]),
      [
        ['request', 'stage', 0, 0, undefined],
        ['router', 'listener', 1, 2, undefined],
        ['show', 'controller', 3, 2, true],
        ['own', 'listener', 6, 1, undefined],
        ['further kinds', 'other', 8, 1, undefined],
        ['own', 'listener', 9, 0.5, undefined],
      ],
    );
    assert.deepEqual(timelineOf([0, 1], kinds), []); // incomplete
  });

  it('are grouped by dispatch: under their stage, or under their own entry of the same length', () => {
    const location = { file: '/srv/app.ts', line: 3, column: 7 };
    const listener = { name: 'own', priority: 0, startMs: 6, durationMs: 1, stopped: true, failed: false };
    assert.deepEqual(eventsOf(numbers, kinds, timelineOf(numbers, kinds)), [
      {
        event: 'request',
        startMs: 0,
        durationMs: 3,
        listeners: [
          { name: 'router', location, priority: 32, startMs: 1, durationMs: 2, stopped: false, failed: true },
        ],
      },
      {
        event: 'other',
        startMs: 6,
        durationMs: 3.5,
        listeners: [listener, { ...listener, startMs: 9, durationMs: 0.5, stopped: false }],
      },
    ]);
  });
});
