import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { dump } from '#dump';
import type { ErrorReport } from '#errors';
import type { MatchTrace } from '#routing';
import { renderBlocksMarkdown } from '../api/render-blocks-markdown.js';
import type { DbQuery, DbSection } from '../collectors/db-section.js';
import type { ProfileRecord } from '../model/profile-record.js';
import type { RecordedBody } from '../model/recorded-message.js';
import type { ProfileSummary } from '../model/profile-summary.js';
import type { Block } from './blocks/block.js';
import { pageOf, pagesBlock } from './blocks/pages.js';
import { type ProfilerFacts, stateBlocks } from './blocks/state-blocks.js';
import { diffLines } from './compare/diff-lines.js';
import { configPanel } from './config-panel.js';
import { selfPanel } from './self-panel.js';
import { dbPanel } from './db-panel.js';
import { eventsPanel } from './events-panel.js';
import { exceptionPanel } from './exception-panel.js';
import { logsPanel } from './logs-panel.js';
import { createMorePanel } from './more-panel.js';
import { tracePanel } from './outgoing/trace-panel.js';
import { overviewPanel } from './overview-panel.js';
import type { Panel, PanelContext } from './panel.js';
import { requestPanel } from './request-panel.js';
import { routingPanel } from './routing-panel.js';
import { foldQueries } from './sql/fold-queries.js';

const body: RecordedBody = {
  encoding: 'text',
  content: 'text',
  contentType: 'text/plain',
  bytes: 4,
  cut: false,
};
const plain: ProfileRecord = {
  schema: 5,
  token: 'abcdef',
  sequence: 1,
  bucket: 'app',
  startedAt: 1000,
  durationMs: 200,
  state: 'complete',
  request: {
    method: 'GET',
    url: 'http://a.test/',
    target: '/',
    path: '/',
    httpVersion: '1.1',
    scheme: 'http',
    host: 'a.test',
    clientAddress: '127.0.0.1',
    peer: { address: '127.0.0.1', port: 1 },
    headers: [],
    cookies: [],
    query: [],
    body: null,
    parsed: null,
    locale: null,
    user: null,
  },
  response: { status: 200, headers: [], cookies: [], bodyBytes: 10, body: null, completed: true },
  route: null,
  controller: null,
  events: [],
  logs: [],
  logTotals: { total: 0, byLevel: {}, omitted: 0, omittedAfter: 0 },
  exception: null,
  timeline: [],
  runtime: {
    memory: { rss: 1, heapUsed: 1, heapTotal: 1, external: 1 },
    eventLoop: { meanDelayMs: 0, maxDelayMs: 0, utilization: 0 },
    sampledMsAgo: 0,
  },
  config: { node: 'v20' },
  sections: {},
  limits: [],
  cost: { recordMs: 0.5, bytes: 2048 },
};
const none = { count: 0, age: 0, bytes: 0, purge: 0 };
const facts: ProfilerFacts = {
  state: {
    status: 'ready',
    store: 'memory:',
    message: '',
    code: null,
    since: 0,
    setAside: null,
    records: 1,
    bytes: 1,
  },
  counters: {
    made: 5,
    stored: 4,
    pruned: none,
    dropped: { 'queue-full': 0, unrecordable: 0, 'store-set-aside': 0, 'not-written-at-close': 0 },
    pending: 1,
    open: 0,
    sampledOut: 0,
    renamed: 0,
    recordingMs: 0,
    failures: 0,
  },
  retention: undefined,
};

function contextWith(
  query: Readonly<Record<string, string>> = {},
  more: Partial<PanelContext> = {},
): PanelContext {
  return {
    link: (panel, given = {}) => `?panel=${panel}&${JSON.stringify(given)}`,
    linkTo: ({ panel, anchor = '' }) => `?panel=${panel}#${anchor}`,
    recordLink: (token) => `/r/${token}`,
    query: (name) => query[name] ?? '',
    editor: () => undefined,
    related: [],
    profiler: facts,
    ...more,
  };
}

