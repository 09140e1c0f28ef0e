import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { isCodedError } from '#coded-error';
import { recordSchema } from '../model/profile-record.js';
import type { RecordInput } from './record-form.js';
import { plainForm, sectionFormOf } from './sections.js';
import { readRecord } from './segment-reader.js';
import { SegmentWriter } from './segment-writer.js';
import { columnsWith, type SummaryInput } from './summary-columns.js';
import { SummaryReader } from './summary-reader.js';

const runtime = {
  rss: 1,
  heapUsed: 2,
  heapTotal: 3,
  external: 4,
  meanDelayMs: 0.5,
  maxDelayMs: 9,
  utilization: 0.25,
};

const record: RecordInput = {
  request: {
    httpVersion: '1.1',
    address: '10.0.0.1',
    port: 4000,
    locale: 'en',
    headers: ['Host', 'a.test', 'X-Own', '1'],
    body: {
      encoding: 'text',
      content: '{"a":1}',
      contentType: 'application/json',
      bytes: 7,
      cut: false,
      isUnread: true,
    },
    rawHead: null,
  },
  response: { headers: ['Content-Type', 'text/html'], bodyBytes: 0, body: null },
  route: {
    path: '/a/{b}',
    parameters: [{ name: 'b', value: 'c' }],
    isUntraced: true,
    trace: null,
    allow: [],
  },
  controller: { name: 'show', file: null, line: null, arguments: [] },
  spans: { numbers: [], length: 0 },
  logs: {
    lines: [{ level: 'error', channel: 'app', message: 'm', offsetMs: 1.25, context: null }],
    byLevel: [0, 0, 0, 0, 4],
    omitted: 3,
    omittedAfter: 1,
  },
  exception: null,
  children: ['abcdef'],
  runtime,
  sampledMsAgo: 12.5,
  limits: [],
};

const summary: SummaryInput = {
  sequence: 1,
  startedAt: 1_700_000_000_000.5,
  durationMs: 3.25,
  appMs: 0,
  databaseMs: 0,
  httpMs: 0,
  renderingMs: 0,
  state: 'complete',
  method: 'GET',
  origin: 'http://a.test',
  target: '/a/c?d=e',
  status: 200,
  clientAddress: '10.0.0.1',
  route: 'show',
  user: null,
  parent: null,
  visitor: null,
  trace: null,
  exception: null,
  errorClass: null,
  errorPlace: null,
  logs: 4,
  warnings: 4,
  errors: 4,
  'mail.sent': 2,
};

const mail = { form: { to: ['text'], at: 'ms' }, summary: { sent: { kind: 'count', of: () => 2 } } } as const;

const parts = {
  columns: columnsWith([['mail', mail]], { instance: 'web-1:7', version: '1.2' }),
  config: { debug: true, node: 'v20' },
  failed: (error: unknown) => assert.fail(String(error)),
};

function segmentOf(rows: number, sections: Parameters<SegmentWriter['add']>[0]['sections'] = []) {
  const writer = new SegmentWriter('app', parts);
  for (let key = 0; key < rows; key++)
    writer.add(
      { key, summary: { ...summary, sequence: key, status: 200 + key }, record, sections },
      performance.now(),
    );
  return writer.seal(1);
}

