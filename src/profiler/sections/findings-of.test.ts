import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { plain as plainRecord } from '../../../test/profiler/plain-record.js';
import type { ProfileRecord } from '../model/profile-record.js';
import type { DbSection } from './database/queries.js';
import { answerOf, findingsOf, type RecordFinding } from './findings-of.js';
import { findFindings } from './find-findings.js';

const answer = { status: 200, headers: [], cookies: [], bodyBytes: 10, body: null, completed: true };
/** A record without anything notable. */
const plain: ProfileRecord = {
  ...plainRecord,
  startedAt: 0,
  timeline: [{ name: 'request', category: 'stage', startMs: 0, durationMs: 200 }],
};
const totals: DbSection['totals'] = {
  queries: 6,
  failed: 0,
  durationMs: 6,
  flushes: 0,
  flushMs: 0,
  commits: 0,
  rollbacks: 0,
  created: 0,
  updated: 0,
  removed: 0,
};
const group: DbSection['groups'][number] = {
  kind: 'n+1',
  sql: 'select ?',
  count: 6,
  durationMs: 6,
  callSite: { name: null, file: `${process.cwd()}/src/journal.ts`, line: 154, column: 1 },
  queries: [2, 3],
};
const db = (section: Partial<DbSection>): Partial<ProfileRecord> => ({
  sections: { db: { totals, groups: [], queries: [], changes: [], ...section } },
});
/** Returns a record's findings as readers get them, after the writer has found them. */
const found = (changes: Partial<ProfileRecord>): readonly RecordFinding[] =>
  findingsOf({ findings: findFindings({ ...plain, ...changes }) });
const textsOf = (changes: Partial<ProfileRecord>): string[] => found(changes).map(({ text }) => text);
const { request } = plain;
/** The sections that report time, by category. */
const sections: Readonly<Record<string, string>> = { database: 'db', http: 'http', rendering: 'view' };
const bar = (category: string, durationMs: number, name: string = category) => {
  const section = sections[category];
  return { name, category, startMs: 0, durationMs, ...(section === undefined ? {} : { section }) } as const;
};