const shown = (
  panel: Panel,
  changes: Partial<ProfileRecord>,
  query?: Readonly<Record<string, string>>,
): readonly Block[] => panel.show({ ...plain, ...changes }, contextWith(query));
const textOf = (
  panel: Panel,
  changes: Partial<ProfileRecord>,
  query?: Readonly<Record<string, string>>,
): string => renderBlocksMarkdown(shown(panel, changes, query), 2);
const badgeOf = (panel: Panel, changes: Partial<ProfileRecord>): unknown =>
  panel.badge({ ...plain, ...changes });

describe('the panel of request and response', () => {
  const asked = (changes: Partial<ProfileRecord['request']>): string =>
    textOf(requestPanel, { request: { ...plain.request, ...changes } });
  const answered = (changes: Partial<NonNullable<ProfileRecord['response']>>): string =>
    textOf(requestPanel, { response: plain.response && { ...plain.response, ...changes } });

  it('says what of the usual parts there is none', () => {
    assert.match(asked({}), /Query parameters, Cookies, Headers: none/);
    assert.match(asked({ query: [['a', 'b']] }), /Query parameters[^]*- a: `b`[^]*Cookies, Headers: none/);
  });

  it('says of a body that was not read how long it was announced to be', () => {
    assert.match(asked({ headers: [['content-length', '2048']] }), /not recorded: .*\(2\.0 KiB\)/);
    assert.match(asked({ headers: [['Transfer-Encoding', 'chunked']] }), /length not announced/);
    assert.doesNotMatch(asked({ headers: [['content-length', '0']] }), /not recorded/);
    assert.doesNotMatch(asked({ headers: [['content-length', '1e9']] }), /not recorded/);
  });

  it('shows JSON with its lines, its beginning where it was cut, and what nobody read', () => {
    const json = { ...body, contentType: 'application/json', content: '{"a":[1,2]}' };
    assert.match(asked({ body: json }), /```\n\{\n {2}"a": \[/);
    assert.match(
      asked({ body: { ...json, cut: true, bytes: 9000 } }),
      /not parsed: only its beginning[^]*the beginning of 8\.8 KiB/,
    );
    assert.match(asked({ body: { ...json, isUnread: true } }), /Not read by the controller/);
    assert.match(
      asked({ body: { ...body, encoding: 'base64', contentType: '' } }),
      /no content type, 4 B, as base64/,
    );
    assert.match(asked({ body: json, parsed: { format: 'json', value: dump({ a: [1] }) } }), /Read as json/);
  });

  it('says what became of the answer', () => {
    assert.match(textOf(requestPanel, { response: null }), /No response was sent/);
    assert.match(
      answered({ completed: false, bodyBytes: 512 }),
      /after 512 B of the body: it got a cut response/,
    );
    assert.match(answered({ body: null }), /No body was recorded/);
    const cookies = [
      { name: 'sid', value: '1', attributes: [['Path', '/'] as const, ['HttpOnly', ''] as const] },
    ];
    assert.match(answered({ cookies }), /`sid` \| `1` \| `Path=\/; HttpOnly`/);
  });

  it('shows who wrote a header, and that it was taken away', () => {
    const writes = [
      { by: null, name: 'X-A', value: '1' },
      { by: 'cors', name: 'X-A', value: null },
    ];
    assert.match(
      textOf(requestPanel, { sections: { headers: { writes } } }),
      /`X-A` \| `1` \| `the controller`[^]*`X-A` \| removed \| `cors`/,
    );
    assert.doesNotMatch(textOf(requestPanel, { sections: { headers: { other: 1 } } }), /in order/);
  });
});

describe('the panel of routing', () => {
  const trace = {
    method: 'GET',
    path: '/blogg',
    scheme: 'http',
    host: 'a.test',
    outcome: 'miss',
    rows: [
      { level: 'almost', name: 'blog', path: '/blog', reason: 'a letter more' },
      { level: 'no', name: 'home', path: '/', reason: 'other path' },
    ],
    nearMisses: [{ name: 'blog', path: '/blog' }],
    omitted: 7,
  } as unknown as MatchTrace; // what is shown of one
  const route = {
    name: 'blog',
    path: '/blog/{slug}',
    parameters: [{ name: 'slug', value: dump('soup') }],
    trace: null,
    allow: [],
  };

  it('says that routing was not reached, or that nothing was traced', () => {
    assert.equal(badgeOf(routingPanel, {}), undefined);
    assert.match(textOf(routingPanel, {}), /Routing was not reached/);
    const text = textOf(routingPanel, { route });
    assert.match(text, /`blog`[^]*\{slug\}: `"?'?soup/);
    assert.match(text, /No trace of the matching/);
  });

  it('says of a miss what is near, what methods there are, and how many were not tried', () => {
    const text = textOf(routingPanel, { route: { ...route, name: null, trace } });
    assert.match(
      text,
      /No route has this path[^]*Did you mean \/blog\?[^]*almost[^]*The path of 7 further routes did not match/,
    );
    const other = textOf(routingPanel, { route: { ...route, name: null, allow: ['POST', 'PUT'] } });
    assert.match(other, /under other methods only: POST, PUT/);
  });

  it('names the function that answered, and where', () => {
    const controller = {
      name: 'show',
      file: '/srv/a.ts',
      line: null,
      arguments: [{ name: 'slug', value: dump(5) }],
    };
    const text = textOf(routingPanel, { route, controller });
    assert.match(text, /`show`[^]*`\/srv\/a\.ts`[^]*Argument slug: `5`/);
  });
});

describe('the panel of the exception', () => {
  const report = {
    class: 'TypeError',
    message: 'x',
    status: 500,
    errors: [{ label: '1', isOuter: true, frames: [] }],
  } as unknown as ErrorReport; // what is looked at
  const late: ErrorReport = {
    ...report,
    errors: report.errors.map((error) => ({ ...error, isOuter: false })),
  };
  const notes = (changes: Partial<ProfileRecord>): readonly string[] =>
    shown(exceptionPanel, { exception: late, ...changes }).flatMap((block) =>
      block.kind === 'note' ? [block.text] : [],
    );

  it('counts what was thrown, and opens the record', () => {
    assert.equal(badgeOf(exceptionPanel, {}), undefined);
    assert.deepEqual(badgeOf(exceptionPanel, { exception: { ...report, more: 3 } }), {
      count: 4,
      tone: 'error',
      words: 'TypeError',
    });
    assert.deepEqual(badgeOf(exceptionPanel, { exception: { ...report, status: 404 } }), {
      count: 1,
      tone: 'warn',
      words: 'TypeError',
    });
    assert.deepEqual(
      [exceptionPanel.opens?.(plain), exceptionPanel.opens?.({ ...plain, exception: report })],
      [false, true],
    );
    assert.equal(shown(exceptionPanel, { exception: report }).length, 1);
  });

  it('says what the client got of one that came behind the response', () => {
    const response = plain.response;
    assert.match(notes({ response: null })[0] ?? '', /no response was sent/);
    assert.match(
      notes({ response: response && { ...response, completed: false } })[0] ?? '',
      /broke off after 10 B/,
    );
    assert.match(notes({})[0] ?? '', /which the client got whole/);
    const log = (offsetMs: number) => ({
      time: 0,
      offsetMs,
      level: 'critical',
      channel: 'process',
      message: 'm',
    });
    assert.match(notes({ logs: [log(300)] })[0] ?? '', /rejected 100 ms after the response/);
    assert.match(notes({ logs: [log(50)] })[0] ?? '', /rejected 50\.0 ms into the request/);
  });
});

describe('the panel of events', () => {
  const listener = { name: 'l', priority: 5, startMs: 1, durationMs: 2, stopped: false, failed: false };

  it('counts calls, and those that threw first', () => {
    const events = [
      { event: 'request', startMs: 0, durationMs: 3, listeners: [listener, { ...listener, stopped: true }] },
      { event: 'quiet', startMs: 4, durationMs: 0, listeners: [] },
    ];
    assert.deepEqual(badgeOf(eventsPanel, { events }), {
      count: 2,
      tone: 'neutral',
      words: '2 listener calls',
    });
    const failed = [
      { ...events[0], event: 'x', startMs: 0, durationMs: 0, listeners: [{ ...listener, failed: true }] },
    ];
    assert.deepEqual(badgeOf(eventsPanel, { events: failed }), {
      count: 1,
      tone: 'warn',
      words: '1 listener threw',
    });
    const text = textOf(eventsPanel, { events: [...events, ...failed] });
    assert.match(
      text,
      /continued[^]*set the response; later listeners were skipped[^]*no listeners[^]*threw/,
    );
    assert.match(textOf(eventsPanel, {}), /No events were dispatched/);
  });
});

describe('the panel of the log', () => {
  const lines = Array.from({ length: 70 }, (_, at) => ({
    time: 0,
    offsetMs: at,
    level: at % 10 === 0 ? 'error' : 'info',
    channel: `c${at % 20}`,
    message: `line ${at}`,
  }));
  const record = {
    logs: lines,
    logTotals: { total: 70, byLevel: { info: 63, error: 7 }, omitted: 0, omittedAfter: 0 },
  };
  const rowsOf = (query: Readonly<Record<string, string>>): number[] =>
    shown(logsPanel, record, query).flatMap(
      (block) =>
        block.kind === 'table' ? block.rows.map(({ cells }) => Number((cells[3] as string).slice(5))) : [], // a message
    );

  it('shows each line on one of its pages, and the page of a line that is asked for', () => {
    const pages = ['1', '2', '3'].flatMap((page) => rowsOf({ page }));
    assert.deepEqual(
      pages,
      lines.map((_, at) => at),
    );
    for (const page of ['', '0', 'x', '-1']) assert.equal(rowsOf({ page })[0], 0, page);
    assert.equal(rowsOf({ page: '99' }).at(-1), 69);
    const [first] = shown(logsPanel, record, { at: 'log-46' }).flatMap((block) =>
      block.kind === 'table' ? block.rows : [],
    );
    assert.equal(first?.cells[3], 'line 30');
  });

  it('filters by level and channel', () => {
    assert.deepEqual(rowsOf({ level: 'error' }), [0, 10, 20, 30, 40, 50, 60]);
    assert.deepEqual(rowsOf({ level: 'error', channel: 'c10' }), [10, 30, 50]);
    assert.deepEqual(rowsOf({ level: 'none' }), []);
  });
});

const query = (changes: Partial<DbQuery> = {}): DbQuery => ({
  sql: 'select * from a where id = ?',
  params: [{ name: 'id', value: dump(1) }],
  startedAt: 1010,
  durationMs: 2,
  rows: 1,
  connection: 'main',
  error: null,
  callSite: [],
  ...changes,
});
function dbOf(
  queries: readonly DbQuery[],
  more: Partial<DbSection['totals']> = {},
  groups: DbSection['groups'] = [],
): DbSection {
  const totals = {
    queries: queries.length,
    failed: 0,
    durationMs: 2,
    flushes: 0,
    flushMs: 0,
    commits: 0,
    rollbacks: 0,
    created: 0,
    updated: 0,
    removed: 0,
    ...more,
  };
  return { queries, groups, changes: [], totals };
}

describe('the panel of the database', () => {
  const text = (section: DbSection, asked?: Readonly<Record<string, string>>): string =>
    textOf(dbPanel, { sections: { db: section } }, asked);
  const badge = (section: DbSection): unknown => badgeOf(dbPanel, { sections: { db: section } });

  it('warns of what failed before what repeats itself before how much there was', () => {
    const group = { kind: 'n+1', sql: 's', count: 9, durationMs: 1, callSite: null, queries: [0] } as const;
    assert.equal(badge(dbOf([])), undefined);
    assert.deepEqual(badge(dbOf([query()])), { count: 1, tone: 'neutral', words: '1 query' });
    assert.deepEqual(badge(dbOf([query()], {}, [group])), { count: 1, tone: 'warn', words: 'N+1 ×9' });
    assert.deepEqual(badge(dbOf([query()], { failed: 2 }, [group])), {
      count: 1,
      tone: 'error',
      words: '2 failed queries',
    });
    assert.match(textOf(dbPanel, {}), /No queries\. .*docs\/taps\.md/);
  });

  it('puts values into the statement, and says which it could not', () => {
    assert.match(text(dbOf([query()])), /id = 1/);
    const hidden = query({ params: [{ name: 'password', value: { type: 'redacted', text: '[redacted]' } }] });
    assert.match(text(dbOf([hidden])), /1 value could not be put in[^]*id = \?[^]*password/);
  });

  it('folds queries of one shape, keeps what failed by itself, and counts those that were not kept', () => {
    const many = Array.from({ length: 8 }, (_, at) => query({ params: [{ name: 'id', value: dump(at) }] }));
    const section = dbOf([...many, query({ error: 'no such table' })], { queries: 12, failed: 1 });
    const found = text(section);
    assert.match(found, /×8/);
    assert.match(found, /no such table/);
    assert.match(found, /3 further queries are in the JSON form/);
    assert.match(found, /3 further queries were counted, but not kept/);
  });

  it('shows the page of the query that a link leads to', () => {
    const many = Array.from({ length: 40 }, (_, at) => query({ sql: `select ${'x'.repeat(at + 1)} from t` }));
    const section = dbOf(many);
    const first = (asked: Readonly<Record<string, string>>): string | undefined =>
      shown(dbPanel, { sections: { db: section } }, asked).flatMap((block) =>
        block.kind === 'table' ? block.rows : [],
      )[0]?.anchor;
    assert.deepEqual(
      [first({}), first({ page: '2' }), first({ at: 'query-33' })],
      ['query-1', 'query-16', 'query-31'],
    );
  });

  it('counts what was written', () => {
    const changes = [{ action: 'create', entity: 'Article', id: '7', values: dump({ title: 'Soup' }) }];
    const found = textOf(dbPanel, {
      sections: { db: { ...dbOf([query()], { created: 1, flushes: 1, commits: 1 }), changes } },
    });
    assert.match(found, /Flushes: 1, commits: 1, rollbacks: 0[^]*Changes written[^]*`Article` \| `7`/);
  });
});

describe('queries that are folded', () => {
  it('are each in one fold, in the order of the first, by connection', () => {
    const sql = fc.constantFrom('select 1', 'select 2', 'select a from b', 'select c');
    const any = fc.record({
      sql,
      connection: fc.constantFrom('x', 'y'),
      error: fc.constantFrom(null, null, 'broken'),
      rows: fc.option(fc.nat(5)),
      durationMs: fc.nat(5),
    });
    fc.assert(
      fc.property(fc.array(any, { maxLength: 12 }), (given) => {
        const queries = given.map((changes) => query(changes));
        const folds = foldQueries(queries);
        assert.deepEqual(
          folds.flatMap(({ places }) => places).toSorted((a, b) => a - b),
          queries.map((_, at) => at),
        );
        const firsts = folds.map(({ places }) => places[0] ?? -1);
        assert.deepEqual(
          firsts,
          firsts.toSorted((a, b) => a - b),
        );
        for (const { places, durationMs, rows, failed, isGroup } of folds) {
          const members = places.flatMap((place) => queries[place] ?? []);
          assert.equal(new Set(members.map(({ connection }) => connection)).size, 1);
          assert.equal(
            durationMs,
            members.reduce((sum, one) => sum + one.durationMs, 0),
          );
          const known = members.flatMap((one) => one.rows ?? []);
          assert.equal(rows, known.length === 0 ? null : known.reduce((sum, one) => sum + one, 0));
          assert.equal(failed, members[0]?.error !== null);
          assert.ok(!failed || members.length === 1);
          assert.equal(isGroup, members.length > 2);
        }
      }),
    );
  });
});

describe('the panel of a trace', () => {
  const trace = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), parentId: null };
  const row = (token: string, startedAt: number): ProfileSummary =>
    ({
      token,
      startedAt,
      durationMs: 1,
      status: 200,
      exception: null,
      method: 'GET',
      url: 'http://b.test/',
    }) as ProfileSummary; // what is shown of it

  it('asks for the records of the trace, also of one that was not continued', () => {
    const wanted = (section: unknown): unknown =>
      tracePanel.related?.({ ...plain, sections: { trace: section } });
    assert.deepEqual(wanted({ trace, received: null }), {
      where: [{ columns: ['trace'], test: { kind: 'is', texts: [trace.traceId] } }],
    });
    assert.deepEqual(wanted({ trace: null, received: 'c'.repeat(32) }), {
      where: [{ columns: ['trace'], test: { kind: 'is', texts: ['c'.repeat(32)] } }],
    });
    assert.equal(wanted({ trace: null, received: null }), undefined);
    assert.equal(wanted(5), undefined);
  });

  it('shows them in their order, with this one among them', () => {
    const related = [row('zzz999', 1500), row('abcdef', 1000), row('aaa111', 900)];
    const blocks = tracePanel.show(
      { ...plain, sections: { trace: { trace, received: 'c'.repeat(32) } } },
      contextWith({}, { related }),
    );
    const text = renderBlocksMarkdown(blocks, 2);
    assert.match(text, /-100\.00 ms.*aaa111[^]*this one[^]*500 ms.*zzz999/);
    assert.match(text, /not continued: `?c{32}/);
  });
});

describe('the overview', () => {
  it('says that nothing stands out, and shows the last lines of the log', () => {
    const logs = Array.from({ length: 6 }, (_, at) => ({
      time: 0,
      offsetMs: at,
      level: 'info',
      channel: 'app',
      message: `line ${at}`,
    }));
    const text = textOf(overviewPanel, { logs, logTotals: { ...plain.logTotals, total: 6 } });
    assert.match(text, /Nothing stands out/);
    assert.match(text, /line 3[^]*line 4[^]*line 5/);
    assert.doesNotMatch(text, /line 2/);
    assert.match(textOf(overviewPanel, { response: null }), /No response was sent/);
  });

  it('shows the beginning of a long body and says so', () => {
    const long = { ...body, content: 'y'.repeat(900), bytes: 900 };
    const text = textOf(overviewPanel, { request: { ...plain.request, body: long } });
    assert.match(text, /its beginning/);
    assert.equal(/y{2,}/.exec(text)?.[0].length, 400);
  });

  it('folds the bars of a long timeline until there are few', () => {
    const timeline = Array.from({ length: 300 }, (_, at) => ({
      name: `q${at}`,
      category: 'database',
      startMs: at * 0.5,
      durationMs: 0.4,
    }));
    const [block] = shown(overviewPanel, { timeline }).filter(({ kind }) => kind === 'timeline');
    assert.ok(block?.kind === 'timeline' && block.spans.length <= 12);
  });
});

describe('what the profiler says of itself', () => {
  const text = (changes: Partial<ProfilerFacts>): string =>
    renderBlocksMarkdown(stateBlocks({ ...facts, ...changes }), 2);
  it('says what a failing store is wrong with, and what records cost', () => {
    const { counters, state } = facts;
    assert.match(text({ counters: { ...counters, made: 4, recordingMs: 10 } }), /For each record: `2.50 ms`/);
    assert.match(
      text({ state: { ...state, status: 'failing', message: 'It is away.', code: 'PROFILER_STORE_AWAY' } }),
      /It is away\. \(PROFILER\\_STORE\\_AWAY\)/,
    );
  });

  it('is shown with what bounds cut away, beside the configuration', () => {
    const limits = [{ what: 'logs', kept: 3, total: 1200, limit: 3 }];
    assert.match(textOf(selfPanel, { limits }), /`logs` \| `3` \| `1,200` \| `3`/);
    assert.match(textOf(selfPanel, {}), /Nothing was cut away/);
    assert.match(textOf(configPanel, {}), /node: `v20`/);
    assert.match(textOf(configPanel, { config: {} }), /Nothing was recorded about the configuration/);
  });
});

describe('other data', () => {
  it('is what no panel shows', () => {
    const panel = createMorePanel([dbPanel]);
    const sections = { db: { x: 1 }, own: { a: 1 }, list: [1, 2] };
    assert.deepEqual(badgeOf(panel, { sections }), { count: 2, tone: 'neutral', words: '2 sections' });
    assert.equal(badgeOf(panel, { sections: { db: 1 } }), undefined);
    assert.match(textOf(panel, { sections }), /## own[^]*## list/);
    assert.match(textOf(panel, {}), /No other collector ran/);
  });
});

describe('pages of a list', () => {
  it('hold every entry once, and the one that is wanted', () => {
    fc.assert(
      fc.property(fc.nat(200), fc.integer({ min: 1, max: 30 }), fc.nat(250), (total, size, at) => {
        const { pages } = pageOf({ total, size, wanted: '', at: -1 });
        const seen = Array.from({ length: pages }, (_, page) =>
          pageOf({ total, size, wanted: String(page + 1), at: -1 }),
        ).flatMap(({ from, to }) => Array.from({ length: to - from }, (_, place) => from + place));
        assert.deepEqual(
          seen,
          Array.from({ length: total }, (_, place) => place),
        );
        const page = pageOf({ total, size, wanted: '1', at });
        if (at < total) assert.ok(page.from <= at && at < page.to);
        const links = pagesBlock(page, String).flatMap((block) =>
          block.kind === 'filters' ? block.filters : [],
        );
        assert.equal(links.length === 0, pages === 1);
        assert.equal(links.filter(({ chosen }) => chosen).length, pages === 1 ? 0 : 1);
        assert.equal(new Set(links.map(({ href }) => href)).size, links.length);
      }),
    );
  });
});

describe('lines that are compared', () => {
  it('are the fewest that differ', () => {
    const line = fc.constantFrom('a', 'b', 'c');
    const longest = (a: readonly string[], b: readonly string[]): number => {
      if (a.length === 0 || b.length === 0) return 0;
      if (a[0] === b[0]) return 1 + longest(a.slice(1), b.slice(1));
      return Math.max(longest(a.slice(1), b), longest(a, b.slice(1)));
    };
    fc.assert(
      fc.property(fc.array(line, { maxLength: 6 }), fc.array(line, { maxLength: 6 }), (a, b) => {
        const lines = diffLines(a, b);
        assert.equal(lines.filter(({ side }) => side === 'both').length, longest(a, b));
        assert.deepEqual(
          lines.filter(({ side }) => side !== 'second').map(({ text }) => text),
          a,
        );
        assert.deepEqual(
          lines.filter(({ side }) => side !== 'first').map(({ text }) => text),
          b,
        );
      }),
    );
  });

  it('of more than 400 are compared as sets', () => {
    const many = Array.from({ length: 401 }, (_, at) => String(at));
    const lines = diffLines(many, many.toReversed());
    assert.equal(lines.length, 401);
    assert.ok(lines.every(({ side }) => side === 'both'));
    assert.deepEqual(diffLines(many, [...many, 'new']).at(-1), { text: 'new', side: 'second' });
  });
});
