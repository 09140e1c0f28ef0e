import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { recordSchema } from 'lookback/profiler';
import { until } from '../until.js';
import { recordOf, tokenOf } from './record-client.js';
import { isOurServer, sharedService, startService } from './service.js';
import type { Service } from './service.js';
import { ask, header, textOf } from './wire-client.js';

/** Header fields that servers of other runtimes add after lookback. */
const addedByServers = new Set([
  'date',
  'connection',
  'keep-alive',
  'content-length',
  'transfer-encoding',
  'vary',
]);

describe('profiler, over the wire', () => {
  let service: Service;
  before(async () => {
    service = await sharedService();
  });

  it('P1, P3: every request has a record: a page, a miss, the profiler itself', async () => {
    const page = await recordOf(service.url, await ask(service.url, '/en'));
    assert.ok(page.request.url.endsWith('/en'));
    assert.deepEqual([page.response?.status, page.exception, page.origin], [200, null, 'app']);
    const miss = await recordOf(
      service.url,
      await ask(service.url, '/no/such/page?x=1', { headers: { 'User-Agent': 'contract' } }),
    );
    assert.equal(miss.request.method, 'GET');
    assert.ok(miss.request.url.endsWith('/no/such/page?x=1'));
    const spelt = isOurServer ? 'User-Agent' : 'user-agent'; // the format of the web's Headers
    assert.ok(miss.request.headers.some(([name, value]) => name === spelt && value === 'contract'));
    assert.equal(miss.response?.status, 404);
    assert.deepEqual(
      miss.exception?.errors.map((error) => error.number),
      [1, 2],
    );
    assert.ok(miss.exception?.errors.every((error) => error.frames.length > 0));
    assert.ok(miss.logs.length > 0, 'the log has the unmatched request');
    const own = await recordOf(service.url, await ask(service.url, `/_profiler/${miss.token}`));
    assert.equal(own.origin, 'profiler');
    assert.equal(own.route?.name, '_profiler');
  });

  it("P2: there is one record for each request; the profiler's own are hidden by default and displace none", async () => {
    const response = await ask(service.url, '/no/such/page/once');
    for (let index = 0; index < 120; index++) await ask(service.url, '/_profiler/');
    const list = (await ask(service.url, '/_profiler/?limit=200')).body;
    assert.ok(textOf(list).includes('/no/such/page/once'));
    assert.ok(list.includes(tokenOf(response)));
    const found = await ask(service.url, '/_profiler/search.json?limit=200');
    const { rows } = JSON.parse(found.body) as {
      rows: { token: string; origin: string; url: string }[];
    };
    assert.equal(rows.filter(({ url }) => url.endsWith('/no/such/page/once')).length, 1);
    assert.deepEqual([...new Set(rows.map(({ origin }) => origin))], ['app']);
    const latest = await ask(service.url, '/_profiler/latest.json');
    assert.equal((JSON.parse(latest.body) as { token: string }).token, tokenOf(response));
  });

  it("P2, P7: the profiler's own requests remove no record; one that the limit removed is answered with 404 and the limit", async () => {
    const small = await startService({ PROFILER_MAX_RECORDS: '20' });
    try {
      const response = await ask(small.url, '/no/such/page/once');
      for (let index = 0; index < 60; index++) await ask(small.url, '/_profiler/');
      assert.equal((await recordOf(small.url, response)).origin, 'app');
      const token = tokenOf(response);
      for (let index = 0; index < 60; index++) await ask(small.url, '/no/such/page');
      let page = await ask(small.url, `/_profiler/${token}`);
      await until(async () => (page = await ask(small.url, `/_profiler/${token}`)).status === 404);
      assert.match(textOf(page.body), /removed by the limit on the number of records/);
    } finally {
      await small.stop();
    }
  });

  it('P4, P5: tokens are six lowercase hexadecimal characters, unique, linked, and readable at once', async () => {
    const seen = new Set<string>();
    for (let index = 0; index < 30; index++) {
      const response = await ask(service.url, '/api/articles');
      const token = tokenOf(response);
      assert.match(token, /^[0-9a-f]{6}$/);
      assert.ok(!seen.has(token));
      seen.add(token);
      assert.equal(header(response, 'x-debug-token-link'), `${service.url}/_profiler/${token}`);
      assert.equal((await ask(service.url, `/_profiler/${token}`)).status, 200);
    }
  });

  it('P6: /_profiler/{token} shows a panel; panel=exception shows the exception', async () => {
    const token = tokenOf(await ask(service.url, '/robots.txt'));
    const page = await ask(service.url, `/_profiler/${token}?panel=exception`);
    assert.equal(page.status, 200);
    assert.match(header(page, 'content-type') ?? '', /^text\/html/);
    const text = textOf(page.body);
    assert.ok(text.includes(`No route found for "GET ${service.url}/robots.txt"`));
    assert.ok(text.includes('No routes found for "/robots.txt/"'));
    for (const panel of ['request', 'logs', 'routing', 'events', 'time', 'config']) {
      const chosen = await ask(service.url, `/_profiler/${token}?panel=${panel}`);
      assert.equal(chosen.status, 200, panel);
      const current = [...chosen.body.matchAll(/<a\b[^>]*aria-current="page"[^>]*>/g)].map(String);
      assert.ok(
        current.some((link) => link.includes(`panel=${panel}"`)),
        `${panel}: ${current.join(' ')}`,
      );
    }
  });

  it('P7: unknown and malformed tokens and unknown panels are 404, latest is the newest record, other methods are 405', async () => {
    const unknown = await ask(service.url, '/_profiler/ffffff');
    assert.equal(unknown.status, 404);
    assert.match(textOf(unknown.body), /no record with this token/);
    const malformed = await ask(service.url, '/_profiler/NOT-A-TOKEN');
    assert.equal(malformed.status, 404);
    assert.match(textOf(malformed.body), /malformed: a token has 6 to 32 characters/);
    const token = tokenOf(await ask(service.url, '/'));
    const panel = await ask(service.url, `/_profiler/${token}?panel=nothing`);
    assert.equal(panel.status, 404);
    const [, named = ''] = /A record has these panels: ([\w, -]+)/.exec(textOf(panel.body)) ?? [];
    for (const name of ['request', 'exception', 'logs'])
      assert.ok(named.split(', ').includes(name), textOf(panel.body));
    const newest = tokenOf(await ask(service.url, '/en/articles'));
    const latest = await ask(service.url, '/_profiler/latest');
    assert.equal(latest.status, 200);
    assert.ok(textOf(latest.body).includes(`GET /en/articles (${newest})`), textOf(latest.body));
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
      const refused = await ask(service.url, `/_profiler/${token}`, { method });
      assert.equal(refused.status, 405, method);
      assert.equal(header(refused, 'allow'), 'GET', method);
    }
  });

  it('P8: the same record is available as JSON with a schema version, and as Markdown', async () => {
    const response = await ask(service.url, '/no/such/page');
    const record = await recordOf(service.url, response);
    assert.equal(record.schema, recordSchema);
    assert.equal(record.token, tokenOf(response));
    const markdown = await ask(service.url, `/_profiler/${record.token}.md`);
    assert.match(header(markdown, 'content-type') ?? '', /^text\/markdown/);
    assert.ok(markdown.body.includes(`- Record: \`${record.token}\``), markdown.body.slice(0, 400));
    for (const { message } of record.exception?.errors ?? assert.fail())
      assert.ok(markdown.body.includes(message), message);
  });

  it('P9: the record shows the headers and cookies that the client received', async () => {
    // The login page sets a session cookie, because it has to lead back.
    const list = await ask(service.url, '/en/articles');
    const restricted = `${/href="(\/en\/articles\/[a-z0-9-]+)"/.exec(list.body)?.[1]}/edit`;
    const responses = [
      await ask(service.url, '/no/such/page'),
      await ask(service.url, restricted, { headers: { Accept: 'text/html' } }),
    ];
    assert.ok((responses[1]?.headers.get('set-cookie') ?? []).length > 0, 'the refusal starts a session');
    for (const response of responses) {
      const record = await recordOf(service.url, response);
      const recorded = record.response?.headers ?? [];
      for (const [name, values] of response.headers) {
        if (!isOurServer && addedByServers.has(name)) continue;
        const shown = recorded.filter(([own]) => own.toLowerCase() === name).map(([, value]) => value);
        // Cookie values are secrets, but their names are not.
        const expected = name === 'set-cookie' ? values.map((value) => value.split('=')[0]) : values;
        assert.deepEqual(
          name === 'set-cookie' ? shown.map((value) => value.split('=')[0]) : shown,
          expected,
          name,
        );
      }
      assert.equal(record.response?.status, response.status);
    }
  });
});
