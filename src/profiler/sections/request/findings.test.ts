import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { plain } from '../../../../test/profiler/plain-record.js';
import type { ProfileRecord } from '../../model/profile-record.js';
import type { RecordFinding } from '../finding.js';
import { stepsOf } from '../completed.js';
import { httpFinders } from '../http-client/findings.js';
import { requestFinders } from './findings.js';

const response = { status: 200, headers: [], cookies: [], bodyBytes: 10, body: null, completed: true };

function findIn(changes: Partial<ProfileRecord>): readonly RecordFinding[] {
  return [...httpFinders, ...requestFinders].flatMap((find) => find({ ...plain, ...changes }, stepsOf) ?? []);
}

const textsOf = (changes: Partial<ProfileRecord>): readonly string[] =>
  findIn(changes).map(({ text }) => text);

describe('calls to other services', () => {
  const call = {
    method: 'GET',
    url: 'http://stock/3',
    status: 200,
    error: null,
    isOpen: false,
    callSite: [],
  };
  const site = { name: null, file: `${process.cwd()}/src/shop.ts`, line: 9, column: 1 };

  it('fail from status 500 on and with an error; each explains a failure, and links to its row', () => {
    const calls = [
      { ...call, status: 499 },
      { ...call, status: 500, callSite: [site] },
      { ...call, status: 0, error: 'e'.repeat(200), url: `http://stock/${'u'.repeat(200)}` },
    ];
    assert.deepEqual(findIn({ sections: { http: { calls } } }), [
      {
        kind: 'failed-call',
        level: 'warn',
        text: 'GET http://stock/3 answered 500, from src/shop.ts:9',
        target: { panel: 'http', anchor: 'call-2' },
        explains: 'failure',
      },
      {
        kind: 'failed-call',
        level: 'warn',
        text: `GET http://stock/${'u'.repeat(107)} failed: ${'e'.repeat(120)}`,
        target: { panel: 'http', anchor: 'call-3' },
        explains: 'failure',
      },
    ]);
  });

  it('that failed are only informational if a later call to the same address succeeded', () => {
    const [failed, good] = [
      { ...call, status: 503, offsetMs: 0, durationMs: 5 },
      { ...call, offsetMs: 9, durationMs: 5 },
    ];
    const findingOf = (...calls: object[]): RecordFinding | undefined =>
      findIn({ sections: { http: { calls } } })[0];
    assert.deepEqual(findingOf(failed, good), {
      kind: 'failed-call',
      level: 'info',
      text: 'GET http://stock/3 answered 503; a later call answered 200',
      target: { panel: 'http', anchor: 'call-1' },
    });
    const before = { ...good, offsetMs: 0 };
    const elsewhere = { ...good, url: 'http://stock/4' };
    for (const other of [before, elsewhere, { ...good, status: 404 }, { ...good, status: 0, error: 'lost' }])
      assert.equal(findingOf({ ...failed, offsetMs: 1 }, other)?.level, 'warn', JSON.stringify(other));
  });

  it('that the application cancelled are not reported', () => {
    const sections = { http: { calls: [{ ...call, status: 0, isCancelled: true }] } };
    assert.deepEqual(textsOf({ sections, state: 'aborted' }), []);
    assert.deepEqual(textsOf({ sections }), []);
    assert.equal(
      textsOf({ sections: { http: { calls: [{ ...call, status: 500 }] } }, state: 'aborted' }).length,
      1,
    );
  });

  it('without an answer are reported with their row, at most three, before late ones', () => {
    const open = { ...call, status: 0, isOpen: true };
    const work = [{ kind: 'call', text: 't'.repeat(200), startMs: 199, callSite: [] }];
    const sections = (count: number): ProfileRecord['sections'] => ({
      http: { calls: [call, ...Array.from({ length: count }, () => open)] },
      late: { work },
    });
    const [first, second] = findIn({ sections: sections(1) });
    assert.deepEqual(first?.target, { panel: 'http', anchor: 'call-2' });
    assert.deepEqual(second, {
      kind: 'not-awaited',
      level: 'warn',
      text: `Not awaited: ${'t'.repeat(120)} ended after the response`,
      target: { panel: 'late' },
    });
    assert.equal(findIn({ sections: sections(5) }).length, 3);
    assert.match(textsOf({ sections: sections(5) })[2] ?? '', /had no answer/);
  });

  it('followed the response only if they began after its end', () => {
    const textOf = (startMs: number): string | undefined =>
      textsOf({ sections: { late: { work: [{ kind: 'query', text: '', startMs, callSite: [] }] } } })[0];
    assert.equal(textOf(200), 'Not awaited: a query ended after the response');
    assert.equal(textOf(201), 'Not awaited: a query began 1.00 ms after the response');
  });
});

