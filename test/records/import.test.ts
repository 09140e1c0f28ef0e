import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import {
  createProfilerPages,
  importRecords,
  openArchive,
  openStore,
  type ProfileQuery,
  type ProfileRecord,
  type RecordStore,
  readRecords,
} from '#profiler';
import { HttpRequest, requestRoute } from '#http';
import { findPostgres, type StorePostgres } from '../profiler/store-servers.js';
import { sampleRecords } from '../profiler/sample-records.js';
import { type RecordedApp, startRecordedApp } from './recorded-app.js';

const cli = resolve('dist/bundle/cli.js');
const folder = mkdtempSync(join(tmpdir(), 'lookback-import-'));
let postgres: StorePostgres;
let recorded: RecordedApp;
let failed = '';
let exported: readonly ProfileRecord[] = [];
let stores = 0;

before(async () => {
  postgres = await findPostgres();
  recorded = startRecordedApp();
  const { client, app } = recorded;
  await client.get('/shelves/blue?password=hunter2');
  failed = (await client.get('/fails')).headers.get('x-debug-token') ?? '';
  await client.get('/nowhere');
  await app.profiler?.flush();
  exported = recordsOf((await run('export', '--store', recorded.store)).out);
});
after(async () => {
  await Promise.all([postgres.stop(), recorded.close()]);
  rmSync(folder, { recursive: true, force: true });
});

function run(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  return new Promise((done) => {
    const options = { env: { PATH: process.env['PATH'] }, maxBuffer: 2 ** 26 };
    execFile(process.execPath, [cli, ...args], options, (error, out, err) =>
      done({ code: error === null ? 0 : Number(error.code), out, err }),
    );
  });
}

function recordsOf(text: string): readonly ProfileRecord[] {
  const read = readRecords(text);
  assert.ok(typeof read === 'object', typeof read === 'string' ? read : '');
  return read.records;
}

/** What of a record an import changes, taken away. */
function asItWas({ token: _token, config, ...record }: ProfileRecord): object {
  const { importedFrom: _from, importedToken: _old, ...rest } = config;
  return JSON.parse(JSON.stringify({ ...record, config: rest })) as object; // sections have no prototype
}

const kinds: Readonly<Record<string, () => string>> = {
  'a SQLite file': () => `sqlite:${join(folder, `${stores++}.db`)}`,
  PostgreSQL: () => `${postgres.address}?schema=i${stores++}`,
};

