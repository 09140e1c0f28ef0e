import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { isCodedError } from '#coded-error';
import { logLevels } from '#log';
import type { RecordedBody } from '../model/recorded-message.js';
import { recordSchema } from '../model/profile-record.js';
import { PackWriter } from '../pack/pack-writer.js';
import { readLogs } from './read-logs.js';
import { findValue, readCookies, readParsed, readSetCookies, readTargetQuery } from './read-message.js';
import { readRecord } from './segment-reader.js';
import { SegmentWriter } from './segment-writer.js';
import { sectionFormOf } from './sections.js';
import { baseColumns, collectedFields, columnsWith, type GivenSummary } from './summary-columns.js';
import { SummaryReader } from './summary-reader.js';
import { SummaryWriter } from './summary-writer.js';

/** Halves of surrogate pairs among them; made faster than the library's own unit. */
const anyCharacter = fc.integer({ min: 0, max: 0x10ffff }).map((code) => String.fromCodePoint(code));

const anyText = fc.string({ unit: anyCharacter, maxLength: 12 });
const word = fc.option(fc.oneof(fc.constantFrom('a', 'b', 'home', ''), anyText));
const text = fc.option(anyText);
const count = fc.nat(100_000);
const ms = fc.nat(10 ** 8).map((ticks) => ticks / 10_000);
const row: fc.Arbitrary<GivenSummary> = fc.record({
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

const sealed = (rows: readonly GivenSummary[]): ReturnType<SummaryWriter['seal']> => {
  const writer = new SummaryWriter(columns);
  for (const one of rows) writer.add(one);
  return writer.seal('profiler');
};

describe('the rows of a segment', () => {
  it('come back column by column, in any order of asking', () => {
    fc.assert(
      fc.property(fc.array(row, { maxLength: 12 }), (rows) => {
        const reader = new SummaryReader(sealed(rows).directory);
        assert.deepEqual(
          [reader.schema, reader.bucket, reader.count],
          [recordSchema, 'profiler', rows.length],
        );
        for (const { name } of columns.toReversed()) {
          const expected = rows.map((one) => ({ instance: 'web-1:7', version: '2' })[name] ?? one[name]);
          assert.deepEqual(reader.column(name), expected, name);
        }
      }),
      { numRuns: 15 },
    );
  });

  it('come back as summaries', () => {
    fc.assert(
      fc.property(row, (given) => {
        const { breakdown, ...read } = new SummaryReader(sealed([given]).directory).row(0, 17);
        assert.deepEqual(
          [read.key, read.bucket, read.instance, read.version],
          [17, 'profiler', 'web-1:7', '2'],
        );
        for (const name of [
          'sequence',
          'startedAt',
          'durationMs',
          'state',
          'method',
          'status',
          'route',
        ] as const)
          assert.equal(read[name], given[name], name);
        for (const name of [
          'user',
          'parent',
          'trace',
          'visitor',
          'exception',
          'errorClass',
          'errorPlace',
        ] as const)
          assert.equal(read[name], given[name], name);
        assert.deepEqual(read.collected, {
          'db.queries': given['db.queries'],
          'db.timeMs': given['db.timeMs'],
        });
        assert.deepEqual(
          [breakdown.app, breakdown.database, breakdown.http, breakdown.rendering],
          [given.appMs, given.databaseMs, given.httpMs, given.renderingMs],
        );
        assert.ok(breakdown.framework >= 0);
      }),
      { numRuns: 15 },
    );
  });

  it('facts are true of every value, and say nothing of columns they do not know', () => {
    fc.assert(
      fc.property(fc.array(row, { minLength: 1, maxLength: 12 }), (rows) => {
        const { facts } = sealed(rows);
        for (const { name, kind } of columns) {
          const fact = facts[name];
          if (kind === 'text' || kind === 'time' || kind === 'step') assert.equal(fact, undefined, name);
          if (fact === undefined) continue;
          for (const one of rows) {
            const value = { instance: 'web-1:7', version: '2' }[name] ?? one[name] ?? null;
            if ('values' in fact) assert.ok(fact.values.includes(value), name);
            else assert.ok(Number(value) >= fact.least && Number(value) <= fact.greatest, name);
          }
        }
      }),
      { numRuns: 15 },
    );
  });

  it('facts of more than a hundred values are bounds for numbers, and nothing for words', () => {
    fc.assert(
      fc.property(row, (given) => {
        const of = (many: number) =>
          sealed(Array.from({ length: many }, (_, at) => ({ ...given, status: at, route: `r${at}` }))).facts;
        assert.equal((of(100)['route'] as { values: unknown[] }).values.length, 100); // words have values
        assert.equal(of(101)['route'], undefined);
        assert.deepEqual(of(101)['status'], { least: 0, greatest: 100 });
      }),
      { numRuns: 1 },
    );
  });

  it('of no request are none', () => {
    const reader = new SummaryReader(sealed([]).directory);
    assert.deepEqual([reader.count, reader.column('status'), reader.column('instance')], [0, [], []]);
    assert.deepEqual(reader.column('no such column'), []);
    assert.deepEqual(reader.collectedNames, ['db.queries', 'db.timeMs']);
  });

  it('have an absolute URL and a path without what is behind it', () => {
    const read = (origin: string, target: string): readonly unknown[] => {
      const [given] = fc.sample(row, 1);
      assert.ok(given !== undefined);
      const reader = new SummaryReader(sealed([{ ...given, origin, target }]).directory);
      const { url, path } = reader.row(0, 1);
      assert.deepEqual([reader.column('url'), reader.column('path')], [[url], [path]]);
      return [url, path];
    };
    assert.deepEqual(read('http://a.test', '/a/b?c=d#e'), ['http://a.test/a/b?c=d#e', '/a/b']);
    assert.deepEqual(read('http://a.test', '/a#e?c'), ['http://a.test/a#e?c', '/a']);
    assert.deepEqual(read('http://a.test', ''), ['http://a.test', '']);
    assert.deepEqual(read('http://a.test', '*'), ['*', '*']);
    assert.deepEqual(read('http://a.test', 'http://b.test/x?y'), ['http://b.test/x?y', '/x']);
    assert.deepEqual(read('http://a.test', 'http://b.test?y'), ['http://b.test?y', '/']);
    assert.deepEqual(read('http://a.test', '/go?to=http://b.test/'), [
      'http://a.test/go?to=http://b.test/',
      '/go',
    ]);
  });

  it('numbers of collectors are columns under the names of their sections', () => {
    assert.deepEqual(
      collectedFields([
        ['db', db],
        ['plain', {}],
      ]),
      [
        { column: 'db.queries', kind: 'count' },
        { column: 'db.timeMs', kind: 'ms', finding: 'slow' },
      ],
    );
    assert.deepEqual(
      columns.slice(baseColumns.length).map(({ name }) => name),
      ['db.queries', 'db.timeMs'],
    );
  });
});

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

describe('what is read of a message', () => {
  const fields = [
    ['Cookie', 'a=1; b="x=y"; ; flag'],
    ['cookie', 'c=3'],
    ['SET-COOKIE', 'sid=1; Path=/; HttpOnly; Max-Age=10'],
    ['set-cookie', ''],
    ['X-A', 'first'],
    ['x-a', 'second'],
  ] as const;

  it('the first of several fields, whatever their case', () => {
    assert.equal(findValue(fields, 'x-a'), 'first');
    assert.equal(findValue(fields, 'x-b'), undefined);
  });

  it('cookies of all fields, with what stands behind the first equals sign', () => {
    assert.deepEqual(readCookies(fields), [
      ['a', '1'],
      ['b', '"x=y"'],
      ['flag', ''],
      ['c', '3'],
    ]);
  });

  it('cookies that are set, with their attributes', () => {
    assert.deepEqual(readSetCookies(fields), [
      {
        name: 'sid',
        value: '1',
        attributes: [
          ['Path', '/'],
          ['HttpOnly', ''],
          ['Max-Age', '10'],
        ],
      },
      { name: '', value: '', attributes: [] },
    ]);
  });

  it('the query of a target, decoded, without the fragment', () => {
    assert.deepEqual(readTargetQuery('/a?b=%C3%A9&c=+&c=2&d#?e=f'), [
      ['b', 'é'],
      ['c', ' '],
      ['c', '2'],
      ['d', ''],
    ]);
    for (const target of ['/a', '/a#?b=c', '/a?', '']) {
      const query = readTargetQuery(target);
      assert.deepEqual(query, target === '/a#?b=c' ? [['b', 'c']] : [], target);
    }
    fc.assert(fc.property(anyText, (target) => Array.isArray(readTargetQuery(`/?${target}`))));
  });

  const body = (content: string, contentType: string, more: Partial<RecordedBody> = {}): RecordedBody => ({
    encoding: 'text',
    content,
    contentType,
    bytes: content.length,
    cut: false,
    ...more,
  });

  it('a body as what its type says, where all of it is there', () => {
    assert.equal(readParsed(body('{"a":1}', 'application/json; charset=utf-8'))?.format, 'json');
    assert.equal(readParsed(body('[]', 'application/problem+JSON'))?.format, 'json');
    const form = readParsed(body('a=1&a=2&b=&__proto__=x', 'application/x-www-form-urlencoded'));
    assert.equal(form?.format, 'form');
    assert.deepEqual(
      form?.value.entries?.map(({ key, value }) => [key, value.type]),
      [
        ['a', 'array'],
        ['b', 'string'],
        ['__proto__', 'string'],
      ],
    );
    for (const none of [
      null,
      body('{"a":', 'application/json'),
      body('{}', 'application/json', { cut: true }),
      body('e30=', 'application/json', { encoding: 'base64' }),
      body('{}', 'text/plain'),
      body('{}', 'application/jsonp'),
      body('{}', ''),
    ])
      assert.equal(readParsed(none), null, JSON.stringify(none));
  });

  it('a body of three equal fields and more as one list', () => {
    const form = readParsed(body('a=1&a=2&a=3', 'application/x-www-form-urlencoded'));
    assert.deepEqual(
      form?.value.entries?.[0]?.value.entries?.map(({ value }) => value.text),
      ['1', '2', '3'],
    );
  });
});

describe('what is read of the log', () => {
  it('lines with their times, and only the levels there were', () => {
    const line = { level: 'error', channel: 'app', message: 'm', offsetMs: 2.5, context: null };
    const { logs, logTotals } = readLogs(
      {
        lines: [line],
        byLevel: logLevels.map((level) => (level === 'error' ? 3 : 0)),
        omitted: 2,
        omittedAfter: 1,
      },
      1000,
    );
    assert.deepEqual(logs, [{ time: 1002.5, offsetMs: 2.5, level: 'error', channel: 'app', message: 'm' }]);
    assert.deepEqual(logTotals, { total: 3, byLevel: { error: 3 }, omitted: 2, omittedAfter: 1 });
    const none = readLogs({ lines: [], byLevel: [], omitted: 0, omittedAfter: 0 }, 0);
    assert.deepEqual(none.logTotals, { total: 0, byLevel: {}, omitted: 0, omittedAfter: 0 });
  });
});
