import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { createSourceLoader } from '#core/errors';
import type { DbSection } from '../../sections/database/queries.js';
import type { ProfileRecord } from '../../model/profile-record.js';
import { withOriginalLocations } from './original-locations.js';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'lookback-places-')));
const sources = createSourceLoader({ root });
after(() => rmSync(root, { recursive: true }));

/** A compiled file whose line 1 was line 3 of `list.ts`, written at a given time. */
function compiled(name: string, writtenAt: number): string {
  const map = { version: 3, sources: ['../src/list.ts'], names: [], mappings: 'AAEA' };
  const url = `data:application/json;base64,${Buffer.from(JSON.stringify(map)).toString('base64')}`;
  const path = join(root, 'dist', name);
  mkdirSync(join(root, 'dist'), { recursive: true });
  writeFileSync(path, `ask();\n//# sourceMappingURL=${url}\n`);
  utimesSync(path, writtenAt / 1000, writtenAt / 1000);
  return path;
}

const startedAt = Date.now();

function locationTextOf(file: string): { readonly file: string; readonly line: number } | undefined {
  const site = { name: 'list', file, line: 1, column: 1 };
  const group = { kind: 'n+1', sql: '', count: 2, durationMs: 1, callSite: site, queries: [0] } as const;
  const query = { sql: '', params: [], startedAt, durationMs: 1, rows: 1, connection: '', error: null };
  const db = { totals: {}, groups: [group], queries: [{ ...query, callSite: [site] }], changes: [] };
  const given: unknown = { startedAt, sections: { db } };
  const record = withOriginalLocations(given as ProfileRecord, sources); // only these fields are read
  const shown = record.sections['db'] as DbSection; // as given
  assert.deepEqual(shown.groups[0]?.callSite, shown.queries[0]?.callSite[0]);
  assert.deepEqual(db.groups[0]?.callSite, site, 'the stored record is unchanged');
  return shown.groups[0]?.callSite ?? undefined;
}

describe('query call sites', () => {
  it('are shown in the original source, not in the compiled file', () => {
    const path = compiled('list.js', startedAt - 60_000);
    for (const file of [path, pathToFileURL(path).href]) {
      const { file: shown, line } = locationTextOf(file) ?? {};
      assert.deepEqual([shown, line], [join(root, 'src/list.ts'), 3]);
    }
  });

  it('stay unchanged if the file was recompiled since, has no map, or may not be read', () => {
    const newer = compiled('newer.js', startedAt + 60_000);
    const plain = join(root, 'plain.js');
    writeFileSync(plain, 'ask();\n');
    for (const file of [newer, plain, join(root, 'gone.js'), '/etc/passwd', '', 'file://%zz', 'eval at x']) {
      assert.deepEqual([locationTextOf(file)?.file, locationTextOf(file)?.line], [file, 1]);
    }
  });

  it("are shown for any collector's sections, and other data stays unchanged", () => {
    const path = compiled('other.js', startedAt - 60_000);
    const sections = {
      mail: { sent: [{ from: { file: path, line: 1, column: 1 } }], to: null },
      n: 1,
      list: [2],
    };
    const record: unknown = { startedAt, sections };
    const shown = withOriginalLocations(record as ProfileRecord, sources).sections; // only these fields are read
    assert.deepEqual(JSON.parse(JSON.stringify(shown)), {
      mail: { sent: [{ from: { file: join(root, 'src/list.ts'), line: 3, column: 1 } }], to: null },
      n: 1,
      list: [2],
    });
  });
});

describe('package frames in a report', () => {
  it('are mapped when shown, unless they have an excerpt; application frames were mapped before', () => {
    const path = compiled('package.js', startedAt - 60_000);
    const frame = {
      index: 1,
      function: 'list',
      file: 'dist/package.js',
      path,
      line: 1,
      column: 1,
      kind: 'library',
    };
    const frames = [frame, { ...frame, excerpt: { lines: [] } }, { ...frame, kind: 'app' }];
    const exception = {
      status: 500,
      errors: [{ message: 'x', frames, errors: { errors: [{ frames: [frame] }] } }],
    };
    const given: unknown = { startedAt, sections: {}, events: [], exception };
    const record = withOriginalLocations(given as ProfileRecord, sources); // only these fields are read
    const seen = JSON.stringify(record.exception);
    assert.equal(seen.split(JSON.stringify(join(root, 'src/list.ts'))).length - 1, 4, seen);
    assert.deepEqual(
      record.exception?.errors[0]?.frames.map(({ line }) => line),
      [3, 1, 1],
    );
  });
});
