import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dump } from '#core/dump';
import type { EditorLinker } from '#core/errors';
import { panelOutline } from '../../../test/profiler/page-outline.js';
import { badgeOf, body, plain } from '../../../test/profiler/plain-record.js';
import type { ProfileRecord } from '../model/profile-record.js';
import { logsPanel } from './logs/panel.js';
import { requestPanel } from './request/panel.js';
import { routingPanel } from './routing/panel.js';
import { securityPanel } from './security/panel.js';

const editor: EditorLinker = (file, line, column) => ({
  href: `vscode://file${file}:${line}:${column}`,
  scheme: 'vscode',
});

describe("the request's panels", () => {
  const listener = {
    name: 'robots',
    priority: -255,
    startMs: 1,
    durationMs: 1,
    stopped: false,
    failed: false,
  };
  const location = { name: 'set', file: '/srv/app/shop.ts', line: 3, column: 7 };
  const record: Partial<ProfileRecord> = {
    request: {
      ...plain.request,
      headers: [['Host', 'a.test']],
      query: [['page', '2']],
      user: 'ada',
      body: { ...body, contentType: 'application/json', content: '{"a":1}', bytes: 2048, cut: true },
      parsed: { format: 'json', value: dump({ a: 1 }) },
      rawHead: 'GET / raw',
    },
    response: {
      status: 200,
      headers: [['X-One', '1']],
      cookies: [
        {
          name: 'seen',
          value: '1',
          attributes: [
            ['Path', '/'],
            ['HttpOnly', ''],
          ],
        },
      ],
      bodyBytes: 10,
      body: { ...body, encoding: 'base64', contentType: '' },
      completed: false,
    },
    controller: {
      name: 'show',
      file: '/srv/app/shop.ts',
      line: 9,
      arguments: [{ name: 'id', value: dump(5) }],
    },
    events: [
      {
        event: 'response',
        startMs: 0,
        durationMs: 1,
        listeners: [{ ...listener, location: { file: '/srv/app/robots.ts', line: 1, column: 1 } }],
      },
    ],
    sections: {
      headers: {
        writes: [
          { by: null, name: 'X-One', value: '1' },
          { by: 'robots', name: 'X-Robots-Tag', value: 'noindex' },
          { by: 'unknown', name: 'X-Two', value: null },
          { by: 'express', name: 'Vary', value: 'a', location, isRemembered: true },
          {
            by: null,
            name: 'ETag',
            value: 'b',
            location: { ...location, file: '/srv/node_modules/etag/index.js' },
          },
        ],
      },
    },
  };

  it('show the request with its parts, and the response with its header writers', () => {
    assert.equal(
      panelOutline(requestPanel, record, {}, { editor }),
      `
h3: Request
dl aria-label=Request
  | Target
  | /
  | Host
  | a.test
  | Peer
  | 127.0.0.1:1
  | HTTP version
  | 1.1
  | Client
  | 127.0.0.1
  | User
  | ada
  | Body
  | 2.0 KiB
h4: Body
div role=group aria-label=Read as json
  details open
    summary
      | {
      | …}
    | a
    | :
    | 1
    | }
p .note-info: This JSON is not parsed: only its beginning was recorded.
figure
  figcaption
    | application/json, the beginning of 2.0 KiB
    button type=button data-copy-block hidden: Copy
  pre tabindex=0 aria-label=application/json, the beginning of 2.0 KiB: { &quot;a&quot;: 1 }
h4
  | Query parameters
  | 1
dl aria-label=Query parameters
  | page
  | 2
h4
  | Headers
  | 1
dl aria-label=Headers
  | Host
  | a.test
p .muted: Cookies: none
figure
  figcaption
    | Beginning of the raw bytes
    button type=button data-copy-block hidden: Copy
  pre tabindex=0 aria-label=Beginning of the raw bytes: GET / raw
h3: Response
p .note-warn: The client went away, or the stream failed, after 10 B of the body: it got a cut response.
h4
  | Cookies set
  | 1
div role=group aria-label=Cookies set tabindex=0
  table
    caption: Cookies set
    th scope=col: Name
    th scope=col: Value
    th scope=col: Attributes
    | seen
    | 1
    | Path=/; HttpOnly
h4
  | Headers
  | 1
dl aria-label=Headers
  | X-One
  | 1
details
  summary
    h4
      | Who set the headers, in order
      | 5
  div role=group aria-label=Who set the headers, in order tabindex=0
    table
      caption: Who set the headers, in order
      th scope=col: Header
      th scope=col: Value
      th scope=col: Set by
      | X-One
      | 1
      a href=vscode://file/srv/app/shop.ts:9:1: the controller (/srv/app/shop.ts:9)
      | X-Robots-Tag
      | noindex
      a href=vscode://file/srv/app/robots.ts:1:1: robots (/srv/app/robots.ts:1)
      | X-Two
      span .muted: removed
      | unknown
      | Vary
      | a
      a href=vscode://file/srv/app/shop.ts:3:7: set (/srv/app/shop.ts:3), through express, as before
      | ETag
      | b
      a href=vscode://file/srv/node_modules/etag/index.js:3:7: etag/index.js:3
h4: Body
figure
  figcaption
    | no content type, 4 B, as base64
    button type=button data-copy-block hidden: Copy
  pre tabindex=0 aria-label=no content type, 4 B, as base64: text
`,
    );
  });

  it('show the route, and why others did not match', () => {
    const row = { level: 'no', name: 'blog', path: '/blog', reason: 'another path' };
    const trace = {
      method: 'GET',
      path: '/shop',
      host: 'a.test',
      outcome: 'matched',
      nearMisses: [{ name: 'shop2', path: '/shop2' }],
      rows: [
        { ...row, level: 'match', name: 'shop' },
        { ...row, level: 'almost', name: 'shop2' },
        row,
        { ...row, name: '_profiler_home' },
        { ...row, name: 'own_profiler' },
      ],
      omitted: 2,
    } as unknown as NonNullable<NonNullable<ProfileRecord['route']>['trace']>; // the part that is shown
    const route = {
      name: 'shop',
      path: '/shop',
      parameters: [{ name: 'id', value: dump(5) }],
      trace,
      allow: [],
    };
    assert.equal(
      panelOutline(routingPanel, { ...record, route }, {}, { editor }),
      `
dl aria-label=Matched route
  | Route
  | shop
  | Path
  | /shop
  | {id}
  | 5
h3: Controller
dl aria-label=Controller
  | Function
  | show
  | Declared at
  a href=vscode://file/srv/app/shop.ts:9:1: /srv/app/shop.ts:9
  | Argument id
  | 5
h3: Did you mean
dl aria-label=Did you mean
  | shop2
  | /shop2
h3: How the route was found
dl aria-label=What was matched
  | Method
  | GET
  | Path
  | /shop
  | Host
  | a.test
  | Outcome
  | matched
div role=group aria-label=Routes that matched or nearly did tabindex=0
  table
    caption: Routes that matched or nearly did
    th scope=col: Match
    th scope=col: Route
    th scope=col: Path
    th scope=col: Why
    tr .row-ok
      span .tone-ok: yes
      | shop
      | /blog
      | another path
    tr .row-warn
      span .tone-warn: almost
      | shop2
      | /blog
      | another path
details
  summary
    h4
      | Other routes
      | 4
  div role=group aria-label=Other routes in the order in which they were tried tabindex=0
    table
      caption: Other routes in the order in which they were tried
      th scope=col: Match
      th scope=col: Route
      th scope=col: Path
      th scope=col: Why
      span .muted: no
      span .muted: blog
      span .muted: /blog
      span .muted: another path
      span .muted: no
      span .muted: own_profiler
      span .muted: /blog
      span .muted: another path
p .note-neutral: The path of 2 further routes did not match.
`,
    );
    const missed = panelOutline(routingPanel, {
      route: { ...route, name: null, trace: { ...trace, rows: [], nearMisses: [], omitted: 0 } },
    });
    assert.match(missed, /^\np \.note-warn: No route has this path\.\n/);
    assert.match(missed, /No route has this path\./);
    assert.doesNotMatch(missed, /Did you mean|Other routes|further/);
  });

  it('show the firewall, its attempts, the decisions with their votes, and session uses', () => {
    const vote = { voter: 'owner', verdict: 'deny', reason: 'not the author' };
    const decision = {
      granted: false,
      attribute: 'edit',
      subject: 'Article',
      strategy: 'affirmative',
      votes: [vote, { ...vote, reason: '' }],
    };
    const use = { operation: 'read', key: 'cart', count: 2, ...location };
    const security = {
      firewall: {
        name: 'main',
        isSecured: true,
        isStateless: false,
        provider: 'users',
        entryPoint: '',
        authenticators: ['form_login'],
        attempts: [
          {
            authenticator: 'form_login',
            status: 'failure',
            detail: 'Wrong.',
            durationMs: 3,
            badges: ['csrf token: met'],
          },
          { authenticator: 'remember_me', status: 'success', detail: '', durationMs: 1, badges: [] },
        ],
      },
      user: {
        identifier: 'ada',
        roles: ['a', 'b'],
        authenticator: 'form_login',
        strength: 'full',
        impersonator: 'bob',
      },
      decisions: [decision, { ...decision, granted: true, votes: [] }, { ...decision }],
      uses: [use, { ...use, key: '_security_main', file: '' }, { ...use, key: '' }],
      more: 2,
    };
    const exception = { errors: [{ class: 'AccessDeniedError' }] } as unknown as ProfileRecord['exception']; // the part that is used
    assert.equal(
      panelOutline(securityPanel, { sections: { security }, exception }, {}, { editor }),
      `
dl aria-label=User
  | User
  | ada
  | Roles
  | a, b
  | Authenticated by
  | form_login, full
  | Acting for this user
  | bob
h3: Firewall
dl aria-label=Firewall
  | Name
  | main
  | Kind
  | secured, with a session
  | User provider
  | users
  | Entry point
  | –
div role=group aria-label=Authenticators, in their order tabindex=0
  table
    caption: Authenticators, in their order
    th scope=col: Authenticator
    th scope=col: Outcome
    th scope=col .end: Time
    th scope=col: Why
    tr .row-warn
      | form_login
      | failure
      td .end: 3.00 ms
      | Wrong; csrf token: met
    | remember_me
    | success
    td .end: 1.00 ms
    | –
h3
  | Access decisions
  | 3
div role=group aria-label=Access decisions, in order tabindex=0
  table
    caption: Access decisions, in order
    th scope=col: Outcome
    th scope=col: Attribute
    th scope=col: Subject
    th scope=col .minor: Strategy
    th scope=col: Votes
    th scope=col: Asked by
    | denied
    | edit
    | Article
    td .minor: affirmative
    | owner: deny (not the author) owner: deny
    | –
    span .tone-ok: granted
    | edit
    | Article
    td .minor: affirmative
    | no voter voted
    | –
    tr .row-warn
      span .tone-warn: refused
      | edit
      | Article
      td .minor: affirmative
      | owner: deny (not the author) owner: deny
      | –
h3
  | Session values used and changed
  | 3
div role=group aria-label=Session values used and changed tabindex=0
  table
    caption: Session values used and changed
    th scope=col: Use
    th scope=col: Key
    th scope=col .end: Times
    th scope=col: From
    | read
    | cart
    td .end: 2
    a href=vscode://file/srv/app/shop.ts:3:7: set (/srv/app/shop.ts:3)
    | read
    | the signed-in user
    td .end: 2
    | security
    | read
    | –
    td .end: 2
    a href=vscode://file/srv/app/shop.ts:3:7: set (/srv/app/shop.ts:3)
p .note-neutral: Left out: 2 further facts.
`,
    );
    assert.deepEqual(badgeOf(securityPanel, { sections: { security }, exception }), {
      count: 1,
      tone: 'warn',
      words: 'access denied',
    });
    const open = {
      ...security,
      user: null,
      firewall: { ...security.firewall, isSecured: false, isStateless: true, attempts: [] },
    };
    const outline = panelOutline(securityPanel, { sections: { security: open } }, {}, { editor });
    assert.match(outline, /No user was signed in/);
    assert.match(outline, /open to all, stateless/);
    assert.match(outline, /No authenticator ran \(form_login\)/);
    assert.doesNotMatch(outline, /refused/);
    assert.equal(badgeOf(securityPanel, { sections: { security: open } }), 'plain');
  });

  it('show log lines with their levels, also as filters', () => {
    const line = (level: string, channel: string, at: number): ProfileRecord['logs'][number] => ({
      time: 0,
      offsetMs: at,
      level: level as 'info', // and other levels
      channel,
      message: `message ${at}`,
      ...(at === 1 ? { context: dump({ a: 1 }) } : {}),
    });
    const logs = [
      line('info', 'app', 1),
      line('error', 'db', 2),
      line('warning', 'db', 3),
      line('alert', 'db', 4),
    ];
    const logTotals = {
      total: 6,
      byLevel: { info: 3, error: 1, warning: 1, alert: 1 },
      omitted: 2,
      omittedAfter: 1,
    };
    assert.equal(
      panelOutline(logsPanel, { logs, logTotals }, { channel: 'db' }),
      `
nav aria-label=Filter by level
  a href=?panel=logs&amp;{&quot;level&quot;:&quot;&quot;,&quot;channel&quot;:&quot;db&quot;} aria-current=true
    | any level
    | 6
  a href=?panel=logs&amp;{&quot;level&quot;:&quot;info&quot;,&quot;channel&quot;:&quot;db&quot;}
    | info
    | 3
  a href=?panel=logs&amp;{&quot;level&quot;:&quot;error&quot;,&quot;channel&quot;:&quot;db&quot;}
    | error
    | 1
  a href=?panel=logs&amp;{&quot;level&quot;:&quot;warning&quot;,&quot;channel&quot;:&quot;db&quot;}
    | warning
    | 1
  a href=?panel=logs&amp;{&quot;level&quot;:&quot;alert&quot;,&quot;channel&quot;:&quot;db&quot;}
    | alert
    | 1
nav aria-label=Filter by channel
  a href=?panel=logs&amp;{&quot;level&quot;:&quot;&quot;,&quot;channel&quot;:&quot;&quot;}
    | any channel
    | 4
  a href=?panel=logs&amp;{&quot;level&quot;:&quot;&quot;,&quot;channel&quot;:&quot;db&quot;} aria-current=true
    | db
    | 3
  a href=?panel=logs&amp;{&quot;level&quot;:&quot;&quot;,&quot;channel&quot;:&quot;app&quot;}
    | app
    | 1
p .note-warn: 2 of 6 entries were left out: the first 1 and the last 3 are kept. Levels count all of them.
div role=group aria-label=Log entries, in order tabindex=0
  table
    caption: Log entries, in order
    th scope=col .end: At
    th scope=col: Level
    th scope=col .minor: Channel
    th scope=col: Message
    tr .row-error id=log-2
      td .end
        span .muted: 2.00 ms
      span .tone-error: error
      td .minor
        span .muted: db
      | message 2
    tr .row-warn id=log-3
      td .end
        span .muted: 3.00 ms
      span .tone-warn: warning
      td .minor
        span .muted: db
      | message 3
    tr .row-error id=log-4
      td .end
        span .muted: 4.00 ms
      span .tone-error: alert
      td .minor
        span .muted: db
      | message 4
`,
    );
    const one = [line('info', 'app', 1)];
    assert.doesNotMatch(
      panelOutline(logsPanel, { logs: one, logTotals: { ...logTotals, total: 1, omitted: 0 } }),
      /Filter by channel|left out/,
    );
    assert.match(
      panelOutline(logsPanel, { logs: one, logTotals }, { channel: 'gone' }),
      /No entry has this level and channel/,
    );
    const channels = Array.from({ length: 13 }, (_, at) => line('info', `c${at}`, at));
    assert.doesNotMatch(panelOutline(logsPanel, { logs: channels, logTotals }), /any channel[^]*c12&quot;/);
    assert.match(panelOutline(logsPanel, { logs: channels, logTotals }), /any channel[^]*c11&quot;/);
    assert.deepEqual(badgeOf(logsPanel, { logTotals }), {
      count: 2,
      tone: 'error',
      words: '2 logged errors',
    });
  });
});
