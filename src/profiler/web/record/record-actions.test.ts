import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { HttpResponse } from '#core/http';
import { bodyOf } from '../../../../test/profiler/open-page.js';
import { outcomeOf, outlineOf, pageRequest, siteOf } from '../../../../test/profiler/page-outline.js';
import { plain, query } from '../../../../test/profiler/plain-record.js';
import { createSampleReader } from '../../../../test/profiler/sample-reader.js';
import type { ProfileRecord } from '../../model/profile-record.js';
import type { ProfilerSite } from '../site/profiler-site.js';
import { explainQuery, markRecord, purgeRecords, replayRecord } from './record-actions.js';

describe('an action on a record', () => {
  it('only runs for a form on a page of this origin', async () => {
    const form = 'a=1';
    const refused = /^403 foreign-form: The form was refused\. Nothing was done: /;
    for (const headers of [
      ['Sec-Fetch-Site', 'cross-site'],
      ['Sec-Fetch-Site', 'same-site'],
    ])
      assert.match(
        String(await outcomeOf(markRecord(siteOf([plain]), pageRequest('/', { form, headers }), 'abcdef'))),
        refused,
      );
    const noForm = await outcomeOf(
      markRecord(
        siteOf([plain]),
        pageRequest('/', { method: 'POST', headers: ['Content-Type', 'application/json'] }),
        'abcdef',
      ),
    );
    assert.match(String(noForm), refused);
  });

  it('pins with a note up to 2000 characters long, keeps the note, and unpins', async () => {
    const marks: unknown[] = [];
    let known: { readonly note: string } | undefined = { note: 'before' };
    const reader = {
      ...createSampleReader([plain]),
      find: async () => ({ kind: 'found', record: plain, ...(known && { mark: known }) }) as const,
      mark: async (token: string, mark: unknown) => marks.push([token, mark]) > 0,
    };
    const mark = (form: string): Promise<unknown> =>
      outcomeOf(markRecord(siteOf([plain], { reader }), pageRequest('/', { form }), 'abcdef'));
    for (const form of ['', 'note=+now+', 'remove=1', `note=${'n'.repeat(2000)}`])
      assert.equal(await mark(form), '/_profiler/abcdef');
    assert.deepEqual(marks, [
      ['abcdef', { note: 'before' }],
      ['abcdef', { note: 'now' }],
      ['abcdef', null],
      ['abcdef', { note: 'n'.repeat(2000) }],
    ]);
    known = undefined;
    await mark('');
    assert.deepEqual(marks.at(-1), ['abcdef', { note: '' }]);
    assert.equal(
      await mark(`note=${'n'.repeat(2001)}`),
      '409 not-kept: This was not saved. Use a note of at most 2,000 characters.',
    );
    assert.equal(
      await outcomeOf(markRecord(siteOf([plain]), pageRequest('/', { form: 'a=1' }), 'abcdef')),
      '409 not-kept: This was not saved. There is no such record.',
    );
  });

  it("deletes all of an origin's records after confirmation, and says if they are read-only", async () => {
    const purged: unknown[] = [];
    const reader = {
      ...createSampleReader([plain]),
      purge: async (origin: string) => void purged.push(origin),
    };
    const purge = (origin: 'app' | 'profiler', form: string): Promise<HttpResponse> =>
      purgeRecords(siteOf([plain], { reader }), pageRequest('/', { form }), origin);
    assert.equal(
      outlineOf(bodyOf(await purge('app', 'a=1'))),
      `
h1: Delete all records of the application?
| They are deleted for everyone who uses this store, and cannot be restored.
form method=post action=/_profiler/app/purge
  input type=hidden name=confirmed value=1
  button type=submit: Delete the records
a href=/_profiler/: Cancel
`,
    );
    assert.match(
      bodyOf(await purge('profiler', 'a=1')),
      /Delete all records of the profiler’s own requests\?/,
    );
    assert.deepEqual(purged, []);
    const group = {
      values: [],
      failed: 0,
      firstAt: 0,
      lastAt: 0,
      durations: [],
      steps: [],
      lastToken: 'abcdef',
    };
    const counted = {
      ...reader,
      totals: async ({ where = [] }: { where?: readonly unknown[] } = {}) => ({
        groups: [{ ...group, count: where.length > 0 ? 3 : 9551 }],
        complete: true,
      }),
    };
    const question = purgeRecords(
      siteOf([plain], { reader: counted }),
      pageRequest('/', { form: 'a=1' }),
      'app',
    );
    assert.match(bodyOf(await question), /9,551 records, 3 of them pinned\. They are deleted for everyone/);
    assert.equal(await outcomeOf(purge('app', 'confirmed=1')), '/_profiler/');
    assert.equal(await outcomeOf(purge('profiler', 'confirmed=1')), '/_profiler/?own=1');
    assert.deepEqual(purged, ['app', 'profiler']);
    assert.equal(
      await outcomeOf(purgeRecords(siteOf([plain]), pageRequest('/', { form: 'confirmed=1' }), 'app')),
      '409 read-only: These records can only be read. Nothing was deleted.',
    );
  });
});

