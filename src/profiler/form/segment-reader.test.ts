import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { isCodedError } from '#coded-error';
import { recordSchema } from '../model/profile-record.js';
import { PackWriter } from '../pack/pack-writer.js';
import { sectionFormOf } from './sections.js';
import { readRecord } from './segment-reader.js';
import { SegmentWriter } from './segment-writer.js';
import { columnsWith, type SummaryInput } from './summary-columns.js';
import { SummaryReader } from './summary-reader.js';

/** Halves of surrogate pairs among them; made faster than the library's own unit. */
const anyCharacter = fc.integer({ min: 0, max: 0x10ffff }).map((code) => String.fromCodePoint(code));

const anyText = fc.string({ unit: anyCharacter, maxLength: 12 });

const word = fc.option(fc.oneof(fc.constantFrom('a', 'b', 'home', ''), anyText));

const text = fc.option(anyText);

const count = fc.nat(100_000);

const ms = fc.nat(10 ** 8).map((ticks) => ticks / 10_000);

const row: fc.Arbitrary<SummaryInput> = fc.record({
  sequence: fc.nat(),
  startedAt: fc.integer({ min: 1.5e15, max: 1.9e15 }).map((microseconds) => microseconds / 1000),
  durationMs: ms,
  appMs: ms,
  databaseMs: ms,
  httpMs: ms,
  renderingMs: ms,
  state: fc.constantFrom('complete', 'unfinished', 'aborted'),
  method: fc.constantFrom('GET', 'POST', 'x'),
  origin: fc.constantFrom('http://a.test', ''),
  target: fc.oneof(fc.constantFrom('/', '/a?b#c', '*', 'http://b.test/x?y', 'a.test:443'), anyText),
  status: fc.nat(999),
  clientAddress: anyText,
  route: word,
  user: text,
  parent: text,
  trace: text,
  visitor: text,
  exception: text,
  errorClass: word,
  errorPlace: word,
  logs: count,
  warnings: count,
  errors: count,
  'db.queries': count,
  'db.timeMs': ms,
});

const db = {
  summary: { queries: { kind: 'count', of: () => 0 }, timeMs: { kind: 'ms', of: () => 0, finding: 'slow' } },
} as const;

const columns = columnsWith([['db', db]], { instance: 'web-1:7', version: '2' });

const codes = /^(?:|PROFILER_RECORD_(?:DAMAGED|NEWER))$/;

/** The code of what is thrown; empty where nothing is. */
function codeOf(work: () => unknown): string {
  try {
    work();
    return '';
  } catch (error) {
    return isCodedError(error) ? error.code : String(error);
  }
}

/** A small segment with everything in it that is written in its own way. */
function smallSegment(): ReturnType<SegmentWriter['seal']> {
  const failed = (error: unknown): void => assert.fail(String(error));
  const writer = new SegmentWriter('app', { columns, config: { node: 'v20' }, failed });
  const [summary] = fc.sample(row, { numRuns: 1, seed: 7 });
  assert.ok(summary !== undefined);
  const body = {
    encoding: 'text',
    content: '{"a":"é"}',
    contentType: 'a/json',
    bytes: 10,
    cut: true,
    isUnread: false,
  };
  const entries = [{ key: 'k', kind: 'property', value: { type: 'number', text: '1' } }] as const;
  const picture = { type: 'object', text: 'Foo', entries } as const;
  writer.add(
    {
      key: 5,
      summary,
      record: {
        request: {
          httpVersion: '1.1',
          address: '::1',
          port: 1,
          locale: 'de',
          headers: ['Cookie', 'a=b; c'],
          body,
          rawHead: 'GET',
        },
        response: { headers: ['Set-Cookie', 'x=y; Path=/'], bodyBytes: 3, body },
        route: {
          path: '/{a}',
          parameters: [{ name: 'a', value: picture }],
          isUntraced: false,
          trace: null,
          allow: ['GET'],
        },
        controller: { name: 'c', file: 'f', line: 0, arguments: [{ name: 'x', value: -0 }] },
        spans: { numbers: [1, 5, 9, 6, 2, 30], length: 6 },
        logs: {
          lines: [{ level: 'info', channel: 'app', message: 'm', offsetMs: 1, context: picture }],
          byLevel: [0, 1],
          omitted: 0,
          omittedAfter: 0,
        },
        exception: { message: 'x', deep: [{ list: [1, 2, null] }] },
        children: ['abc'],
        runtime: {
          rss: 1,
          heapUsed: 1,
          heapTotal: 1,
          external: 1,
          meanDelayMs: 0,
          maxDelayMs: 0,
          utilization: 0.5,
        },
        sampledMsAgo: 1,
        limits: [{ what: 'logs', kept: 1, total: 2, limit: 1 }],
      },
      sections: [
        {
          name: 's',
          form: sectionFormOf({ a: ['taken'], h: 'headers' }),
          data: { a: [picture], h: ['A\nB', '1'] },
        },
      ],
    },
    performance.now(),
  );
  return writer.seal(1);
}