describe('findings of a record', () => {
  it('are empty if nothing is notable', () => {
    assert.deepEqual(textsOf({}), []);
    assert.deepEqual(textsOf(db({})), []);
    assert.deepEqual(textsOf({ sections: { db: 'of another shape' } }), []);
  });

  it('name the single step that took most of the time, unless it took less than half', () => {
    assert.deepEqual(textsOf({ timeline: [bar('database', 190)] }), ['1 query took 190 ms of 200 ms']);
    assert.deepEqual(textsOf({ timeline: [bar('database', 90)] }), []);
    assert.deepEqual(textsOf({ durationMs: 2, timeline: [bar('database', 2)] }), []);
    assert.deepEqual(textsOf({ timeline: [bar('listener', 150, 'slow')] }), [
      'The listener “slow” took 150 ms of 200 ms',
    ]);
    assert.deepEqual(textsOf({ timeline: [bar('rendering', 150)] }), ['Rendering took 150 ms of 200 ms']);
    // A step of no section is found in the panel of the whole time.
    assert.deepEqual(found({ timeline: [bar('listener', 150, 'slow')] })[0]?.target, { panel: 'time' });
    const waiting = [bar('controller', 199), bar('http', 180, 'GET http://slow.test/')];
    assert.deepEqual(textsOf({ timeline: waiting }), [
      '1 outgoing call (GET http://slow.test/) took 180 ms of 200 ms',
    ]);
    const mail = { ...bar('http', 180, 'Your order 17'), section: 'mail' };
    assert.deepEqual(textsOf({ timeline: [mail] }), [
      'Sending the mail “Your order 17” took 180 ms of 200 ms',
    ]);
  });

  it('name the kind of work if many steps together took most of the time', () => {
    const timeline = [0, 50, 100].map((startMs) => ({ ...bar('database', 45), startMs, section: 'db' }));
    assert.deepEqual(textsOf({ timeline }), [
      'The database (3 queries, one after another) took 135 ms of 200 ms',
    ]);
    assert.deepEqual(found({ timeline })[0]?.target, { panel: 'db' });
    const mails = timeline.map((one) => ({ ...one, category: 'http', section: 'mail' }));
    assert.deepEqual(textsOf({ timeline: mails }), [
      'Sending mail (3, one after another) took 135 ms of 200 ms',
    ]);
    const [first, ...others] = timeline;
    assert.ok(first);
    const atOnce = [{ ...first, durationMs: 60 }, ...others];
    assert.deepEqual(textsOf({ timeline: atOnce }), ['The database took 140 ms of 200 ms']);
    // The last stands for 200 queries beyond the limit.
    const rest = { ...bar('database', 45, '200 further queries'), startMs: 150, section: 'db', busyMs: 30 };
    assert.deepEqual(textsOf({ timeline: [...timeline, rest] }), ['The database took 165 ms of 200 ms']);
  });

  it('report repeated queries with their location, and failed ones', () => {
    assert.deepEqual(textsOf(db({ groups: [group] })), [
      'src/journal.ts:154 ran the same query 6 times (6.00 ms)',
    ]);
    assert.deepEqual(found(db({ groups: [group] }))[0]?.target, {
      panel: 'db',
      anchor: 'query-3',
    });
    const same = { ...group, kind: 'duplicate', callSite: null } as const;
    assert.deepEqual(textsOf(db({ groups: [same] })), [
      'The same query with the same values ran 6 times (6.00 ms)',
    ]);
    const five = textsOf(db({ groups: [group, group, group, group, group] }));
    assert.equal(five.at(-1), '2 more groups of repeated queries');
    assert.deepEqual(textsOf(db({ totals: { ...totals, failed: 2 } })), ['2 queries failed']);
  });

  it('name failed services, but not a 404 from one of them', () => {
    const call = { method: 'GET', url: 'http://stock/3', status: 503, error: null };
    const calls = [
      { ...call, status: 404 },
      call,
      { ...call, status: 0, error: 'connect ECONNREFUSED' },
      ...[1, 2, 3].map(() => call),
    ];
    const sections = { http: { calls, totals: { calls: 6, failed: 6, durationMs: 1 } } };
    assert.deepEqual(textsOf({ sections }), [
      '4 calls of GET http://stock/3, all answered 503',
      'GET http://stock/3 failed: connect ECONNREFUSED',
    ]);
    assert.deepEqual(found({ sections })[0]?.target, { panel: 'http', anchor: 'call-2' });
    const storm = (pauseMs: number): readonly string[] => {
      const equal = [0, 1, 2].map((at) => ({ ...call, offsetMs: at * (10 + pauseMs), durationMs: 10 }));
      return textsOf({ sections: { http: { calls: equal, totals: {} } } });
    };
    const times = '3 calls of GET http://stock/3 in';
    assert.deepEqual(storm(0), [`${times} 30.0 ms, all answered 503, no pause in between`]);
    assert.deepEqual(storm(100), [`${times} 230 ms, all answered 503`]);
  });

  it('name a success status whose body reports a failure', () => {
    const json = (data: unknown, changes: object = {}): readonly string[] => {
      const content = JSON.stringify(data);
      const body = {
        encoding: 'text',
        content,
        contentType: 'application/json',
        bytes: 1,
        cut: false,
      } as const;
      return textsOf({ response: { ...answer, body, ...changes } });
    };
    assert.deepEqual(json({ ok: false, message: 'No stock' }), [
      'Answered 200 with "ok": false in its body: No stock',
    ]);
    assert.deepEqual(json({ error: 'No stock' }), ['Answered 200 with an "error" in its body: No stock']);
    assert.deepEqual(json({ errors: ['No stock'] }), ['Answered 200 with "errors" in its body: No stock']);
    assert.deepEqual(json({ success: false }), ['Answered 200 with "success": false in its body']);
    for (const data of [
      { ok: true },
      { error: null },
      { errors: [] },
      { error: false },
      [{ ok: false }],
      'ok',
    ])
      assert.deepEqual(json(data), []);
    assert.deepEqual(json({ ok: false }, { status: 409 }), ['Answered 409: {"ok":false}']);
  });

  it('report a 1 MiB response', () => {
    assert.deepEqual(textsOf({ response: { ...answer, bodyBytes: 1_048_575 } }), []);
    assert.deepEqual(textsOf({ response: { ...answer, bodyBytes: 2_097_152 } }), [
      'The response has 2.0 MiB',
    ]);
  });

  it('report a redirect to the requested URL, but not after a form or with a cookie that changes the response', () => {
    const redirect = (location: string, status = 302, changes: Partial<ProfileRecord> = {}): string[] =>
      textsOf({ ...changes, response: { ...answer, status, headers: [['Location', location]] } });
    for (const location of ['/', 'http://a.test/', './', '/#top'])
      assert.deepEqual(redirect(location), ['Redirects to itself'], location);
    for (const location of ['/login', 'https://a.test/', '/?again', '//'])
      assert.deepEqual(redirect(location), []);
    assert.deepEqual(redirect('/', 303, { request: { ...request, method: 'POST' } }), []);
    assert.deepEqual(redirect('/', 307, { request: { ...request, method: 'POST' } }), [
      'Redirects to itself',
    ]);
  });

  it('name cookies that browsers drop, with the rule', () => {
    const cookie = (
      name: string,
      attributes: readonly (readonly [string, string])[],
      url = 'http://shop.example/',
    ) =>
      textsOf({
        request: { ...request, url, scheme: url.startsWith('https') ? 'https' : 'http' },
        response: { ...answer, cookies: [{ name, value: '', attributes }] },
      }).map((text) => text.replace(/^Browsers drop the cookie “[\w-]+”: /, ''));
    const secure = ['Secure', ''] as const;
    assert.deepEqual(cookie('a', [secure]), ['it is Secure, and the request came over http']);
    assert.deepEqual(cookie('a', [secure], 'http://localhost:3000/'), []);
    assert.deepEqual(cookie('a', [secure], 'http://127.0.0.1/'), []);
    assert.deepEqual(cookie('a', [['SameSite', 'None']]), ['SameSite=None needs Secure']);
    assert.deepEqual(cookie('a', [['Domain', 'other.example']]), [
      'its Domain other.example does not match shop.example',
    ]);
    assert.deepEqual(cookie('a', [['Domain', '.shop.example']]), []);
    assert.deepEqual(cookie('a', [['Domain', 'example']]), []);
    assert.deepEqual(cookie('__Secure-a', []), ['its prefix needs Secure']);
    assert.deepEqual(cookie('__Host-a', [secure], 'https://shop.example/'), [
      'its prefix __Host- needs Path=/ and no Domain',
    ]);
    assert.deepEqual(cookie('__Host-a', [secure, ['Path', '/']], 'https://shop.example/'), []);
    assert.deepEqual(
      cookie('a', [
        ['HttpOnly', ''],
        ['SameSite', 'Lax'],
      ]),
      [],
    );
  });

  it('report what was not awaited: serialized promises, calls without an answer, late queries', () => {
    const body = {
      encoding: 'text',
      content: '<p>[object Promise]',
      contentType: 'text/html',
      bytes: 1,
      cut: false,
    } as const;
    assert.deepEqual(textsOf({ response: { ...answer, body } }), [
      'The response contains “[object Promise]”: was a promise not awaited?',
    ]);
    const callSite = [group.callSite];
    const call = { method: 'GET', url: 'http://stock/3', status: 0, error: null, isOpen: true, callSite };
    const sections = { http: { calls: [call, { ...call, status: 200 }], totals: {} } };
    assert.deepEqual(textsOf({ sections }), [
      'Not awaited: GET http://stock/3 had no answer when the response ended, from src/journal.ts:154',
    ]);
    assert.deepEqual(textsOf({ sections, state: 'aborted' }), ['The response was cut off after 10 B']);
    const work = [
      { kind: 'query', text: 'select 1', startMs: 230, callSite },
      { kind: 'query', text: 'select 1', startMs: 150, callSite: [] },
      { kind: 'call', text: 'GET http://stock/3', startMs: 202, callSite: [] },
    ];
    assert.deepEqual(textsOf({ sections: { late: { work } } }), [
      'Not awaited: a query began 30.0 ms after the response, from src/journal.ts:154',
      'Not awaited: a query ended after the response',
      'Not awaited: GET http://stock/3 began 2.00 ms after the response',
    ]);
  });

  it('report queries and calls between the response and its last byte, unless its body made them', () => {
    const span = (category: string, startMs: number, name: string = category) =>
      ({ name, category, startMs, durationMs: 2 }) as const;
    const timeline = [
      span('stage', 2, 'request'),
      span('listener', 90, 'finish_request'),
      span('stage', 20, 'finish_request'),
      span('stage', 40, 'terminate'),
      span('database', 18),
      { ...span('database', 30), section: 'db', anchor: 'query-1' },
      span('http', 32, 'GET http://stock/3'),
      span('database', 41),
    ];
    const query = { callSite: [group.callSite] };
    const written = (name: string) => ({ headers: { writes: [{ by: null, name, value: '10' }] } });
    const own = { db: { totals, groups: [], queries: [query], changes: [] } };
    const sections = { ...own, ...written('ETag') };
    const whole = { ...answer, headers: [['Content-Length', '10']] as const };
    assert.deepEqual(textsOf({ response: whole, timeline, sections }), [
      'Not awaited: a query began 8.00 ms after the response, from src/journal.ts:154',
      'Not awaited: GET http://stock/3 began 10.0 ms after the response',
    ]);
    assert.deepEqual(textsOf({ response: answer, timeline, sections }), []);
    // A handler that states the body's length may stream it; in production, it is unknown who set a header.
    const stated = { ...own, ...written('content-length') };
    assert.deepEqual(textsOf({ response: whole, timeline, sections: stated }), []);
    assert.deepEqual(textsOf({ response: whole, timeline, sections: own }), []);
  });

  it('name missing messages', () => {
    const message = (key: string, state: string): object => ({
      key,
      state,
      locale: 'de',
      used: '',
      count: 1,
    });
    const messages = ['a', 'b', 'c', 'd'].map((key) => message(key, 'missing'));
    assert.deepEqual(textsOf({ sections: { translation: { messages, more: 0 } } }), [
      '4 messages are missing: a, b, c …',
    ]);
    const one = { messages: [message('title', 'missing'), message('text', 'defined')], more: 0 };
    assert.deepEqual(textsOf({ sections: { translation: one } }), ['1 message is missing: title']);
  });

  it('report what is known to have blocked the event loop; machine time is not a warning', () => {
    const stops = [{ startMs: 0, durationMs: 90, ms: 74 }];
    const loop = { ownMs: 120, waits: [{ token: 'abc123', startMs: 1, durationMs: 30 }], stops };
    const all = found({ sections: { loop } });
    assert.deepEqual(
      all.map(({ level, text }) => `${level}: ${text}`),
      [
        'warn: Blocked the event loop for 120 ms',
        'warn: abc123 blocked the event loop for 30.0 ms meanwhile',
        'info: The machine was busy for 74.0 ms',
      ],
    );
    assert.deepEqual(textsOf({ sections: { loop: { ownMs: 60, waits: [], stops: [] } } }), []);
  });

  it('report how long the client took to send the body, without counting it for the controller that read it', () => {
    const body = { startMs: 2, durationMs: 190, waitedMs: 185 };
    const waiting = { ...bar('waiting', 190), startMs: 2, busyMs: 185 };
    const timeline = [bar('controller', 199), waiting];
    const sections = { loop: { ownMs: 0, waits: [], stops: [], body } };
    const ofRequest = found({ timeline, sections }).map(({ level, text }) => `${level}: ${text}`);
    assert.deepEqual(ofRequest, ['info: Waited 185 ms for the client to send the body']);
    const short = { ...body, waitedMs: 19 };
    assert.deepEqual(textsOf({ sections: { loop: { ownMs: 0, waits: [], body: short } } }), []);
  });

  it('are ranked by what they explain: the failure, most of a slow request, other problems, the rest', () => {
    const controller = bar('controller', 26.5);
    const section = db({ groups: [{ ...group, durationMs: 1.57 }] });
    const few = { durationMs: 29.6, timeline: [controller], ...section };
    assert.deepEqual(textsOf(few), [
      'The controller took 26.5 ms of 29.6 ms',
      'src/journal.ts:154 ran the same query 6 times (1.57 ms)',
    ]);
    const queries = [0, 40, 80].map((startMs) => ({ ...bar('database', 35), startMs, section: 'db' }));
    const looped = { timeline: queries, ...db({ groups: [{ ...group, durationMs: 100 }] }) };
    assert.deepEqual(textsOf(looped), [
      'src/journal.ts:154 ran the same query 6 times (100 ms)',
      'The database (3 queries, one after another) took 105 ms of 200 ms',
    ]);
    const other = { timeline: queries, ...db({ groups: [{ ...group, durationMs: 20 }] }) };
    assert.equal(textsOf(other)[0], 'The database (3 queries, one after another) took 105 ms of 200 ms');
    const loop = { ownMs: 180, waits: [], stops: [] };
    const message = { key: 'a', state: 'missing', locale: 'de', used: '', count: 1 };
    const call = { method: 'GET', url: 'http://stock/3', status: 503, error: null };
    const sections = { loop, translation: { messages: [message], more: 0 }, http: { calls: [call] } };
    const slow = { timeline: [bar('database', 190)], sections };
    assert.deepEqual(textsOf(slow), [
      'GET http://stock/3 answered 503',
      '1 query took 190 ms of 200 ms',
      'Blocked the event loop for 180 ms',
      '1 message is missing: a',
    ]);
    const fast = { durationMs: 30, timeline: [bar('rendering', 28)], sections: { ...sections, http: {} } };
    assert.deepEqual(textsOf(fast).at(-1), 'Rendering took 28.0 ms of 30.0 ms');
  });

  it('yield a summary with the largest part of the time if no finding explains as much', () => {
    const answer = (changes: Partial<ProfileRecord>): string =>
      answerOf({ ...plain, ...changes }, found(changes)).text;
    const timeline = [bar('rendering', 15)];
    assert.equal(answer({ durationMs: 18, timeline }), 'Rendering took most of it: 15.0 ms of 18.0 ms');
    const loops = db({ groups: [group] });
    // It names a line to fix, unless it took next to nothing.
    assert.match(answer({ durationMs: 18, timeline, ...loops }), /ran the same query 6 times/);
    const long = { durationMs: 100, timeline: [bar('rendering', 60)] };
    assert.match(answer({ ...long, ...loops }), /^Rendering took /);
    assert.match(answer({ durationMs: 10, timeline: [bar('rendering', 8)], ...loops }), /ran the same query/);
    assert.match(answer({ durationMs: 400, timeline, ...loops }), /^No step accounts for most/);
    const stops = [{ startMs: 0, durationMs: 400, ms: 385 }];
    assert.equal(
      answer({ durationMs: 400, timeline, sections: { loop: { ownMs: 0, waits: [], stops } } }),
      'Other processes on a busy machine took most of it: 385 ms of 400 ms',
    );
  });

  it('report how the request ended, what it logged and which listener threw, worst first', () => {
    assert.deepEqual(textsOf({ state: 'aborted' }), ['The response was cut off after 10 B']);
    assert.deepEqual(textsOf({ state: 'unfinished', response: null }), ['No response was sent']);
    const logTotals = { ...plain.logTotals, total: 3, byLevel: { error: 1, warning: 2 } };
    assert.deepEqual(textsOf({ logTotals, state: 'aborted' }), [
      '1 error was logged, 2 warnings were logged',
      'The response was cut off after 10 B',
    ]);
    const times = { priority: 0, startMs: 0, durationMs: 0 };
    const listener = { name: 'audit', ...times, stopped: false, failed: true };
    const events = [{ event: 'terminate', startMs: 0, durationMs: 0, listeners: [listener] }];
    assert.deepEqual(textsOf({ events }), ['The listener “audit” threw']);
    const calm = events.map((event) => ({ ...event, listeners: [{ ...listener, failed: false }] }));
    assert.deepEqual(textsOf({ events: calm }), []);
  });
});