describe("a query's plan", () => {
  const select = query({ sql: 'select 1 from a where id = ?', params: [] });
  const none = {
    failed: 0,
    flushes: 0,
    flushMs: 0,
    commits: 0,
    rollbacks: 0,
    created: 0,
    updated: 0,
    removed: 0,
  };
  const totals = { ...none, queries: 2, durationMs: 4 };
  const record = {
    ...plain,
    sections: { db: { queries: [select, query({ sql: 'delete from a' })], groups: [], changes: [], totals } },
  };
  const explain = (form: string, explainer?: ProfilerSite['explainer']): Promise<HttpResponse> =>
    explainQuery(
      siteOf([record], explainer === undefined ? {} : { explainer }),
      pageRequest('/', { form }),
      'abcdef',
    );

  it('is shown at its query, with its assumptions about values', async () => {
    const labels: unknown[] = [];
    for (const placeholders of ['values', 'any', 'null'] as const) {
      const html = bodyOf(
        await explain('query=0', {
          knows: () => true,
          explain: async () => ({ text: 'SCAN a', placeholders }),
        }),
      );
      assert.match(html, /<code>SCAN a<\/code>/);
      labels.push(/<figcaption>(Plan[^<]*)/.exec(html)?.[1]);
    }
    assert.deepEqual(labels, [
      'Plan',
      'Plan for unknown values: not all recorded values are known',
      'Plan with NULL in place of the values: not all of them are known',
    ]);
    const failing = await explain('query=0', {
      knows: () => true,
      explain: () => Promise.reject(new Error('no table')),
    });
    assert.match(bodyOf(failing), /No plan: no table/);
  });

  it("is refused for anything but one of the record's kept SELECTs", async () => {
    const explainer = { knows: () => true, explain: () => assert.fail('was asked') };
    for (const form of ['query=1', 'query=2', 'query=x', 'query=-1', 'query=00000', 'other=0'])
      assert.match(String(await outcomeOf(explain(form, explainer))), /^409 not-explained: /, form);
    assert.match(String(await outcomeOf(explain('query=0'))), /^409 not-explained: /);
  });
});

