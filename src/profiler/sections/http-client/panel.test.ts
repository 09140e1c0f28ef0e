import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dump } from '#core/dump';
import type { EditorLinker } from '#core/errors';
import { panelOutline } from '../../../../test/profiler/page-outline.js';
import { badgeOf, contextWith, plain } from '../../../../test/profiler/plain-record.js';
import type { ProfileRecord } from '../../model/profile-record.js';
import { summaryOf } from '../../model/profile-summary.js';
import { httpPanel } from './panel.js';
import { tracePanel } from '../trace/panel.js';
import { jobsPanel } from '../jobs/panel.js';
import { mailPanel } from '../mail/panel.js';
import { cachePanel } from '../cache/panel.js';
import { renderBlocksMarkdown } from '../../web/reports/render-blocks-markdown.js';
import type { ProfileSummary } from '../../model/profile-summary.js';

describe('the trace panel', () => {
  const trace = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), parentId: null };
  const row = (token: string, startedAt: number): ProfileSummary =>
    summaryOf({ ...plain, token, startedAt, durationMs: 1 }, {});

  it("selects the trace's records, even for a trace that was not continued", () => {
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

  it('shows them in order, including this one', () => {
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

const callSite = [{ name: 'show', file: '/srv/app/shop.ts', line: 3, column: 7 }];
const editor: EditorLinker = (file, line, column) => ({
  href: `vscode://file${file}:${line}:${column}`,
  scheme: 'vscode',
});
const call = { offsetMs: 5, durationMs: 20, error: null, callSite };

describe('panels about other services', () => {
  const http = {
    ...call,
    method: 'GET',
    url: 'http://stock/3',
    status: 200,
    isOpen: false,
    phases: { sendMs: 1, waitMs: 18, receiveMs: 0 },
    requestHeaders: ['Accept', '*/*', 'X-One', '1'],
    responseHeaders: [],
    requestBody: null,
    responseBody: { text: 'found', bytes: 5, isCut: false },
    record: 'abc123',
    recordLink: 'http://stock/_profiler/abc123',
    spanId: 'b7ad6b7169203331',
  };

  it("show calls with status and tone, phases, bodies, headers and the other side's record", () => {
    const calls = [
      http,
      { ...http, status: 404, record: null, recordLink: null, spanId: '', callSite: [], requestHeaders: [] },
      { ...http, status: 500, responseBody: { text: 'b', bytes: 2048, isCut: true } },
      {
        ...http,
        status: 0,
        error: 'ECONNREFUSED',
        isOpen: true,
        responseBody: { text: null, bytes: 7, isCut: true },
        requestBody: { text: '', bytes: 0, isCut: false },
      },
    ];
    const sections = { http: { calls, totals: { calls: 6, failed: 2, durationMs: 80 } } };
    assert.equal(
      panelOutline(httpPanel, { sections }, {}, { editor }),
      `
| calls
| 6
| waiting
| 80.0 ms
div .tone-warn
  | failed
  | 2
div role=group aria-label=Outgoing requests, the first 4 of 6 tabindex=0
  table
    caption: Outgoing requests, the first 4 of 6
    th scope=col .end .minor: Start
    th scope=col .end: Duration
    th scope=col .end: Status
    th scope=col: Method
    th scope=col: URL
    th scope=col .minor: Record
    tr id=call-1
      td .end .minor
        span .muted: 5.00 ms
      td .end: 20.0 ms
      td .end: 200
      | GET
      details
        summary: http://stock/3
        dl aria-label=The call
          | Until sent
          | 1.00 ms
          | Waiting
          | 18.0 ms
          | Span
          | b7ad6b7169203331
          | Record of the called service
          a href=http://stock/_profiler/abc123: abc123
          | Sent from
          a href=vscode://file/srv/app/shop.ts:3:7: show (/srv/app/shop.ts:3)
        figure
          figcaption
            | Response body, 5 B
            button type=button data-copy-block hidden: Copy
          pre tabindex=0 aria-label=Response body, 5 B: found
        details
          summary
            h3
              | Request headers
              | 2
          dl aria-label=Request headers
            | Accept
            | */*
            | X-One
            | 1
        details
          summary
            h3
              | Response headers
              | 0
          | Not known.
      td .minor
        a href=http://stock/_profiler/abc123: abc123
    tr .row-warn id=call-2
      td .end .minor
        span .muted: 5.00 ms
      td .end: 20.0 ms
      td .end
        span .tone-warn: 404
      | GET
      details
        summary: http://stock/3
        dl aria-label=The call
          | Until sent
          | 1.00 ms
          | Waiting
          | 18.0 ms
        figure
          figcaption
            | Response body, 5 B
            button type=button data-copy-block hidden: Copy
          pre tabindex=0 aria-label=Response body, 5 B: found
        details
          summary
            h3
              | Request headers
              | 0
          | Not known.
        details
          summary
            h3
              | Response headers
              | 0
          | Not known.
      td .minor
        span .muted: empty
    tr .row-error id=call-3
      td .end .minor
        span .muted: 5.00 ms
      td .end: 20.0 ms
      td .end
        span .tone-error: 500
      | GET
      details
        summary: http://stock/3
        dl aria-label=The call
          | Until sent
          | 1.00 ms
          | Waiting
          | 18.0 ms
          | Span
          | b7ad6b7169203331
          | Record of the called service
          a href=http://stock/_profiler/abc123: abc123
          | Sent from
          a href=vscode://file/srv/app/shop.ts:3:7: show (/srv/app/shop.ts:3)
        figure
          figcaption
            | Response body, the beginning of 2.0 KiB
            button type=button data-copy-block hidden: Copy
          pre tabindex=0 aria-label=Response body, the beginning of 2.0 KiB: b
        details
          summary
            h3
              | Request headers
              | 2
          dl aria-label=Request headers
            | Accept
            | */*
            | X-One
            | 1
        details
          summary
            h3
              | Response headers
              | 0
          | Not known.
      td .minor
        a href=http://stock/_profiler/abc123: abc123
    tr .row-error id=call-4
      td .end .minor
        span .muted: 5.00 ms
      td .end: 20.0 ms
      td .end
        span .tone-error: –
      | GET
      details
        summary: http://stock/3
        dl aria-label=The call
          | Error
          span .tone-error: ECONNREFUSED
          | State
          | still open when the request ended
          | Until sent
          | 1.00 ms
          | Waiting
          | 18.0 ms
          | Span
          | b7ad6b7169203331
          | Record of the called service
          a href=http://stock/_profiler/abc123: abc123
          | Sent from
          a href=vscode://file/srv/app/shop.ts:3:7: show (/srv/app/shop.ts:3)
        p .muted: Response body: 7 B, not kept.
        details
          summary
            h3
              | Request headers
              | 2
          dl aria-label=Request headers
            | Accept
            | */*
            | X-One
            | 1
        details
          summary
            h3
              | Response headers
              | 0
          | Not known.
      td .minor
        a href=http://stock/_profiler/abc123: abc123
`,
    );
    assert.deepEqual(badgeOf(httpPanel, { sections }), {
      count: 6,
      tone: 'warn',
      words: '2 failed HTTP calls',
    });
    const one = { http: { calls: [http], totals: { calls: 1, failed: 0, durationMs: 20 } } };
    assert.deepEqual(badgeOf(httpPanel, { sections: one }), {
      count: 1,
      tone: 'neutral',
      words: '1 HTTP call',
    });
    assert.doesNotMatch(panelOutline(httpPanel, { sections: one }), /failed|further/);
  });

  it('show cache commands with hits and misses', () => {
    const command = { ...call, system: 'redis', command: 'get', args: 'cart:1', hit: 1 };
    const commands = [command, { ...command, hit: 0 }, { ...command, hit: null, error: 'no', callSite: [] }];
    const sections = {
      cache: { commands, totals: { commands: 4, failed: 1, hits: 1, misses: 1, durationMs: 60 } },
    };
    assert.equal(
      panelOutline(cachePanel, { sections }),
      `
| commands
| 4
| waiting
| 60.0 ms
| hits
| 1
| misses
| 1
div role=group aria-label=Commands, the first 3 of 4 tabindex=0
  table
    caption: Commands, the first 3 of 4
    th scope=col .end .minor: Start
    th scope=col .end: Duration
    th scope=col: Command
    th scope=col: Key
    th scope=col: Answer
    tr id=command-1
      td .end .minor
        span .muted: 5.00 ms
      td .end: 20.0 ms
      | get
      details
        summary: cart:1
        dl aria-label=The command
          | Sent from
          | show (/srv/app/shop.ts:3)
      | hit
    tr id=command-2
      td .end .minor
        span .muted: 5.00 ms
      td .end: 20.0 ms
      | get
      details
        summary: cart:1
        dl aria-label=The command
          | Sent from
          | show (/srv/app/shop.ts:3)
      | miss
    tr .row-error id=command-3
      td .end .minor
        span .muted: 5.00 ms
      td .end: 20.0 ms
      | get
      details
        summary: cart:1
        dl aria-label=The command
          | Error
          span .tone-error: no
      | –
`,
    );
    assert.deepEqual(badgeOf(cachePanel, { sections }), {
      count: 4,
      tone: 'warn',
      words: '1 failed cache command',
    });
    const one = {
      cache: { commands: [command], totals: { commands: 1, failed: 0, hits: 1, misses: 0, durationMs: 2 } },
    };
    assert.match(panelOutline(cachePanel, { sections: one }), /\| command\n/);
    assert.deepEqual(badgeOf(cachePanel, { sections: one }), {
      count: 1,
      tone: 'neutral',
      words: '1 cache command',
    });
  });

  const mail = {
    ...call,
    subject: 'Welcome',
    from: ['shop@a.test'],
    to: ['ada@a.test', 'bob@a.test'],
    cc: ['c@a.test'],
    bcc: ['d@a.test'],
    text: 'Hello',
    html: '<p>Hello',
    attachments: [
      { name: 'a.pdf', type: 'application/pdf', bytes: 2048 },
      { name: 'b', type: '', bytes: null },
    ],
    messageId: '<1@a.test>',
  };

  it('show mail with its addresses, attachments and text, and its page as a document', () => {
    const bare = {
      ...mail,
      subject: '',
      text: null,
      html: null,
      attachments: [],
      messageId: null,
      cc: [],
      bcc: [],
      error: 'refused',
    };
    const sections = { mail: { messages: [mail, bare], more: 2 } };
    assert.equal(
      panelOutline(mailPanel, { sections }),
      `
h3: Welcome
dl aria-label=Message
  | From
  | shop@a.test
  | To
  | ada@a.test, bob@a.test
  | Cc
  | c@a.test
  | Bcc
  | d@a.test
  | Attachment
  | a.pdf, application/pdf, 2.0 KiB
  | Attachment
  | b
  | Message-ID
  | &lt;1@a.test>
  | Sending took
  | 20.0 ms
  | Sent from
  | show (/srv/app/shop.ts:3)
iframe sandbox src=?panel=mail&amp;{&quot;document&quot;:&quot;0&quot;} title=Preview of “Welcome” loading=lazy
figure
  figcaption
    | Text
    button type=button data-copy-block hidden: Copy
  pre tabindex=0 aria-label=Text: Hello
h3: (no subject)
dl aria-label=Message
  | Error
  span .tone-error: refused
  | From
  | shop@a.test
  | To
  | ada@a.test, bob@a.test
  | Sending took
  | 20.0 ms
  | Sent from
  | show (/srv/app/shop.ts:3)
p .muted: 2 further messages were left out.
`,
    );
    assert.deepEqual(badgeOf(mailPanel, { sections }), {
      count: 4,
      tone: 'error',
      words: '1 message not sent',
    });
    assert.deepEqual(badgeOf(mailPanel, { sections: { mail: { messages: [mail], more: 0 } } }), {
      count: 1,
      tone: 'neutral',
      words: '1 message',
    });
    const record = { ...plain, sections };
    assert.deepEqual(
      ['0', '1', '2', '0x', '', '0000'].map((name) => mailPanel.document?.(record, name)),
      ['<p>Hello', undefined, undefined, undefined, undefined, undefined],
    );
  });

  it('show the recorded job, and jobs that were sent', () => {
    const run = {
      queue: 'mails',
      name: 'welcome',
      id: '7',
      attempt: 2,
      data: dump({ to: 'ada' }),
      result: dump(true),
    };
    const job = { ...call, queue: 'mails', name: 'welcome', id: null, data: dump(1) };
    const sent = [job, { ...job, id: '8', error: 'no' }];
    assert.equal(
      panelOutline(jobsPanel, { sections: { jobs: { run, sent, more: 1 } } }),
      `
h3: This is the record of a job
dl aria-label=The job
  | Queue
  | mails
  | Name
  | welcome
  | Id
  | 7
  | Attempt
  | 2
  | Data
  details open
    summary
      | {
      | …}
    | to
    | :
    | &quot;ada&quot;
    | }
  | Result
  | true
div role=group aria-label=Jobs added to queues, the first 2 of 3 tabindex=0
  table
    caption: Jobs added to queues, the first 2 of 3
    th scope=col .end .minor: Start
    th scope=col .end: Duration
    th scope=col: Queue
    th scope=col: Job
    th scope=col: Id
    td .end .minor
      span .muted: 5.00 ms
    td .end: 20.0 ms
    | mails
    details
      summary: welcome
      dl aria-label=The job
        | Data
        | 1
        | Sent from
        | show (/srv/app/shop.ts:3)
    span .muted: empty
    tr .row-error
      td .end .minor
        span .muted: 5.00 ms
      td .end: 20.0 ms
      | mails
      details
        summary: welcome
        dl aria-label=The job
          | Error
          span .tone-error: no
          | Data
          | 1
          | Sent from
          | show (/srv/app/shop.ts:3)
      | 8
p .muted: The records of the jobs are in the panel “Trace”, once they have run.
`,
    );
    assert.doesNotMatch(
      panelOutline(jobsPanel, { sections: { jobs: { run, sent: [], more: 0 } } }),
      /Jobs added|Trace/,
    );
    assert.match(
      panelOutline(jobsPanel, { sections: { jobs: { run: null, sent: [], more: 0 } } }),
      /No job was queued\.\np \.muted: The records of the jobs/,
    );
    const opens = (given: object, changes: Partial<ProfileRecord> = {}): unknown =>
      jobsPanel.opens?.({ ...plain, ...changes, sections: { jobs: given } });
    const exception = {} as ProfileRecord['exception']; // only its presence counts
    assert.deepEqual(
      [
        opens({ run, sent }),
        opens({ run: null, sent }),
        opens({ run, sent }, { exception }),
        opens({ sent }),
      ],
      [true, false, false, false],
    );
    assert.deepEqual(badgeOf(jobsPanel, { sections: { jobs: { run, sent, more: 1 } } }), {
      count: 3,
      tone: 'neutral',
      words: '3 jobs',
    });
    assert.equal(badgeOf(jobsPanel, { sections: { jobs: { run, sent: [], more: 0 } } }), 'plain');
  });

  it("show a trace's requests in order, with failures", () => {
    const row = summaryOf({ ...plain, token: 'abc001', startedAt: 1500 }, {});
    const related = [
      { ...row, status: 500 },
      { ...row, token: 'abc002', startedAt: 900, status: 0, exception: 'It broke' },
      { ...row, token: 'abcdef', startedAt: 1000, status: 499 },
    ];
    const trace = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), parentId: null };
    assert.equal(
      panelOutline(tracePanel, { sections: { trace: { trace, received: 'f'.repeat(32) } } }, {}, { related }),
      `
h3: Where the time went
span .muted: 3 requests and jobs
svg aria-hidden=true
  line x1=0% x2=0% y2=100%
  line x1=31.25% x2=31.25% y2=100%
  line x1=62.5% x2=62.5% y2=100%
  line x1=100% x2=100% y2=100%
table
  caption: Requests and jobs of this trace on one axis
  th scope=col: Step
  th scope=col
    | Where the time went
    svg aria-hidden=true width=100% height=16
      text x=0% y=12: 0
      text x=31.25% y=12: 250
      text x=62.5% y=12: 500
      text x=100% y=12 text-anchor=end: 800 ms
  th scope=col .end: Time
  th scope=row title=GET / · complete
    a href=/r/abc002: GET /
    small: complete
  svg aria-hidden=true
    rect x=0% y=.5 width=25% height=13
    rect x=0% width=25% height=14
  td .end: 200 ms
  th scope=row title=GET / · 499, this one
    | GET /
    small: 499, this one
  svg aria-hidden=true
    rect x=12.5% y=.5 width=25% height=13
    rect x=12.5% width=25% height=14
  td .end: 200 ms
  th scope=row title=GET / · 500
    a href=/r/abc001: GET /
    small: 500
  svg aria-hidden=true
    rect x=75% y=.5 width=25% height=13
    rect x=75% width=25% height=14
  td .end: 200 ms
div role=group aria-label=Requests and jobs of this trace tabindex=0
  table
    caption: Requests and jobs of this trace
    th scope=col .end: Start
    th scope=col .end: Duration
    th scope=col .end: Status
    th scope=col: Method
    th scope=col: URL
    th scope=col: Record
    tr .row-error
      td .end
        span .muted: -100.00 ms
      td .end: 200 ms
      td .end: –
      | GET
      | http://a.test/
      a href=/r/abc002: abc002
    td .end
      span .muted: 0.00 ms
    td .end: 200 ms
    td .end: 499
    | GET
    | http://a.test/
    | this one
    tr .row-error
      td .end
        span .muted: 500 ms
      td .end: 200 ms
      td .end: 500
      | GET
      | http://a.test/
      a href=/r/abc001: abc001
dl aria-label=Trace context
  | Trace
  | aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
  button type=button data-copy=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa hidden: Copy
  | Span
  | bbbbbbbbbbbbbbbb
  | Named by the client, not continued
  | ffffffffffffffffffffffffffffffff
`,
    );
    const own = panelOutline(tracePanel, { sections: { trace: { trace, received: trace.traceId } } });
    assert.doesNotMatch(own, /not continued/);
    assert.match(own, /No other record of this trace is in this store/);
    assert.deepEqual(
      tracePanel.related?.({ ...plain, sections: { trace: { trace: null, received: 'f' } } }),
      {
        where: [{ columns: ['trace'], test: { kind: 'is', texts: ['f'] } }],
      },
    );
    assert.equal(
      tracePanel.related?.({ ...plain, sections: { trace: { trace: null, received: null } } }),
      undefined,
    );
  });
});