async function withStore<Result>(
  address: string,
  use: (store: RecordStore) => Promise<Result>,
): Promise<Result> {
  const store = openStore(address);
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

describe('lookback import', () => {
  it('brings exported records into a store: the same, found like the others, and once', async () => {
    const store = kinds['a SQLite file']?.() ?? '';
    const file = join(folder, 'records.jsonl');
    writeFileSync(file, (await run('export', '--store', recorded.store)).out);
    const first = await run('import', file, '--json', '--store', store);
    assert.equal(first.code, 0, first.err);
    assert.match(first.err, /3 records were imported into/);
    const lines = first.out.trim().split('\n');
    const told = lines.map((line) => JSON.parse(line) as { token: string; importedToken: string }); // as it is written
    const token = told.find(({ importedToken }) => importedToken === failed)?.token ?? '';
    const shown = await run('show', token, '--json', '--store', store);
    const imported = JSON.parse(shown.out) as ProfileRecord; // as it is written
    const record = exported.find((one) => one.token === failed);
    assert.ok(record !== undefined);
    assert.deepEqual(asItWas(imported), asItWas(record));
    assert.deepEqual(
      [imported.token, imported.config['importedFrom'], imported.config['importedToken']],
      [token, file, failed],
    );
    const panels = ['--panel', 'exception,logs,db,events', '--store'];
    const [here, there] = [
      await run('show', token, ...panels, store),
      await run('show', failed, ...panels, recorded.store),
    ];
    const own = here.out.replace(/^- info: Imported from .*\n/m, '').replaceAll(token, failed);
    assert.equal(own, there.out);
    assert.match(here.out, /^- info: Imported from .*records\.jsonl, where it was/m);

    const again = await run('import', file, '--store', store);
    assert.match(again.err, /0 records were imported[\s\S]*3 were already in the store/);
    // On to another store, and the token stays.
    const onward = join(folder, 'onward.jsonl');
    writeFileSync(onward, (await run('export', '--store', store)).out);
    const back = await run('import', onward, '--json', '--store', kinds['a SQLite file']?.() ?? '');
    assert.deepEqual(new Set(back.out.match(/(?<="token":")\w+/g)), new Set(told.map((one) => one.token)));
  });

  for (const [name, address] of Object.entries(kinds))
    it(`writes records into ${name}, in two calls, each with the process that made it`, () =>
      withStore(address(), async (store) => {
        const [one, ...others] = exported;
        assert.ok(one !== undefined);
        const elsewhere = { ...one, token: 'abcdef', config: { ...one.config, instance: 'other:1' } };
        const imported = [
          ...(await importRecords(store, [one, elsewhere], 'first')),
          ...(await importRecords(store, [...others, one], 'second')),
        ];
        assert.deepEqual(imported.map(({ wasThere }) => wasThere).toSorted(), [
          false,
          false,
          false,
          false,
          true,
        ]);
        const archive = await openArchive(store, 'test');
        for (const { token, record } of imported) {
          const found = await archive.find(token);
          assert.ok(found.kind === 'found', found.kind);
          assert.deepEqual(asItWas(found.record), asItWas(record));
        }
        const byLabel: ProfileQuery = {
          where: [{ columns: ['imported.imported'], test: { kind: 'numbers', ranges: [[1, null]] } }],
        };
        const { rows } = await archive.list(byLabel);
        assert.deepEqual(rows.map(({ instance }) => instance === 'other:1').toSorted(), [
          false,
          false,
          false,
          true,
        ]);
        assert.equal(rows.find(({ errorClass }) => errorClass === 'TypeError')?.status, 500);
      }));

  it('does not write what the store has of its own', async () => {
    const file = join(folder, 'own.jsonl');
    writeFileSync(file, (await run('export', '--store', recorded.store)).out);
    const { err } = await run('import', file, '--store', recorded.store);
    assert.match(err, /0 records were imported[\s\S]*3 were already in the store/);
    assert.equal((await run('records', 'has:imported', '--store', recorded.store)).code, 1);
  });

  it('gives records back as they were, whatever is in them, and their links lead on', async () => {
    const base = await sampleRecords(Date.now());
    const anyText = fc.string({ unit: 'binary', maxLength: 30 });
    const anyData = fc.jsonValue({ maxDepth: 3 });
    const change = fc.record({
      startedAt: fc.integer({ min: 0, max: 4e12 }),
      url: anyText,
      header: anyText,
      message: anyText,
      instance: fc.constantFrom('a:1', 'b:2', ''),
      section: anyData,
      bucket: fc.constantFrom('app' as const, 'profiler' as const),
    });
    await withStore(kinds['a SQLite file']?.() ?? '', (store) =>
      fc.assert(
        fc.asyncProperty(fc.array(change, { minLength: 2, maxLength: 6 }), async (changes) => {
          const tokens = changes.map(() => Math.random().toString(16).slice(2, 14).padEnd(12, '0'));
          const given = changes.map(({ startedAt, url, header, message, instance, section, bucket }, at) => {
            const record = base[at] as ProfileRecord; // more samples than changes
            const text = JSON.stringify({
              ...record,
              token: tokens[at],
              ...(at === 0 ? {} : { parent: tokens[0] }),
              ...(at === 0 ? { children: tokens.slice(1) } : {}),
              bucket,
              startedAt,
              request: { ...record.request, url, headers: [['X-Any', header]] },
              logs: record.logs.map((line) => ({ ...line, message })),
              config: { ...record.config, instance },
              sections: { ...record.sections, section },
            });
            return JSON.parse(text) as ProfileRecord; // of a record
          });
          const read = recordsOf(given.map((record) => JSON.stringify(record)).join('\n'));
          const imported = await importRecords(store, read, 'a file');
          const archive = await openArchive(store, 'test');
          const renamed = new Map(imported.map(({ token, record }) => [record.token, token]));
          for (const { token, record } of imported) {
            const found = await archive.find(token);
            assert.ok(found.kind === 'found', found.kind);
            const { parent, children, ...rest } = found.record;
            const { parent: _parent, children: _children, ...was } = record;
            assert.deepEqual(asItWas(rest), asItWas(was));
            assert.equal(parent, record.parent === undefined ? undefined : renamed.get(record.parent));
            assert.deepEqual(
              children,
              record.children?.map((child) => renamed.get(child)),
            );
          }
        }),
        { numRuns: 25 },
      ),
    );
  });

  it('shows pages, or says what is wrong, of records that someone changed', async () => {
    const base = await sampleRecords(Date.now());
    const places = pathsOf(JSON.parse(JSON.stringify(base[1])));
    const anything = fc.oneof(fc.jsonValue({ maxDepth: 1 }), fc.constantFrom(null, '', -1, [], {}));
    let [shown, refused] = [0, 0];
    await fc.assert(
      fc.asyncProperty(fc.nat(places.length - 1), anything, async (at, value) => {
        const copy = JSON.parse(JSON.stringify(base[1])) as object; // of a record
        replaceAt(copy, places[at] ?? [], value);
        const read = readRecords(JSON.stringify(copy));
        if (typeof read === 'string') {
          refused++;
          return assert.match(read, /^it is no record: |newer version/);
        }
        const reader = await openArchive(read.records, 'test');
        for (const page of ['_profiler', '_profiler_data', '_profiler_home']) {
          const request = new HttpRequest({
            method: 'GET',
            target: '/_profiler/',
            rawHeaders: ['Host', 'localhost'],
            httpVersion: '1.1',
            peer: { address: '127.0.0.1', port: 0, encrypted: false },
          });
          const token = read.records[0]?.token ?? '';
          request.scope.set(requestRoute, { name: page, path: '', parameters: { token, _format: 'md' } });
          const route = createProfilerPages({ reader }).find(({ name }) => name === page);
          assert.equal((await route?.controller(request))?.status, 200);
        }
        shown++;
        return undefined;
      }),
      { numRuns: 300 },
    );
    assert.ok(shown > 30 && refused > 30, `${shown} shown, ${refused} refused`);
  });

  it('keeps whose request it was', async () => {
    const visited = startRecordedApp();
    try {
      const { app, client } = visited;
      await client.get('/shelves/green', { headers: { cookie: 'sid=abcdef' } });
      await app.profiler?.flush();
      const file = join(folder, 'visitor.jsonl');
      writeFileSync(file, (await run('export', '--store', visited.store)).out);
      const store = kinds['a SQLite file']?.() ?? '';
      await run('import', file, '--store', store);
      const found = await run('records', 'visitor:*', '--json', '--store', store);
      assert.match(found.out, /\/shelves\/green/);
    } finally {
      await visited.close();
    }
  });

  it('takes a record of an older version', async () => {
    const [old] = recordsOf(readFileSync('test/fixtures/record-2.json', 'utf8'));
    assert.ok(old !== undefined);
    const store = kinds['a SQLite file']?.() ?? '';
    const { err, out } = await run('import', 'test/fixtures/record-2.json', '--store', store);
    assert.match(err, /1 records were imported/);
    const shown = await run('show', out.slice(0, 12), '--json', '--store', store);
    const record = JSON.parse(shown.out) as ProfileRecord; // as it is written
    assert.deepEqual(asItWas(record), asItWas(old));
    assert.equal(record.schema, 2);
  });

  it('names the line and the field that are wrong, and writes nothing', async () => {
    const [line = ''] = exported.map((record) => JSON.stringify(record));
    const cases: readonly (readonly [text: string, problem: RegExp])[] = [
      ['', /it is empty/],
      ['no JSON at all', /line 1, column 2|is no JSON|where JSON ends/],
      [`${line}\n${line.slice(0, 500)}\n`, /line 2 is no JSON: line 1, column 501/],
      [`${line}\n\n{"a":1}\n`, /line 3 is no record: it must have the field "schema"/],
      [
        `${line}\n${line.replace('"durationMs":', '"durationMs":"long","x":')}`,
        /line 2 is no record: durationMs must be of type number/,
      ],
      [
        line.replace('"method":', '"method":null,"x":'),
        /it is no record: request\.method must be of type string/,
      ],
      [line.replace(/"schema":\d+/, '"schema":99'), /it was written by a newer version \(form 99/],
      [
        '{"log":{"entries":[{"time":1}]}}',
        /it is no HTTP archive: log\.entries\[0\] must have the field "startedDateTime"/,
      ],
      ['[]', /it is no record: it must be of type object/],
      [
        line.replace('"sections":{', `"sections":{"deep":${'['.repeat(50_000)}${']'.repeat(50_000)},`),
        /it is no record: it is nested deeper than 500 levels/,
      ],
      [
        JSON.stringify(exported[0], null, 2).replace('"request": {', '"request": {,'),
        /line \d+, column \d+ is where JSON ends/,
      ],
    ];
    const store = kinds['a SQLite file']?.() ?? '';
    for (const [text, problem] of cases) {
      const file = join(folder, 'wrong.jsonl');
      writeFileSync(file, text);
      const { code, err } = await run('import', file, '--store', store);
      assert.equal(code, 2, err);
      assert.match(err, /^CLI_BAD_RECORD_FILE: .*wrong\.jsonl is not a file of records: /);
      assert.match(err, problem);
    }
    assert.equal((await run('import', join(folder, 'gone.jsonl'))).code, 2);
    assert.equal((await run('import')).code, 2);
    assert.match((await run('records', '--store', store)).err, /PROFILER_STORE_ABSENT/);
  });

  it('takes the archive of a browser, without its secrets', async () => {
    const file = join(folder, 'browser.har');
    writeFileSync(file, JSON.stringify(browserArchive));
    const store = kinds['a SQLite file']?.() ?? '';
    const { code, err, out } = await run('import', file, '--store', store);
    assert.equal(code, 0, err);
    assert.match(err, /2 records were imported[\s\S]*1 entries were skipped/);
    assert.match(out, /^[0-9a-f]{12} {2}POST \/login$/m);
    for (const place of [store, file]) {
      const all = (await run('export', '--store', place)).out;
      assert.doesNotMatch(all, /hunter2|s3cr3t/);
      const [login] = recordsOf(all).filter(({ request }) => request.method === 'POST');
      assert.equal(login?.request.httpVersion, '2');
      assert.equal(login?.response?.status, 303);
      assert.deepEqual(
        login?.timeline.map(({ name, startMs, durationMs }) => [name, startMs, durationMs]),
        [
          ['send', 0, 1],
          ['wait', 1, 40],
          ['receive', 41, 2],
        ],
      );
      assert.match((await run('records', 'status:303', '--store', place)).out, /POST +\/login/);
    }
    const image = recordsOf((await run('export', 'path:/logo.png', '--store', file)).out)[0];
    assert.deepEqual([image?.response?.body?.encoding, image?.response?.body?.content], ['text', '']);
  });

  it('takes the archive that was exported, with the tokens of its records', async () => {
    const file = join(folder, 'own.har');
    writeFileSync(file, (await run('export', '--har', '--store', recorded.store)).out);
    const { out } = await run('records', '--json', '--store', file);
    const rows = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { token: string; url: string; status: number }); // as it is written
    assert.deepEqual(
      rows.map(({ token, url, status }) => [token, url, status]),
      exported.map(({ token, request, response }) => [token, request.url, response?.status]),
    );
    assert.ok(readFileSync(file, 'utf8').includes('"version":"1.2"'));
  });
});

const cookie = { name: 'Cookie', value: 'session=s3cr3t' };
const browserArchive = {
  log: {
    version: '1.2',
    creator: { name: 'WebInspector', version: '537.36' },
    entries: [
      {
        startedDateTime: '2026-01-02T03:04:05.678Z',
        time: 43,
        request: {
          method: 'POST',
          url: 'https://shop.example/login?access_token=s3cr3t',
          httpVersion: 'http/2.0',
          headers: [cookie, { name: 'Authorization', value: 'Bearer s3cr3t' }],
          bodySize: 30,
          postData: {
            mimeType: 'application/x-www-form-urlencoded',
            text: 'user=ada&password=hunter2',
          },
        },
        response: {
          status: 303,
          headers: [{ name: 'Set-Cookie', value: 'session=s3cr3t; HttpOnly' }],
          content: { size: 0, mimeType: 'text/html' },
        },
        timings: { blocked: -1, dns: -1, connect: -1, send: 1, wait: 40, receive: 2, ssl: -1 },
      },
      {
        startedDateTime: '2026-01-02T03:04:06.000Z',
        time: 3,
        request: { method: 'GET', url: 'https://shop.example/logo.png', httpVersion: 'h3', headers: [] },
        response: {
          status: 200,
          headers: [],
          content: { size: 8, mimeType: 'image/png', text: 'iVBORw0KGgo=', encoding: 'base64' },
        },
      },
      {
        startedDateTime: '2026-01-02T03:04:06.000Z',
        time: 0,
        request: { method: 'GET', url: 'data:image/png;base64,AAAA', headers: [] },
        response: { status: 200, headers: [], content: {} },
      },
    ],
  },
};

/** The path of each member of plain data. */
function pathsOf(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([key, member]) => pathsOf(member, [...path, key]))].slice(
    path.length === 0 ? 1 : 0,
  );
}

function replaceAt(value: object, path: readonly string[], by: unknown): void {
  const [key = '', ...rest] = path;
  const member: unknown = Reflect.get(value, key);
  if (rest.length === 0) Reflect.set(value, key, by);
  else if (typeof member === 'object' && member !== null) replaceAt(member, rest, by);
}