describe('damaged bytes', () => {
  const segment = smallSegment();
  const readRows = (directory: Uint8Array): void => {
    const reader = new SummaryReader(directory);
    for (const { name } of columns) reader.column(name);
    reader.row(0, 1);
  };

  it('are none to begin with', () => {
    assert.equal(readRecord({ ...segment, index: 0 }).controller?.line, 0);
    readRows(segment.directory);
  });

  it('cut at any place have a code', () => {
    for (const part of ['directory', 'body'] as const)
      for (let end = 0; end < segment[part].length; end++) {
        const cut = segment[part].subarray(0, end);
        assert.equal(
          codeOf(() => readRecord({ ...segment, [part]: cut, index: 0 })),
          'PROFILER_RECORD_DAMAGED',
          `${part} ${end}`,
        );
        if (part === 'directory')
          assert.match(
            codeOf(() => readRows(cut)),
            codes,
          );
      }
  });

  it('with a bit of every second byte turned, or all of them, have a code, or are other values', () => {
    let refused = 0;
    for (const part of ['directory', 'body'] as const)
      for (let at = 0; at < segment[part].length; at += 2) {
        const changed = Uint8Array.from(segment[part]);
        changed[at] = (changed[at] ?? 0) ^ (at % 3 === 0 ? 255 : 1 << (at % 8));
        const code = codeOf(() => readRecord({ ...segment, [part]: changed, index: 0 }));
        assert.match(code, codes, `${part} ${at}`);
        if (code !== '') refused++;
        if (part === 'directory')
          assert.match(
            codeOf(() => readRows(changed)),
            codes,
            `${part} ${at}`,
          );
      }
    assert.ok(refused > 50);
  });

  it('of nothing at all, and of anything at all, have a code', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => {
        assert.match(
          codeOf(() => new SummaryReader(bytes).row(0, 0)),
          codes,
        );
        assert.match(
          codeOf(() => readRecord({ ...segment, body: bytes, index: 0 })),
          codes,
        );
      }),
    );
  });

  it('a record that is not in the segment is damage too', () => {
    for (const index of [1, 99])
      assert.equal(
        codeOf(() => readRecord({ ...segment, index })),
        'PROFILER_RECORD_DAMAGED',
      );
  });

  it('announcing rows or columns without end are refused at once', () => {
    const head = (rows: number, ofColumns: number): Uint8Array => {
      const out = new PackWriter();
      out.number(recordSchema);
      out.word('app');
      out.number(rows);
      out.number(ofColumns);
      out.end();
      return out.seal();
    };
    for (const [rows, ofColumns] of [
      [2 ** 40, 0],
      [1, 2 ** 40],
    ] as const)
      assert.equal(
        codeOf(() => new SummaryReader(head(rows, ofColumns))),
        'PROFILER_RECORD_DAMAGED',
      );
    assert.equal(
      codeOf(() => new SummaryReader(head(1, 0))),
      '',
    );
  });
});