describe('replaying a request from its page', () => {
  const answer = new Response('again', { headers: { 'X-Debug-Token': 'abc777' } });
  const replay = async (
    record: ProfileRecord,
    form: string,
    given: { readonly cookie?: string; readonly response?: Response } = {},
  ): Promise<{ readonly outcome: unknown; readonly html: string; readonly sent: readonly Request[] }> => {
    const sent: Request[] = [];
    const site = siteOf([record], {
      replay: async (request) => {
        sent.push(request);
        return (given.response ?? answer).clone();
      },
    });
    const headers = given.cookie === undefined ? [] : ['Cookie', given.cookie];
    const answered = replayRecord(site, pageRequest('/', { form, headers }), record.token);
    const outcome = await outcomeOf(answered);
    return { outcome, html: outcome === 200 ? bodyOf(await answered) : '', sent };
  };
  const here = { ...plain.request, url: 'http://localhost/', host: 'localhost' };
  const withCookie: ProfileRecord = { ...plain, request: { ...here, headers: [['Cookie', '[redacted]']] } };
  const withKey: ProfileRecord = {
    ...plain,
    request: { ...here, headers: [['Authorization', '[redacted]']] },
  };
  const post: ProfileRecord = {
    ...plain,
    request: {
      ...here,
      method: 'POST',
      body: { encoding: 'text', content: 'four', contentType: 'text/plain', bytes: 4, cut: false },
    },
  };

  it('sends a complete GET at once and redirects to the new record', async () => {
    const { outcome, sent } = await replay({ ...plain, request: here }, 'profile=cpu');
    assert.equal(outcome, '/_profiler/abc777');
    assert.deepEqual(
      sent.map(({ method, url }) => `${method} ${url}`),
      ['GET http://localhost/?_profile=cpu'],
    );
  });

  it('asks before it writes, and says what it sends and omits', async () => {
    const { html, sent } = await replay(post, 'profile=cpu');
    assert.equal(
      outlineOf(html),
      `
h1: Send this request again?
| POST http://localhost/
| This repeats every side effect: writes, mails, payments.
| Body: 4 characters
form method=post action=/_profiler/abcdef/replay
  input type=hidden name=confirmed value=1
  input type=hidden name=profile value=cpu
  button type=submit: Replay
a href=/_profiler/abcdef: Cancel
`,
    );
    assert.equal(sent.length, 0);
    const confirmed = await replay(post, 'confirmed=1');
    assert.deepEqual([confirmed.outcome, await confirmed.sent[0]?.text()], ['/_profiler/abc777', 'four']);
  });

  it("sends the browser's own cookies instead of redacted ones: at once, or as chosen in the confirmation", async () => {
    const cookie = 'a=1; lookback_theme=dark; b=2';
    const cookieOf = ({ sent }: { sent: readonly Request[] }): unknown => sent[0]?.headers.get('cookie');
    assert.equal(cookieOf(await replay(withCookie, 'a=1', { cookie })), 'a=1; b=2');
    const asked = await replay(withCookie, 'a=1');
    assert.match(asked.html, /Omitted, because the record does not contain it: Cookie/);
    assert.doesNotMatch(asked.html, /With the cookies of this browser/);
    const elsewhere = { ...withCookie, request: { ...withCookie.request, url: 'http://a.test/' } };
    assert.match((await replay(elsewhere, 'a=1', { cookie })).html, /does not contain it: Cookie/);
    const posted: ProfileRecord = { ...withCookie, request: { ...withCookie.request, method: 'POST' } };
    assert.match(
      (await replay(posted, 'a=1', { cookie })).html,
      /<input type="checkbox" name="cookies" value="1" checked/,
    );
    assert.equal(cookieOf(await replay(posted, 'confirmed=1&cookies=1', { cookie })), 'a=1; b=2');
    assert.equal(cookieOf(await replay(posted, 'confirmed=1', { cookie })), null);
    assert.match((await replay(withKey, 'a=1', { cookie })).html, /does not contain it: Authorization/);
  });

  it('says why a request is not sent, and if its response has no record', async () => {
    const { outcome } = await replay({ ...plain, origin: 'profiler' }, 'a=1');
    assert.equal(
      outcome,
      '409 not-replayable: This request cannot be sent again. Nothing more was done: it is one of the profiler’s own.',
    );
    assert.match(
      String(await outcomeOf(replayRecord(siteOf([plain]), pageRequest('/', { form: 'a=1' }), 'abcdef'))),
      /Nothing more was done: these pages cannot reach the application: open them on its own port\.$/,
    );
    for (const response of [
      new Response('', { status: 404 }),
      new Response('', { status: 404, headers: { 'X-Debug-Token': 'NO' } }),
    ])
      assert.match(
        String((await replay(plain, 'a=1', { response })).outcome),
        /^502 replay-unrecorded: The response was 404, but it names no record\. /,
      );
  });
});
