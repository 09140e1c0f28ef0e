import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createProfiler, type ProfileRecord, type Section } from '#profiler';
import { bodyOf, createOpenPage } from './open-page.js';
import { createSampleReader } from './sample-reader.js';
import { sampleRecords } from './sample-records.js';
import { watchRequest } from './watch-request.js';

const fixedNow = Date.UTC(2026, 10, 21, 12);
const records = await sampleRecords(fixedNow);
const record = (index: number): ProfileRecord => {
  const found = records[index];
  assert.ok(found);
  return found;
};
const reader = createSampleReader(records, { pruned: 'deadbe', ordered: 'beef01', missing: 'feed01' });
const open = createOpenPage({ reader, now: () => fixedNow });

async function get(target: string): Promise<{ status: number; text: string; header(name: string): string }> {
  const response = await open(target);
  assert.ok(response, `${target} has no route`);
  return {
    status: response.status,
    text: typeof response.body === 'string' ? response.body : '',
    header: (name) => response.headers.get(name) ?? '',
  };
}

describe('profiler pages', () => {
  it('P6: a record opens on a panel; panel=exception shows the chain, inner first', async () => {
    const page = await get(`/_profiler/${record(1).token}?panel=exception`);
    assert.equal(page.status, 200);
    const [inner, outer] = [
      page.text.indexOf('Cannot read properties'),
      page.text.indexOf('could not be shown'),
    ];
    assert.ok(inner > 0 && inner < outer);
    assert.match(
      (await get(`/_profiler/${record(0).token}?panel=exception`)).text,
      /No exception was thrown/,
    );
  });

  it('every panel of every record can be opened, and has the same blocks in Markdown', async () => {
    for (const { token } of records)
      for (const panel of [
        'request',
        'exception',
        'logs',
        'routing',
        'events',
        'time',
        'db',
        'config',
        'self',
        'more',
      ]) {
        const page = await get(`/_profiler/${token}?panel=${panel}`);
        assert.equal(page.status, 200, `${token} ${panel}`);
        assert.ok(!page.text.includes('failed on this record'), `${token} ${panel}`);
      }
    const report = await get(`/_profiler/${record(1).token}.md`);
    assert.equal(report.header('content-type'), 'text/markdown; charset=utf-8');
    for (const words of ['## Exception', '## Logs', '## Routing', 'blog_show', 'BlogController.show'])
      assert.ok(report.text.includes(words), words);
  });

  it('P7: a miss says whether the token is unknown, purged (and by which limit), not kept, or malformed', async () => {
    for (const [target, words] of [
      ['/_profiler/ffffff', /This store has no record with this token\./],
      ['/_profiler/deadbe', /purged.*by the limit on age/s],
      ['/_profiler/beef01', /purged.*with all others: all records were deleted manually or by an upgrade/s],
      ['/_profiler/feed01', /not kept/],
      ['/_profiler/ABCDEF', /malformed/],
      ['/_profiler/abc', /malformed/],
      ['/_profiler/%3Cscript%3E', /malformed/],
      ['/_profiler/abc000.html', /malformed/],
    ] as const) {
      const page = await get(target);
      assert.equal(page.status, 404, target);
      assert.match(page.text, words, target);
    }
  });

  it('P7: an unknown panel is a 404 that names the existing panels', async () => {
    const page = await get(`/_profiler/${record(0).token}?panel=%3Cb%3Enope`);
    assert.equal(page.status, 404);
    assert.match(
      page.text,
      /exception, time, db, http, cache, mail, jobs, command, view, logs, dump, browser, trace, cpu, request, routing, validation, security, translation, events, config, self, more/,
    );
    assert.ok(!page.text.includes('<b>nope'));
  });

  it('P7: latest is accepted as a token, with any panel', async () => {
    const page = await get('/_profiler/latest?panel=logs');
    assert.equal(page.status, 200);
    assert.ok(page.text.includes(record(0).token));
    assert.match(page.text, /id="panel-title"[^>]*>Logs</);
    const empty = await createOpenPage({ reader: createSampleReader([]) })('/_profiler/latest');
    assert.equal(empty?.status, 404);
  });

  it('P8: the same record is available as JSON with its schema; misses are problem documents', async () => {
    const page = await get(`/_profiler/${record(2).token}.json`);
    assert.equal(page.header('content-type'), 'application/json');
    assert.deepEqual(JSON.parse(page.text), JSON.parse(JSON.stringify(record(2))));
    const miss = await get('/_profiler/XYZ.json');
    assert.equal(miss.header('content-type'), 'application/problem+json');
    const problem = JSON.parse(miss.text) as { status: number; type: string };
    assert.deepEqual([problem.status, problem.type], [404, 'urn:lookback:profiler:malformed']);
  });

  it('E3: every response has the strict policy and no CORS header', async () => {
    for (const target of [
      '/_profiler/',
      `/_profiler/${record(0).token}`,
      '/_profiler/ffffff',
      '/_profiler/latest.json',
      '/_profiler/latest.md',
      '/_profiler/?q=abc000',
      '/_profiler/zz.json',
    ]) {
      const page = await get(target);
      assert.match(page.header('content-security-policy'), /^default-src 'none';.*frame-ancestors 'none'$/);
      assert.ok(!page.header('content-security-policy').includes('unsafe'));
      assert.equal(page.header('x-content-type-options'), 'nosniff');
      assert.equal(page.header('cross-origin-resource-policy'), 'same-origin');
      const isPage = page.header('content-type').startsWith('text/html');
      assert.equal(page.header('referrer-policy'), isPage ? 'same-origin' : 'no-referrer'); // its forms send an Origin
      assert.equal(page.header('cache-control'), 'no-store');
      assert.equal(page.header('access-control-allow-origin'), '');
    }
  });

  it('an unauthorised request is refused with the same ForbiddenError, whatever it requested', async () => {
    const targets = [
      '/_profiler/',
      '/_profiler/latest',
      '/_profiler/ffffff',
      `/_profiler/${record(0).token}.json`,
    ];
    for (const target of targets)
      await assert.rejects(open(target, { host: 'evil.example' }), {
        name: 'ForbiddenError',
        status: 403,
        message: 'The profiler is closed to this client: its Host is not allowed.',
      });
  });

  it("a panel that throws is replaced by a note, and an application's panel takes ten lines", async () => {
    const sections = { ...record(0).sections, broken: 1, letters: { sent: 2 } };
    const letters: Section<{ readonly sent: number }> = {
      id: 'letters',
      title: 'Letters',
      panel: {
        badge: ({ sent }) => ({ count: sent, tone: 'neutral', words: `${sent} letters` }),
        show: ({ sent }) => [{ kind: 'metrics', metrics: [{ label: 'sent', value: sent }] }],
      },
    };
    const fail = (): never => {
      throw new Error('no');
    };
    const own = createOpenPage({
      reader: createSampleReader([{ ...record(0), sections }]),
      sections: [{ id: 'broken', panel: { show: fail } }, letters],
    });
    assert.match(bodyOf(await own('/_profiler/latest?panel=broken')), /failed on this record/);
    const page = bodyOf(await own('/_profiler/latest?panel=letters'));
    assert.match(page, /2 letters/);
    assert.match(bodyOf(await own('/_profiler/latest.md')), /## Letters/);
  });
});

describe('the request list', () => {
  it('P2: the profiler’s own requests are hidden until requested', async () => {
    const mixed = createOpenPage({
      reader: createSampleReader([record(0), { ...record(3), origin: 'profiler', token: '0f0f0f' }]),
    });
    assert.ok(!bodyOf(await mixed('/_profiler/')).includes('0f0f0f'));
    const own = bodyOf(await mixed('/_profiler/?own=1'));
    assert.ok(own.includes('0f0f0f') && !own.includes(record(0).token));
  });

  it('form fields appear in the query', async () => {
    const page = await get('/_profiler/?q=%22%3E%3Cimg%22+src%3Dx%3E&status=4xx&method=POST&limit=100');
    assert.equal(page.status, 200);
    assert.match(
      page.text,
      /name="q" [^>]*value="&quot;(?:&gt;|>)&lt;img&quot; src=x(?:&gt;|>) status:4xx method:POST"/,
    );
    assert.ok(!page.text.includes('<img'));
  });

  it('searching for a token opens its record; anything else is a query', async () => {
    const known = await get(`/_profiler/?q=${record(0).token}`);
    assert.deepEqual([known.status, known.header('location')], [302, `/_profiler/${record(0).token}`]);
    const unknown = await get('/_profiler/?q=fffff9');
    assert.equal(unknown.status, 200);
    assert.match(unknown.text, /No request matches/);
  });

  it('pages are small: HTML 60 kB, styles 23 kB, script 15 kB, also with 50 rows', async () => {
    const many = Array.from({ length: 60 }, (_, index) => ({
      ...record(index % records.length),
      token: (0xa00000 + index).toString(16),
    }));
    const full = createOpenPage({ reader: createSampleReader(many), now: () => fixedNow });
    for (const target of [
      '/_profiler/',
      '/_profiler/a00001?panel=exception',
      '/_profiler/a00001?panel=time',
    ]) {
      const html = bodyOf(await full(target));
      const sizes = ['style', 'script'].map((tag) =>
        [...html.matchAll(new RegExp(`<${tag}>([^]*?)</${tag}>`, 'g'))].reduce(
          (sum, [, text]) => sum + (text ?? '').length,
          0,
        ),
      );
      const [css = 0, script = 0] = sizes;
      assert.ok(css <= 23_000 && script <= 15_000, `${target}: ${css} of CSS, ${script} of script`);
      assert.ok(html.length - css - script <= 60_000, `${target}: ${html.length - css - script} of HTML`);
    }
  });
});

describe('request counts', () => {
  it('are grouped by route and by error, each linking to its requests; the list has the total and can be sorted', async () => {
    const profiler = createProfiler({ store: 'memory:' });
    for (const [target, status] of [
      ['/a', 200],
      ['/b', 500],
      ['/c', 200],
    ] as const)
      watchRequest(profiler, {
        source: { target },
        sent: { status },
        during(recording) {
          recording.route({ name: 'blog', path: '/' });
          if (status === 500) recording.error(new TypeError('no'));
        },
      });
    const open = createOpenPage({ reader: profiler });
    const read = async (target: string): Promise<string> => bodyOf(await open(target));
    try {
      assert.match(await read('/_profiler/routes'), /q=route:blog">blog<\/a><\/td><td class="end">3</);
      const errors = await read('/_profiler/errors');
      assert.match(errors, /q=fingerprint:[^"]*">no<[^]*TypeError · [^]*GET \/b/);
      assert.match(errors, /The last 10 minutes, one by one: (?:0, ){9}1"/);
      assert.match(errors, /class="total">1 error, 1 occurrence</);
      assert.doesNotMatch(errors, /Refused/);
      assert.match(await read('/_profiler/?q=path:/c'), /href="\?q=path:\/c\+status:200">200</);
      const { rows: failed } = await profiler.list({ limit: 9 });
      const token = failed.find(({ status }) => status === 500)?.token;
      const [, group = ''] =
        /<a href="([^"]*)">Requests with this error</.exec(
          await read(`/_profiler/${token}?panel=exception`),
        ) ?? [];
      assert.match(group, /fingerprint:[\da-f]{8}/);
      assert.match(await read(group), /class="total">1</);
      const list = await read('/_profiler/?q=-status:5xx&limit=1&sort=-duration');
      assert.match(list, /class="total">2, by duration, smallest first/);
      assert.match(list, /aria-sort="ascending"/);
      assert.match(list, /aria-label="Remove the filter -status:5xx"/);
      assert.match(list, /<title>\d\d:\d\d UTC: 2 requests, 0 failed<\/title>/);
      assert.match(
        await read('/_profiler/?q=a+staus:1'),
        /<code class="refused places">a <mark>staus<\/mark>:1<\/code>/,
      );
    } finally {
      await profiler.close();
    }
  });
});