describe('a promise in a result', () => {
  it('is named by its path; written ones only count if none is named', () => {
    const body = {
      encoding: 'text',
      content: '[object Promise]',
      contentType: 'text/html',
      bytes: 1,
      cut: false,
    } as const;
    const found = findIn({
      sections: { result: { promises: ['', 'user.name'] } },
      response: { ...response, body },
    });
    assert.deepEqual(found, [
      {
        kind: 'not-awaited',
        level: 'warn',
        text: 'The promise that was the result was not awaited',
        target: { panel: 'request' },
      },
      {
        kind: 'not-awaited',
        level: 'warn',
        text: 'The promise “user.name” in the result was not awaited',
        target: { panel: 'request' },
      },
    ]);
    assert.deepEqual(textsOf({ response: { ...response, body: { ...body, content: 'Promise' } } }), []);
  });
});

describe('an empty body', () => {
  const found = (
    type: string,
    {
      method = 'GET',
      dest = 'empty',
      ...changes
    }: { method?: string; dest?: string } & Partial<typeof response> = {},
    more: Partial<ProfileRecord> = {},
  ): readonly string[] =>
    textsOf({
      request: { ...plain.request, method, headers: [['Sec-Fetch-Dest', dest]] },
      response: { ...response, bodyBytes: 0, headers: [['Content-Type', type]] as never, ...changes }, // a list of fields
      ...more,
    });

  it('is reported where JSON is announced', () => {
    for (const type of ['application/json', 'application/json; charset=utf-8', 'application/problem+json'])
      for (const method of ['GET', 'POST'])
        assert.deepEqual(found(type, { method }), [`The body is empty, and its type is ${type}`]);
    assert.deepEqual(found('application/json', { status: 201 }).length, 1);
  });

  it('is reported where a tab loads a page', () => {
    assert.deepEqual(found('text/html; charset=utf-8', { dest: 'document' }), ['The page is empty']);
    assert.deepEqual(found('text/html'), []);
    assert.deepEqual(found('text/html', { dest: 'iframe' }), []);
  });

  it('is not reported where it may be intended, or is not the whole response', () => {
    for (const type of [
      'text/plain',
      'application/x-ndjson',
      'application/stream+json',
      'application/json-seq',
      '',
    ])
      assert.deepEqual(found(type, { dest: 'document' }), [], type);
    for (const method of ['HEAD', 'OPTIONS']) assert.deepEqual(found('application/json', { method }), []);
    for (const status of [204, 205, 206, 304, 404])
      assert.deepEqual(found('application/json', { status }), []);
    assert.deepEqual(found('application/json', { bodyBytes: 2 }), []);
    const announced = [
      ['Content-Type', 'application/json'],
      ['Content-Length', '2'],
    ] as never; // a list of fields
    assert.deepEqual(found('', { headers: announced }), []);
    assert.deepEqual(found('application/json', {}, { state: 'aborted' }), []);
  });
});

