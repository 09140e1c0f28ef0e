import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { ErrorReport } from '#core/errors';
import { type FactList, type FactValue, requestFactList, responseFactList } from '../model/recorded-facts.js';
import { RecordEncoder, decodeRecords } from './record-format.js';
import type { EncodedRecord } from './encoded-record.js';

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom('', '\0', '\r\n', 'ü€😀'),
);
const whole = fc.nat();
const optional = <T>(one: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(one, { nil: undefined });
const flag = fc.boolean();
const texts = fc.array(text, { maxLength: 8 });
const named = fc.array(
  fc.record({
    name: text,
    value: fc.oneof(
      text,
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.constantFrom(undefined, null, true, false),
      fc.record({ type: fc.constant('object' as const), text, cut: fc.constant('depth' as const) }),
      fc.record({ type: fc.constant('array' as const), length: whole, cut: fc.constant('depth' as const) }),
    ),
  }),
  { minLength: 1, maxLength: 4 },
);
const factsOf = ({ areTexts }: FactList): fc.Arbitrary<FactValue[]> =>
  fc.tuple(...areTexts.map((isText) => (isText ? optional(text) : optional(whole))));
const body = optional(fc.record({ content: text, isBytes: flag, bytes: whole, isUnread: flag }));
const context = optional(fc.oneof(fc.record({ type: fc.constant('string' as const), text }), named));
const record: fc.Arbitrary<EncodedRecord> = fc.record({
  id: whole,
  sequence: whole,
  origin: fc.constantFrom('app' as const, 'profiler' as const),
  startedAt: fc.double({ min: 0, max: 2e12, noNaN: true }),
  end: fc.integer({ min: 0, max: 2 ** 40 }),
  method: text,
  target: text,
  baseUrl: text,
  peer: fc.tuple(text, whole),
  facts: factsOf(requestFactList),
  received: fc.record({ names: text, values: texts }),
  answered: text,
  body,
  sent: optional(fc.record({ facts: factsOf(responseFactList), body })),
  route: optional(
    fc.record({
      name: fc.option(text),
      path: fc.option(text),
      parameters: named,
      isUntraced: flag,
      allow: optional(texts),
    }),
  ),
  controller: optional(
    fc.record({
      name: text,
      file: optional(text),
      line: fc.integer({ min: 0, max: 9999 }),
      arguments: named,
    }),
  ),
  spans: fc.array(fc.integer({ min: 0, max: 2 ** 40 }), { maxLength: 30 }),
  registered: fc.array(whole, { maxLength: 30 }),
  logs: optional(
    fc.record({
      lines: fc.array(
        fc.record({
          level: fc.nat(7),
          channel: text,
          message: text,
          offsetMs: fc.double({ min: 0, max: 1e6, noNaN: true }),
          context,
          isTemplate: flag,
        }),
      ),
      more: optional(
        fc.record({ omitted: whole, omittedAfter: whole, byLevel: fc.array(whole), nodeWarnings: whole }),
      ),
    }),
  ),
  sections: fc.array(
    fc.record({
      name: text,
      data: fc.oneof(text, fc.jsonValue({ maxDepth: 2 })),
      isCustom: flag,
      numbers: optional(fc.dictionary(fc.stringMatching(/^[a-z.]+$/), whole)),
    }),
    { maxLength: 3 },
  ),
  exception: optional(
    text.map((message) => ({ status: 500, class: 'Error', message, errors: [] }) as unknown as ErrorReport), // the written fields
  ),
  limits: optional(fc.array(fc.record({ what: text, kept: whole, total: whole, limit: whole }))),
});

/** Drops undefined members, and turns −0, which JSON lacks, into 0. */
function plain(value: unknown): unknown {
  if (value === 0) return 0;
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  const pairs = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return Object.fromEntries(pairs.map(([name, inner]) => [name, plain(inner)]));
}

describe('encoded records', () => {
  it('are decoded as they were encoded, in order, with any texts', () => {
    fc.assert(
      fc.property(fc.array(fc.array(record, { maxLength: 3 }), { maxLength: 3 }), (batches) => {
        const written = new RecordEncoder();
        for (const batch of batches) {
          for (const one of batch) written.add(one);
          const read = Array.from(decodeRecords(written.take()), ({ raw }) => plain(raw));
          assert.deepEqual(read, batch.map(plain));
        }
      }),
      { numRuns: 200 },
    );
  });

  it('keep numbers at the limits of each size, and take one byte for a small one', () => {
    const [one] = fc.sample(record, { numRuns: 1, seed: 7 });
    assert.ok(one !== undefined);
    const written = new RecordEncoder();
    const limits = [
      -1,
      0,
      251,
      252,
      65_535,
      65_536,
      2 ** 31 - 1,
      2 ** 31,
      -2,
      -(2 ** 31),
      0.5,
      5e-324,
      Infinity,
    ];
    written.add({ ...one, spans: limits });
    assert.deepEqual([...decodeRecords(written.take())][0]?.raw.spans, limits);
    const [none = 0, hundred = 0] = [0, 100].map((count) => {
      written.add({ ...one, spans: Array.from({ length: count }, () => 251) });
      return written.take().length;
    });
    assert.equal(hundred - none, 100);
  });

  it('larger than the reserved buffer are complete, and leave no bytes for the next batch', () => {
    const written = new RecordEncoder();
    const [one] = fc.sample(record, { numRuns: 1, seed: 7 });
    assert.ok(one !== undefined);
    const secret = 's3cret'.repeat(200_000);
    written.add({ ...one, target: secret });
    assert.equal([...decodeRecords(written.take())][0]?.raw.target, secret);
    written.add({ ...one, target: '/' });
    const data = written.take();
    assert.doesNotMatch(Buffer.from(data.buffer).toString('latin1'), /s3cret/);
    assert.ok(data.length < 10_000);
  });

  it('are handed over in a nearly full buffer, which no later record reaches', () => {
    const [one] = fc.sample(record, { numRuns: 1, seed: 7 });
    assert.ok(one !== undefined);
    const written = new RecordEncoder();
    const batches = [300, 230_000, 150_000, 3000, 230_000, 2_000_000, 900].map((length) => {
      while (written.length < length) written.add({ ...one, target: `/${length}` });
      const data = written.take();
      assert.ok(
        data.byteLength >= data.buffer.byteLength * 0.87,
        `${data.byteLength} of ${data.buffer.byteLength}`,
      );
      return { data, target: `/${length}`, copy: Uint8Array.from(data) };
    });
    assert.ok(
      batches.some(({ data }) => data.byteLength < data.buffer.byteLength),
      'at least one batch is handed over without copying',
    );
    for (const { data, target, copy } of batches) {
      assert.deepEqual(Uint8Array.from(data), copy);
      const targets = new Set(Array.from(decodeRecords(data), ({ raw }) => raw.target));
      assert.deepEqual([...targets], [target]);
    }
  });

  it('end where no length is readable', () => {
    for (const length of [0, -8, NaN]) {
      const data = new Uint8Array(new Float64Array([length, 2, 7, 7]).buffer);
      assert.deepEqual([...decodeRecords(data, (error) => assert.fail(String(error)))], []);
    }
  });

  it('that are damaged are reported and skipped, and the next one is read', () => {
    const written = new RecordEncoder();
    const [one] = fc.sample(record, { numRuns: 1, seed: 7 });
    assert.ok(one !== undefined);
    written.add(one);
    const broken = [12, 0, 0, 0, 4, 0, 0, 0, 1, 1, 1, 255]; // its fourth number is cut off
    const failures: unknown[] = [];
    const data = Uint8Array.from([...broken, ...written.take()]);
    const read = [...decodeRecords(data, (error) => failures.push(error))];
    assert.deepEqual([read.length, failures.length], [1, 1]);
  });
});