describe('a segment', () => {
  it('has each record whole, with the summary it is listed by', () => {
    const segment = segmentOf(3);
    const found = readRecord({ ...segment, index: 1 });
    assert.deepEqual([found.schema, found.sequence, found.response?.status], [recordSchema, 1, 201]);
    assert.deepEqual([found.request.url, found.request.path], ['http://a.test/a/c?d=e', '/a/c']);
    assert.deepEqual(found.request.headers, [
      ['Host', 'a.test'],
      ['X-Own', '1'],
    ]);
    assert.deepEqual([found.request.body?.isUnread, found.request.parsed?.format], [true, 'json']);
    assert.deepEqual(found.route?.parameters, [{ name: 'b', value: { type: 'string', text: 'c' } }]);
    assert.deepEqual(found.limits, [{ what: 'routing trace', kept: 0, total: 1, limit: 0 }]);
    assert.deepEqual(found.logTotals, { total: 4, byLevel: { error: 4 }, omitted: 3, omittedAfter: 1 });
    assert.deepEqual([found.logs[0]?.offsetMs, found.logs[0]?.time], [1.25, 1_700_000_000_001.75]);
    assert.deepEqual(found.config, { debug: true, node: 'v20' });
    assert.deepEqual([found.runtime.sampledMsAgo, found.runtime.eventLoop.utilization], [12.5, 0.25]);
    assert.deepEqual(new SummaryReader(segment.directory).row(2, 2).collected, { 'mail.sent': 2 });
  });

  it('says of each column what is in it', () => {
    const { facts } = segmentOf(3);
    assert.deepEqual(facts['status'], { values: [200, 201, 202] });
    assert.deepEqual(facts['route'], { values: ['show'] });
    assert.deepEqual(facts['durationMs'], { least: 3.25, greatest: 3.25 });
    assert.equal(facts['target'], undefined);
  });

  it('is read by the forms that are stored in it, not by those that are declared now', () => {
    const form = sectionFormOf(mail.form);
    const data = { to: ['ada', 'bob'], at: 1.5 };
    const { sections } = readRecord({ ...segmentOf(1, [{ name: 'mail', form, data }]), index: 0 });
    assert.deepEqual({ ...sections }, { mail: data });
  });

  it('loses a section whose data is not of its form, and nothing else', () => {
    const broken: unknown[] = [];
    const writer = new SegmentWriter('app', { ...parts, failed: (error) => broken.push(error) });
    const hostile = {
      get to(): never {
        throw new Error('run');
      },
    };
    const sections = [
      { name: 'mail', form: sectionFormOf(mail.form), data: hostile },
      { name: 'fine', form: plainForm, data: [1] },
    ];
    writer.add({ key: 1, summary, record, sections }, performance.now());
    const read = readRecord({ ...writer.seal(1), index: 0 });
    assert.deepEqual([{ ...read.sections }, broken.length], [{ fine: [1] }, 1]);
  });

  it('of a newer version is refused with a code', () => {
    const segment = segmentOf(1);
    const directory = Uint8Array.from(segment.directory);
    const place = directory.lastIndexOf(recordSchema); // found below: the first byte that makes it newer
    const codes = new Set<string>();
    for (let at = 0; at <= place; at++) {
      const changed = Uint8Array.from(directory);
      if (changed[at] !== recordSchema) continue;
      changed[at] = 100;
      codes.add(codeOf(() => readRecord({ ...segment, directory: changed, index: 0 })));
    }
    assert.ok(codes.has('PROFILER_RECORD_NEWER'), [...codes].join(' '));
  });

  it('that is damaged gives a coded error or other values, never anything else', () => {
    const form = sectionFormOf({ list: [{ a: 'value', b: 'taken', c: ['?', 'offset'] }] });
    const segment = segmentOf(2, [{ name: 's', form, data: { list: [{ a: { x: [1] }, b: 'b', c: -1 }] } }]);
    const damage = fc.record({
      part: fc.constantFrom('directory' as const, 'body' as const),
      at: fc.nat(),
      bit: fc.nat(7),
      cut: fc.boolean(),
    });
    fc.assert(
      fc.property(damage, ({ part, at, bit, cut }) => {
        const place = at % segment[part].length;
        const damaged = Uint8Array.from(cut ? segment[part].slice(0, place) : segment[part]);
        if (!cut) damaged[place] = (damaged[place] ?? 0) ^ (1 << bit);
        const code = codeOf(() => readRecord({ ...segment, [part]: damaged, index: 1 }));
        assert.match(code, /^(?:|PROFILER_RECORD_(?:DAMAGED|NEWER))$/);
      }),
      { numRuns: 1000 },
    );
  });

  it('of form 3 is read as it was when it was written', () => {
    const { keys, directory, body, rows, records } = JSON.parse(
      readFileSync('test/fixtures/segment-3.json', 'utf8'),
    ) as { keys: number[]; directory: string; body: string; rows: unknown[]; records: unknown[] }; // as it was written
    const bytes = { directory: Buffer.from(directory, 'base64'), body: Buffer.from(body, 'base64') };
    for (const [index, key] of keys.entries()) {
      const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
      assert.deepEqual(plain(readRecord({ keys, ...bytes, index })), records[index]);
      assert.deepEqual(plain(new SummaryReader(bytes.directory).row(index, key)), rows[index]);
    }
  });
});

/** The code of what is thrown; empty where nothing is. */
function codeOf(work: () => unknown): string {
  try {
    work();
    return '';
  } catch (error) {
    return isCodedError(error) ? error.code : String(error);
  }
}