describe('a redirect', () => {
  const redirects = (method: string, status: number, changes: Partial<typeof response> = {}): boolean =>
    textsOf({
      request: { ...plain.request, method, url: 'http://a.test/x?q=1#top' },
      response: { ...response, status, headers: [['location', '?q=1']] as never, ...changes }, // a list of fields
    }).includes('Redirects to itself');

  it('to the requested URL is reported for the statuses that keep the method', () => {
    assert.deepEqual(
      [300, 301, 302, 303, 304, 307, 308, 309].filter((status) => redirects('GET', status)),
      [301, 302, 303, 307, 308],
    );
    assert.deepEqual(
      [301, 302, 303, 307, 308].filter((status) => redirects('HEAD', status)),
      [301, 302, 303, 307, 308],
    );
    assert.deepEqual(
      [301, 302, 303, 307, 308].filter((status) => redirects('POST', status)),
      [307, 308],
    );
  });

  it('is not reported without a response or URL, or with a cookie', () => {
    assert.deepEqual(textsOf({ response: null }), []);
    assert.equal(redirects('GET', 302, { headers: [] }), true); // an empty reference is the URL itself
    assert.equal(redirects('GET', 302, { headers: [['Location', 'http://[']] as never }), false); // a list of fields
    assert.equal(
      redirects('GET', 302, { cookies: [{ name: 'a', value: '', attributes: [] }] as never }),
      false,
    ); // a list of cookies
  });
});

describe('a 1 MiB response', () => {
  it('is reported, and one that is a byte smaller is not', () => {
    assert.deepEqual(textsOf({ response: { ...response, bodyBytes: 1_048_575 } }), []);
    assert.deepEqual(textsOf({ response: { ...response, bodyBytes: 1_048_576 } }), [
      'The response has 1.0 MiB',
    ]);
  });
});

describe('a response with headers that contradict each other', () => {
  const found = (
    headers: readonly [string, string][],
    method = 'GET',
    cookies: string[] = [],
  ): readonly string[] =>
    textsOf({
      request: { ...plain.request, method },
      response: {
        ...response,
        headers,
        cookies: cookies.map((name) => ({ name, value: '', attributes: [] })),
      },
    });

  it('is reported if browsers refuse it to requests with credentials', () => {
    const credentials: [string, string] = ['Access-Control-Allow-Credentials', 'true'];
    assert.deepEqual(found([['Access-Control-Allow-Origin', '*'], credentials]), [
      'Browsers refuse this response to requests with credentials: Access-Control-Allow-Origin is *',
    ]);
    for (const headers of [
      [['Access-Control-Allow-Origin', 'https://a.test'], credentials],
      [['Access-Control-Allow-Origin', '*']],
      [credentials],
    ] as [string, string][][])
      assert.deepEqual(found(headers), []);
  });

  it('is reported if shared caches may store its cookie', () => {
    assert.deepEqual(found([['Cache-Control', 'public, max-age=600']], 'GET', ['sid']), [
      'Shared caches may store the cookie “sid”: Cache-Control is public, max-age=600',
    ]);
    assert.equal(found([['cache-control', 's-maxage=60']], 'HEAD', ['sid']).length, 1);
    for (const control of [
      'private',
      'max-age=600',
      'public, no-store',
      'public, no-cache',
      's-maxage=0',
      '',
    ])
      assert.deepEqual(found([['Cache-Control', control]], 'GET', ['sid']), [], control);
    assert.deepEqual(found([['Cache-Control', 'public']], 'POST', ['sid']), []);
    assert.deepEqual(found([['Cache-Control', 'public']]), []);
  });
});

describe('rows that no response has', () => {
  const query = {
    sql: 'select * from books',
    rows: 2000,
    params: [],
    durationMs: 1,
    error: null,
    callSite: [],
  };
  const found = (
    bodyBytes: number,
    changes: object = {},
    headers: [string, string][] = [],
  ): readonly string[] =>
    textsOf({
      response: { ...response, bodyBytes, headers },
      sections: { db: { queries: [{ ...query, ...changes }] } },
    });

  it('are reported if a query returned more of them than the response has bytes', () => {
    assert.deepEqual(found(46), ['1 query returned 2,000 rows for a response of 46 B']);
    assert.deepEqual(found(1999), ['1 query returned 2,000 rows for a response of 2.0 KiB']);
    for (const none of [
      found(2000),
      found(46, { rows: 499 }),
      found(46, { rows: null }),
      found(46, { sql: 'insert into books select 1' }),
      found(46, {}, [['content-encoding', 'gzip']]),
    ])
      assert.deepEqual(none, []);
    assert.deepEqual(textsOf({ sections: { db: { queries: [query] } }, state: 'aborted' }), []);
  });
});

