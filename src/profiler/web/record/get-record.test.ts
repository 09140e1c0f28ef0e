import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createEditorLinker } from '#core/errors';
import type { RecordLookup } from '../../model/record-lookup.js';
import type { ProfilerSite } from '../site/profiler-site.js';
import { type Miss, Missing, getRecord } from './get-record.js';

function siteOf(lookup: RecordLookup | { readonly kind: 'found'; readonly record: object }): ProfilerSite {
  const sources = { load: () => '', findOriginal: () => undefined };
  const reader = { find: () => Promise.resolve(lookup) };
  const site = { reader, sources, editor: createEditorLinker(undefined) };
  return site as unknown as ProfilerSite; // a lookup's result
}

async function missOf(lookup: RecordLookup, token = 'abcdef'): Promise<Miss> {
  const thrown: unknown = await getRecord(siteOf(lookup), token).catch((error: unknown) => error);
  return Missing.of(thrown) ?? assert.fail('no record was found');
}

describe('a missing record', () => {
  it('P7: says why, with a text for each reason', async () => {
    const kinds = new Map<string, string>();
    for (const [lookup, kind, words] of [
      [{ kind: 'never' }, 'never-seen', /This store has no record with this token/],
      [{ kind: 'malformed' }, 'malformed', /6 to 32 characters/],
      [{ kind: 'unreadable', message: 'It is damaged.' }, 'unreadable', /^It is damaged\.$/],
      [{ kind: 'pruned', by: 'count' }, 'purged', /number of records/],
      [{ kind: 'pruned', by: 'age' }, 'purged', /limit on age/],
      [{ kind: 'pruned', by: 'bytes' }, 'purged', /size of the store/],
      [{ kind: 'pruned', by: 'purge' }, 'purged', /deleted/],
      [{ kind: 'pruned', by: null }, 'purged', /not known/],
      [{ kind: 'missing' }, 'not-kept', /not written yet.*lost with its process/],
    ] as const) {
      const miss = await missOf(lookup as RecordLookup); // only these fields are read
      assert.equal(miss.kind, kind);
      assert.equal(miss.status, 404);
      assert.match(miss.detail, words);
      assert.ok(!kinds.has(miss.detail), miss.detail);
      kinds.set(miss.detail, kind);
    }
  });

  it('P7: with a 12-digit token, which no store can know, is not said to be issued elsewhere', async () => {
    const miss = await missOf({ kind: 'never' }, '0123456789ab');
    assert.equal(miss.kind, 'never-seen');
    assert.match(miss.detail, /may not be written yet, or may have been removed/);
    assert.doesNotMatch(miss.detail, /never issued/);
  });

  it('P7: with an invalid token is not looked up, and a long token is named in part', async () => {
    for (const token of ['', 'abc', 'ABCDEF', 'abcdeg', '../../etc', 'a'.repeat(33)]) {
      assert.equal((await missOf({ kind: 'never' }, token)).kind, 'malformed', token);
    }
    const { title } = await missOf({ kind: 'never' }, '<'.repeat(5000));
    assert.match(title, /[^<]<{100}[^<]/);
  });

  it('P7: is “nothing yet” for the latest if there is none', async () => {
    assert.match((await missOf({ kind: 'never' }, 'latest')).title, /No request has been recorded yet/);
  });

  it('does not replace an existing record', async () => {
    const record = { token: 'abcdef', startedAt: 0, sections: {}, events: [] };
    const found = await getRecord(siteOf({ kind: 'found', record }), 'abcdef');
    assert.equal(found.token, 'abcdef');
  });
});
