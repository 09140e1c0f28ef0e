import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { HttpResponse, requestLocale } from '#core/http';
import {
  createProfiler,
  labelledFields,
  parseQuery,
  type Profiler,
  type ProfileRecord,
  type ProfileSummary,
  readPage,
  readRecords,
  recordJsonSchema,
  recordSchema,
} from '#profiler';
import { recordsCommand } from '../../src/cli/records/records-command.js';
import { formatTerm } from '../../src/profiler/search/parse-query.js';
import { type ListField, summaryFields, termsOf } from '../../src/profiler/model/profile-summary.js';
import { requestFacts, responseFacts } from '../../src/profiler/model/recorded-facts.js';
import { bodyOf, createOpenPage } from './open-page.js';
import { getRecord, makeRequest } from './watch-request.js';

const trace = '4bf92f3577b34da6a3ce929d0e0e4736';

/** Follows every declared field of each table to every place where it must appear. */
describe('a declared field', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lookback-fields-'));
  const store = `sqlite:${join(folder, 'records.db')}`;
  let profiler: Profiler;
  let record: ProfileRecord;
  let row: ProfileSummary;
  before(async () => {
    profiler = createProfiler({ store });
    const request = makeRequest({
      rawHeaders: ['Host', 'a.test', 'Traceparent', `00-${trace}-00f067aa0ba902b7-01`, 'Cookie', 'session=1'],
      rawHead: 'GET /hello',
    });
    request.scope.set(requestLocale, 'de');
    const recording = profiler.begin(request);
    recording.user('ada password=hunter2');
    recording.route({ name: 'hello', path: '/hello' });
    recording.error(new TypeError('not found'));
    recording.log({ time: 0, level: 'error', channel: 'app', message: 'not found', context: undefined });
    recording.firstByte();
    const sent = { status: 500, headers: [], bodyBytes: 3, completed: true };
    profiler.finish(recording, new HttpResponse('abc'), sent);
    record = await getRecord(profiler, recording.token);
    const [first] = (await profiler.list()).rows;
    assert.ok(first);
    row = first;
  });
  after(async () => {
    await profiler.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('of the list is read back from the store as derived from the record', () => {
    const declared = summaryFields.map(([name, { of }]) => [name, of(record)]);
    const found = summaryFields.map(([name]) => [name, row[name]]);
    assert.deepEqual(found, declared);
    assert.deepEqual([row.trace, row.user, row.errorClass], [trace, 'ada password=[redacted]', 'TypeError']);
  });

  it('of the list can be searched by value, and its example can be parsed', async () => {
    const terms = (name: (typeof summaryFields)[number][0], { search }: ListField): string[] =>
      termsOf(search).flatMap(({ name: term, kind }) => {
        const value = row[name];
        if (value === null) return [];
        if (kind === 'since' || kind === 'until') return [`${term}:${kind === 'since' ? '1h' : '0s'}`];
        if (kind === 'ms') return [`${term}:<60s`];
        return [formatTerm(term, String(value))];
      });
    // npm sets the application's version for programs that it runs.
    const empty = summaryFields
      .map(([name]) => name)
      .filter((name) => row[name] === null && name !== 'version');
    assert.deepEqual(empty, ['queryLocation'], 'all other fields have values');
    for (const [name, field] of summaryFields) {
      for (const { example } of termsOf(field.search)) assert.deepEqual(parseQuery(example).problems, []);
      for (const term of terms(name, field)) {
        const { where, problems } = parseQuery(term);
        assert.deepEqual(problems, [], term);
        assert.equal((await profiler.list({ where })).rows.length, 1, term);
        const negated = parseQuery(`-${term}`).where;
        assert.equal((await profiler.list({ where: negated })).rows.length, 0, term);
      }
    }
  });

  it('with a label is a column in the list and in lookback records', async () => {
    const open = createOpenPage({ reader: profiler, access: () => ({ allowed: true }) });
    const html = bodyOf(await open('/_profiler/'));
    let [text, wide] = ['', ''];
    const list = recordsCommand({ out: (some) => (text += some), err: () => undefined });
    const terminal = recordsCommand({ out: (some) => (wide += some), err: () => undefined, columns: 200 });
    const context = { options: { store, limit: '20' }, positionals: [] } as never; // the type of its options
    for (const { run } of [list, terminal]) assert.equal(await run(context), 0);
    assert.ok(labelledFields.length > 0);
    for (const { name, label, term, kind } of labelledFields) {
      const value = String(row[name]);
      assert.match(html, new RegExp(`<th scope="col" class="us">(<a [^>]*>)?${label}`));
      const shown = html.match(/<td class="us">(?:<a [^>]*>)?([^<]*)/g) ?? [];
      assert.ok(
        shown.some((cell) => cell.endsWith(`>${value}`)),
        `${label}: ${value}`,
      );
      if (kind === 'name') assert.ok(html.includes(`?q=${term}:`));
      for (const table of [text, wide]) {
        assert.match(table.split('\n')[0] ?? '', new RegExp(` ${label}( |$)`));
        assert.ok(table.includes(value));
      }
    }
  });

  it('of a record is in its schema, survives export and import, and has a label in its panel', async () => {
    const { text } = await readPage(profiler, record.token, { format: 'md', panel: 'request' });
    const [again] = readRecords(JSON.stringify(record));
    assert.ok(typeof again === 'object');
    const schema = JSON.stringify(recordJsonSchema);
    for (const [facts, part, read] of [
      [requestFacts, record.request, again.request],
      [responseFacts, record.response, again.response],
    ] as const)
      for (const [declared, fact] of Object.entries(facts)) {
        const name = declared.replace('?', '');
        const value = Object.entries(part ?? {}).find(([key]) => key === name)?.[1];
        assert.ok(
          value !== undefined && value !== null && value !== '',
          `${name} has no value here: add one`,
        );
        assert.deepEqual(Object.entries(read ?? {}).find(([key]) => key === name)?.[1], value);
        assert.ok(schema.includes(`"${name}":`), name);
        const shown = typeof value === 'boolean' ? (value ? 'yes' : 'no') : String(value).slice(0, 3);
        if ('label' in fact) assert.match(text, new RegExp(`- ${fact.label}: \`?${shown}`));
      }
  });

  it('of a record raises the format version, so that older versions refuse such records', () => {
    const { $defs, ...own } = recordJsonSchema;
    const { summary: _summary, list: _list, ...parts } = $defs as Record<string, unknown>; // as it is made
    const digest = createHash('sha256')
      .update(JSON.stringify([own, parts]))
      .digest('hex')
      .slice(0, 16);
    assert.deepEqual(
      { recordSchema, digest },
      { recordSchema: 11, digest: '0eac86054e917fea' },
      'The form of records differs from that of this version: raise recordSchema, and write both here.',
    );
  });
});