describe("a response's language", () => {
  const found = (accepted: string, given: string): readonly string[] =>
    textsOf({
      request: { ...plain.request, headers: [['Accept-Language', accepted]] },
      response: { ...response, headers: [['Content-Language', given]] },
    });

  it('is reported if the client accepts only others', () => {
    assert.deepEqual(found('de-CH, de;q=0.9', 'en'), ['The response is in en; the client accepts de-CH, de']);
    assert.deepEqual(found('de, en;q=0', 'en-GB'), ['The response is in en-GB; the client accepts de']);
    for (const [accepted, given] of [
      ['de-CH,de;q=0.9', 'de'],
      ['de', 'de-AT'],
      ['de, en;q=0.1', 'en'],
      ['de, *;q=0.1', 'en'],
      ['', 'en'],
      ['de', ''],
      ['fr', 'de, en'],
    ] as const)
      assert.deepEqual(found(accepted, given), [], `${accepted} | ${given}`);
  });
});

describe('a cookie that browsers drop', () => {
  const why = (
    name: string,
    attributes: readonly (readonly [string, string])[],
    url = 'https://shop.example/',
  ): string | undefined =>
    textsOf({
      request: { ...plain.request, url, scheme: url.startsWith('https') ? 'https' : 'http' },
      response: { ...response, cookies: [{ name, value: '', attributes }] },
    })[0]?.replace(/^Browsers drop the cookie “[\w-]+”: /i, '');
  const secure = ['SECURE', ''] as const;

  it('is found by the names and values of its attributes in any case', () => {
    assert.equal(why('a', [['samesite', 'NONE']]), 'SameSite=None needs Secure');
    assert.equal(why('a', [['SameSite', 'none'], secure]), undefined);
    assert.equal(why('a', [['DOMAIN', 'SHOP.example']]), undefined);
    assert.equal(why('a', [['Domain', 'op.example']]), 'its Domain op.example does not match shop.example');
    assert.equal(why('__secure-a', []), 'its prefix needs Secure');
    assert.equal(why('__HOST-a', [secure, ['Path', '/']]), undefined);
    assert.equal(why('__HOST-a', [secure, ['Path', '/x']]), 'its prefix __Host- needs Path=/ and no Domain');
    assert.equal(
      why('__Host-a', [secure, ['Path', '/'], ['Domain', 'shop.example']]),
      'its prefix __Host- needs Path=/ and no Domain',
    );
    assert.equal(why('a__Host-', []), undefined);
    assert.equal(why('a', [['Partitioned', '']]), 'Partitioned needs Secure');
    assert.equal(why('a', [['Partitioned', ''], secure]), undefined);
  });

  it("is not reported if an untrusted proxy hides the browser's URL", () => {
    const cookies = [
      { name: 'a', value: '', attributes: [['Secure', '']] },
      { name: 'b', value: '', attributes: [['Domain', 'shop.example']] },
      { name: 'c', value: '', attributes: [['SameSite', 'None']] },
    ] as const;
    const found = (headers: ProfileRecord['request']['headers'], clientAddress = '10.0.0.7') =>
      textsOf({
        request: {
          ...plain.request,
          url: 'http://app:3000/',
          scheme: 'http',
          headers,
          clientAddress,
          peer: { address: '10.0.0.7', port: 1 },
        },
        response: { ...response, cookies },
      }).length;
    assert.equal(found([]), 3);
    assert.equal(found([['X-Requested-With', 'fetch']]), 3);
    for (const name of ['X-Forwarded-Proto', 'Forwarded', 'via', 'CF-Visitor'])
      assert.equal(found([[name, '']]), 1, name);
    assert.equal(found([['X-Forwarded-Proto', 'http']], '192.0.2.1'), 3); // trusted: scheme and host are the browser's
  });

  it('is Secure over http, except on this machine', () => {
    for (const host of ['localhost', 'shop.localhost', '127.0.0.2', '[::1]'])
      assert.equal(why('a', [secure], `http://${host}/`), undefined, host);
    for (const host of ['shop.example', 'notlocalhost', '128.0.0.1', '[::2]'])
      assert.equal(
        why('a', [secure], `http://${host}/`),
        'it is Secure, and the request came over http',
        host,
      );
  });
});
