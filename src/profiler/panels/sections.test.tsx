import assert from 'node:assert/strict';
import { channel } from 'node:diagnostics_channel';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createRedactor } from '#dump';
import { renderFragment } from '#html';
import { HttpRequest, HttpResponse } from '#http';
import { runInScope } from '#scope';
import { renderBlocksMarkdown } from '../api/render-blocks-markdown.js';
import { createBudgetCollector } from '../collectors/create-budget-collector.js';
import type { ListeningCollector } from '../collectors/create-channel-collector.js';
import { createDumpCollector } from '../collectors/create-dump-collector.js';
import { createRenderCollector } from '../collectors/create-render-collector.js';
import { createTranslationCollector } from '../collectors/create-translation-collector.js';
import { type CacheSection, createCacheCollector } from '../collectors/outgoing/cache-collector.js';
import { createHttpCollector, type HttpSection } from '../collectors/outgoing/http-collector.js';
import { createJobsCollector } from '../collectors/outgoing/jobs-collector.js';
import { createMailCollector, type MailSection } from '../collectors/outgoing/mail-collector.js';
import { createProfiler } from '../create-profiler.js';
import type { Budgets, Collector } from '../model/collector.js';
import type { ProfileRecord } from '../model/profile-record.js';
import type { Recording } from '../model/recording.js';
import { createMemoryStore } from '../store/create-memory-store.js';
import { requestRecording } from '../taps/current-recording.js';
import { startSpan, withSpan } from '../taps/start-span.js';
import { BlockList } from '../web/blocks/block-view.js';
import { builtinPanels } from '../web/builtin-panels.js';
import type { Block } from './blocks/block.js';
import { createMorePanel } from './more-panel.js';
import type { Panel, PanelContext } from './panel.js';

const redactor = createRedactor();
const limits = { count: 0, age: 0, bytes: 0, purge: 0 };

/** What panels are asked with; links show what they are given. */
function contextWith(query: Readonly<Record<string, string>> = {}): PanelContext {
  return {
    link: (panel, given = {}) =>
      `?panel=${panel}&${new URLSearchParams(given as Record<string, string>).toString()}`,
    linkTo: ({ panel, anchor = '' }) => `?panel=${panel}#${anchor}`,
    recordLink: (token) => `/_profiler/${token}`,
    query: (name) => query[name] ?? '',
    editor: (file, line) => ({ href: `vscode://file${file}:${line}`, label: 'open' }) as never, // a link is all that is asked of it
    related: [],
    profiler: {
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
        made: 1,
        stored: 1,
        pruned: limits,
        dropped: { 'queue-full': 0, unrecordable: 0, 'store-set-aside': 0, 'not-written-at-close': 0 },
        pending: 0,
        open: 0,
        sampledOut: 0,
        renamed: 0,
        recordingMs: 0,
        failures: 0,
      },
      retention: undefined,
    },
  };
}

type Message = readonly [name: string, message: unknown];

/** The record of a request for which these messages were published. */
async function recordWith(
  collectors: readonly Collector[],
  during: (recording: Recording) => void,
  options: { readonly budgets?: Budgets; readonly close?: () => void } = {},
): Promise<ProfileRecord> {
  const { budgets } = options;
  const profiler = createProfiler({
    store: createMemoryStore(),
    storeName: 'memory:',
    collectors,
    ...(budgets === undefined ? {} : { budgets }),
  });
  try {
    const peer = { address: '127.0.0.1', port: 1, encrypted: false };
    const request = new HttpRequest({
      method: 'GET',
      target: '/',
      rawHeaders: ['Host', 'a.test'],
      httpVersion: '1.1',
      peer,
    });
    const recording = profiler.begin(request);
    request.scope.set(requestRecording, recording);
    runInScope(request.scope, () => during(recording));
    profiler.finish(recording, new HttpResponse('body'), {
      status: 200,
      headers: [],
      bodyBytes: 4,
      completed: true,
    });
    const found = await profiler.find(recording.token);
    assert.ok(found.kind === 'found');
    assert.equal(profiler.counters().failures, 0);
    return found.record;
  } finally {
    options.close?.();
    await profiler.close();
  }
}

function published(collector: ListeningCollector, messages: readonly Message[]): Promise<ProfileRecord> {
  const during = (): void => {
    for (const [name, message] of messages) channel(`lookback:${name}`).publish(message);
  };
  return recordWith([collector], during, { close: () => collector.close() });
}

const panelOf = (id: string): Panel => builtinPanels.find((panel) => panel.id === id) ?? assert.fail(id);
const shown = (
  id: string,
  record: ProfileRecord,
  query: Readonly<Record<string, string>> = {},
): readonly Block[] => panelOf(id).show(record, contextWith(query));
const textOf = (blocks: readonly Block[]): string => renderBlocksMarkdown(blocks, 2);
const htmlOf = (blocks: readonly Block[]): string =>
  String(renderFragment(<BlockList blocks={blocks} level={2} />));
const badgeOf = (id: string, record: ProfileRecord): unknown => {
  const badge = panelOf(id).badge(record);
  return typeof badge === 'object' ? [badge.count, badge.tone, badge.words] : badge;
};
const site = [{ name: 'send', file: '/srv/app/src/mail.ts', line: 3, column: 5 }];

describe('rendering', () => {
  const render = (name: string): Message => ['html:render', { name, durationMs: 0.5, length: 2048 }];

  it('is kept with its name, time and size, and shown in its order', async () => {
    const record = await published(createRenderCollector(), [
      render('Page'),
      render(''),
      ['html:render', { name: 5, durationMs: -1 }],
    ]);
    assert.deepEqual(badgeOf('view', record), [3, 'neutral', '3 templates']);
    const text = textOf(shown('view', record));
    assert.match(text, /Page.*2\.0 KiB.*0\.50 ms/);
    assert.match(text, /–.*0 B.*0\.00 ms/);
    assert.deepEqual(
      record.timeline.map(({ name, category }) => [name, category]),
      [
        ['<Page>', 'rendering'],
        ['render', 'rendering'],
        ['render', 'rendering'],
      ],
    );
  });

  it('of more than a hundred is counted, timed as one, and said to be cut', async () => {
    const record = await published(
      createRenderCollector(),
      Array.from({ length: 130 }, (_, at) => render(`C${at}`)),
    );
    assert.deepEqual(badgeOf('view', record), [130, 'neutral', '130 templates']);
    assert.match(htmlOf(shown('view', record)), /the first 100 of 130/);
    assert.deepEqual(
      record.timeline.slice(-1).map(({ name, durationMs }) => [name, durationMs]),
      [['30 further renderings', 15]],
    );
  });
});

describe('messages of the catalogue', () => {
  const look = (key: string, state: string, text = 'Hello'): Message => [
    'locale:message',
    { key, state, locale: 'de', used: state === 'missing' ? '' : 'en', text },
  ];

  it('are each kept once with how often they were asked for, the missing ones first', async () => {
    const record = await published(createTranslationCollector(), [
      look('a.found', 'defined'),
      look('a.none', 'missing'),
      look('a.none', 'missing'),
      look('a.other', 'fallback', 'password=hunter22'),
      look('odd', 'no such state'),
    ]);
    assert.deepEqual(badgeOf('translation', record), [1, 'warn', '1 missing message']);
    const text = textOf(shown('translation', record));
    assert.ok(
      text.indexOf('a.none') < text.indexOf('a.other') && text.indexOf('a.other') < text.indexOf('a.found'),
    );
    assert.match(text, /a\.none.*2/);
    assert.doesNotMatch(text, /hunter22|odd/);
  });

  it('of which none is missing are counted as they are; of which there are none, not at all', async () => {
    const record = await published(createTranslationCollector(), [
      look('a', 'defined'),
      look('b', 'defined'),
    ]);
    assert.deepEqual(badgeOf('translation', record), [2, 'neutral', '2 messages']);
    const none = await published(createTranslationCollector(), []);
    assert.equal(badgeOf('translation', none), undefined);
    assert.match(textOf(shown('translation', none)), /No message was missing/);
  });

  it('of more than 300 are cut, and the page says so', async () => {
    const record = await published(
      createTranslationCollector(),
      Array.from({ length: 310 }, (_, at) => look(`k${at}`, 'defined')),
    );
    assert.match(htmlOf(shown('translation', record)), /the first 300 of 310/);
  });
});

describe('dumps', () => {
  it('are kept as they were, with their places, and open where a reader clicks', async () => {
    const value = { name: 'Ada', password: 'hunter22' };
    const sites = (): unknown => site;
    const record = await published(createDumpCollector(), [
      ['dump', { value, label: 'user', sites }],
      ['dump', { value: 5, label: 7, sites: () => 'none' }],
    ]);
    value.name = 'changed';
    assert.deepEqual(badgeOf('dump', record), [2, 'neutral', '2 dumps']);
    const html = htmlOf(shown('dump', record));
    assert.match(html, /user · send \(.*mail\.ts:3\)/);
    assert.match(html, /Ada/);
    assert.doesNotMatch(html, /changed|hunter22/);
    assert.match(html, /href="vscode:\/\/file\/srv\/app\/src\/mail\.ts:3"/);
  });

  it('of more than a hundred say how many were left out', async () => {
    const record = await published(
      createDumpCollector(),
      Array.from({ length: 103 }, (_, value) => ['dump', { value }] as const),
    );
    assert.deepEqual(badgeOf('dump', record), [103, 'neutral', '103 dumps']);
    assert.match(textOf(shown('dump', record)), /3 further dumps were left out/);
  });
});

describe('commands of caches', () => {
  const command = (fields: Readonly<Record<string, unknown>>): Message => [
    'cache:command',
    {
      system: 'redis',
      command: 'GET',
      args: ['a'],
      hit: true,
      startedAt: performance.now(),
      durationMs: 2,
      ...fields,
    },
  ];
  const sectionOf = ({ sections }: ProfileRecord): CacheSection => sections['cache'] as CacheSection; // as it was collected

  it('are counted by what they found and whether they failed', async () => {
    const record = await published(createCacheCollector(redactor), [
      command({}),
      command({ hit: false, args: ['b', 7, null] }),
      command({
        command: 'SET',
        hit: null,
        error: new Error('no memory: password=hunter22'),
        callSite: site,
      }),
    ]);
    const { totals, commands } = sectionOf(record);
    assert.deepEqual(totals, { commands: 3, failed: 1, hits: 1, misses: 1, durationMs: 6 });
    assert.deepEqual(
      commands.map(({ args, hit }) => [args, hit]),
      [
        ['a', 1],
        ['b 7 ?', 0],
        ['a', null],
      ],
    );
    assert.deepEqual(badgeOf('cache', record), [3, 'warn', '1 failed cache command']);
    const text = textOf(shown('cache', record));
    assert.match(text, /Called from.*send/);
    assert.doesNotMatch(text, /hunter22/);
  });

  it('show no value of a secret: neither of a command that has one, nor behind a secret name of a key', async () => {
    const args = (given: readonly unknown[], name = 'GET'): Message =>
      command({ command: name, args: given });
    const record = await published(createCacheCollector(redactor), [
      args(['s3cr3tAA'], 'AUTH'),
      args(['3', 'AUTH', 'default', 's3cr3tBB'], 'HELLO'),
      args(['session:s3cr3tCC']),
      args(['app/token/s3cr3tDD|x']),
      args(['user:5:name']),
    ]);
    assert.deepEqual(
      sectionOf(record).commands.map((one) => one.args),
      ['[redacted]', '[redacted]', 'session:[redacted]', 'app/token/[redacted]', 'user:5:name'],
    );
  });

  it('of more than 200 are counted, and the page says what it shows', async () => {
    const record = await published(
      createCacheCollector(redactor),
      Array.from({ length: 205 }, () => command({})),
    );
    assert.equal(sectionOf(record).totals.commands, 205);
    assert.match(htmlOf(shown('cache', record)), /the first 200 of 205/);
  });
});

describe('outgoing requests', () => {
  const call = (fields: Readonly<Record<string, unknown>> = {}): Message => {
    const at = performance.now();
    return [
      'http:call',
      {
        method: 'POST',
        url: 'https://ada:pw@api.test/x?token=s3cr3tEE',
        status: 200,
        startedAt: at,
        sentAt: at + 1,
        answeredAt: at + 3,
        endedAt: at + 6,
        durationMs: 6,
        requestHeaders: ['Authorization', 'Bearer s3cr3tFF', 'Content-Type', 'application/json'],
        responseHeaders: [
          'X-Debug-Token',
          'abc123',
          'X-Debug-Token-Link',
          'http://other.test/_profiler/abc123',
        ],
        request: { bytes: 24, chunks: [Buffer.from('{"password":"s3cr3tGG"}')] },
        response: { bytes: 9000, chunks: [Buffer.from('the beginning')] },
        spanId: '00f067aa0ba902b7',
        callSite: site,
        ...fields,
      },
    ];
  };
  const sectionOf = ({ sections }: ProfileRecord): HttpSection => sections['http'] as HttpSection; // as it was collected

  it('are kept with their phases, bodies and the record of the other side, without secrets', async () => {
    const record = await published(createHttpCollector(redactor), [call()]);
    const [one] = sectionOf(record).calls;
    assert.deepEqual([one?.status, one?.isOpen, one?.record, one?.error], [200, false, 'abc123', null]);
    for (const [name, ms] of [
      ['sendMs', 1],
      ['waitMs', 2],
      ['receiveMs', 3],
    ] as const)
      assert.ok(Math.abs((one?.phases[name] ?? 0) - ms) < 0.001, name);
    assert.deepEqual([one?.responseBody?.text, one?.responseBody?.isCut], ['the beginning', true]);
    const html = htmlOf(shown('http', record));
    assert.match(html, /href="http:\/\/other\.test\/_profiler\/abc123"/);
    assert.doesNotMatch(JSON.stringify(record) + html, /s3cr3t|ada:pw/);
  });

  it('that failed or never ended say so', async () => {
    const record = await published(createHttpCollector(redactor), [
      call({ status: 503 }),
      call({ status: 0, endedAt: undefined, answeredAt: undefined }),
      call({ status: 0, error: { message: 'connect ECONNREFUSED' } }),
      call({ status: 404 }),
    ]);
    const { totals, calls } = sectionOf(record);
    assert.deepEqual([totals.calls, totals.failed], [4, 3]);
    assert.deepEqual(
      calls.map(({ isOpen }) => isOpen),
      [false, true, false, false],
    );
    assert.deepEqual(badgeOf('http', record), [4, 'warn', '3 failed HTTP calls']);
    assert.match(textOf(shown('http', record)), /still open when the request ended[^]*ECONNREFUSED/);
    assert.equal(record.timeline.filter(({ open }) => open === true).length, 1);
  });

  it('follow no link that a browser should not', async () => {
    const hostile = [
      'javascript:alert(1)',
      'data:text/html,x',
      '/relative',
      'http://a b',
      'http://a"onclick="x',
    ];
    const record = await published(
      createHttpCollector(redactor),
      hostile.map((link) => call({ responseHeaders: ['x-debug-token-link', link] })),
    );
    for (const { recordLink } of sectionOf(record).calls) assert.equal(recordLink, null);
  });

  it('of more than a hundred are counted; their bodies have one bound', async () => {
    const chunks = [Buffer.alloc(16_384, 'a')];
    const record = await published(
      createHttpCollector(redactor),
      Array.from({ length: 104 }, () => call({ request: { bytes: 16_384, chunks } })),
    );
    const { calls, totals } = sectionOf(record);
    assert.deepEqual([calls.length, totals.calls], [100, 104]);
    const kept = calls.reduce((sum, { requestBody }) => sum + (requestBody?.text?.length ?? 0), 0);
    assert.ok(kept >= 128_000 && kept < 128_000 + 2 * 16_384, String(kept));
    assert.match(textOf(shown('http', record)), /16\.0 KiB, not kept/);
  });
});

describe('mail', () => {
  const mail = (fields: Readonly<Record<string, unknown>> = {}): Message => [
    'mail:message',
    {
      subject: 'Welcome <Ada>',
      from: ['shop@a.test'],
      to: ['ada@a.test'],
      text: 'Hello',
      html: '<p onclick=alert(1)>Hello</p>',
      attachments: [{ name: 'a.pdf', type: 'application/pdf', bytes: 2048 }, 5],
      messageId: '<1@a.test>',
      startedAt: performance.now(),
      durationMs: 3,
      ...fields,
    },
  ];

  it('is shown as it was sent; its page is a document of its own', async () => {
    const record = await published(createMailCollector(redactor), [
      mail(),
      mail({ html: null, subject: '' }),
    ]);
    assert.deepEqual(badgeOf('mail', record), [2, 'neutral', '2 messages']);
    const html = htmlOf(shown('mail', record));
    assert.match(html, /Welcome &lt;Ada>/);
    assert.match(html, /\(no subject\)/);
    assert.match(html, /a\.pdf, application\/pdf, 2\.0 KiB/);
    assert.doesNotMatch(html, /<p onclick/);
    const { document } = panelOf('mail');
    assert.equal(document?.(record, '0'), '<p onclick=alert(1)>Hello</p>');
    for (const name of ['1', '2', '', '-1', '0x0', '__proto__', '1e0'])
      assert.equal(document?.(record, name), undefined, name);
  });

  it('that was not sent says why; of more than twenty the rest is counted', async () => {
    const record = await published(createMailCollector(redactor), [
      mail({ error: 'relay denied' }),
      ...Array.from({ length: 22 }, () => mail()),
    ]);
    assert.deepEqual(badgeOf('mail', record), [23, 'error', '1 message not sent']);
    assert.match(textOf(shown('mail', record)), /relay denied[^]*3 further messages were left out/);
  });

  it('has a bound for a text and for all of them', async () => {
    const text = 'x'.repeat(200_000);
    const record = await published(
      createMailCollector(redactor),
      Array.from({ length: 5 }, () => mail({ text, html: text })),
    );
    const { messages } = record.sections['mail'] as MailSection; // as it was collected
    const kept = messages.reduce((sum, one) => sum + (one.text?.length ?? 0) + (one.html?.length ?? 0), 0);
    assert.ok(kept <= 300_000 + 100_000, String(kept));
    assert.ok(messages.every((one) => (one.text?.length ?? 0) <= 100_100));
  });
});

describe('jobs', () => {
  it('given to queues, and the job that a record is of, are shown with their data', async () => {
    const sent = {
      queue: 'mails',
      name: 'welcome',
      id: 7,
      data: { to: 'ada', password: 'hunter22' },
      durationMs: 1,
    };
    const record = await published(createJobsCollector(redactor), [
      ['jobs:sent', sent],
      [
        'jobs:run',
        { queue: 'mails', name: 'welcome', id: '6', attempt: 2, data: { to: 'bob' }, result: 'done' },
      ],
    ]);
    assert.deepEqual(badgeOf('jobs', record), [1, 'neutral', '1 job']);
    assert.equal(panelOf('jobs').opens?.(record), true);
    const text = textOf(shown('jobs', record));
    assert.match(text, /bob[^]*ada/);
    assert.doesNotMatch(text, /hunter22/);
  });

  it('of which only one was run needs no list; of more than fifty the rest is counted', async () => {
    const run = await published(createJobsCollector(redactor), [
      ['jobs:run', { queue: 'q', name: 'n', id: '1' }],
    ]);
    assert.equal(badgeOf('jobs', run), 'plain');
    assert.doesNotMatch(textOf(shown('jobs', run)), /given to queues/);
    const many = await published(
      createJobsCollector(redactor),
      Array.from({ length: 55 }, () => ['jobs:sent', { queue: 'q', name: 'n' }] as const),
    );
    assert.deepEqual(badgeOf('jobs', many), [55, 'neutral', '55 jobs']);
    assert.equal(panelOf('jobs').opens?.(many), false);
    assert.match(htmlOf(shown('jobs', many)), /the first 50 of 55/);
  });
});

describe('spans of one’s own', () => {
  it('are bars with what was said about them, open ones too, and hidden secrets', async () => {
    const record = await recordWith([], () => {
      const span = startSpan('resize', { width: 5, token: 's3cr3tHH' });
      span.end({ done: true });
      span.end({ done: false });
      startSpan('never ended');
      assert.throws(() =>
        withSpan('fails', () => {
          throw new Error('x');
        }),
      );
      assert.equal(
        withSpan('gives', () => 7),
        7,
      );
    });
    assert.deepEqual(
      record.timeline.map(({ name, detail, open }) => [name, detail, open]),
      [
        ['resize', 'width: 5, token: [redacted], done: true', undefined],
        ['never ended', undefined, true],
        ['fails', 'failed: true', undefined],
        ['gives', undefined, undefined],
      ],
    );
  });

  it('of more than 200 are cut, and the panel says so', async () => {
    const record = await recordWith([], () => {
      for (let count = 0; count < 207; count++) startSpan(`s${count}`).end();
    });
    assert.equal(record.timeline.length, 200);
    assert.match(textOf(shown('time', record)), /the first 200 of 207/);
    const few = await recordWith([], () => startSpan('one').end());
    assert.doesNotMatch(textOf(shown('time', few)), /the first/);
  });

  it('outside of a request do nothing', () => {
    startSpan('nobody').end();
    assert.equal(
      withSpan('nobody', () => 'result'),
      'result',
    );
  });
});

describe('budgets', () => {
  const counting: Collector = {
    name: 'db',
    part: { summary: { queries: { kind: 'count', of: () => 9 }, ms: { kind: 'ms', of: () => 2.5 } } },
    collect: () => ({}),
  };
  const exceeded = async (
    budgets: Budgets,
    route: string | null = 'blog_show',
  ): Promise<readonly unknown[]> => {
    const record = await recordWith([counting], (recording) => recording.route({ name: route, path: '/' }), {
      budgets,
    });
    const { exceeded: found = [] } = (record.sections['budget'] ?? {}) as {
      exceeded?: { what: string; value: number; limit: number }[];
    }; // as it is collected
    return found.map(({ what, value, limit }) => [what, value, limit]);
  };

  it('are those of the route, of the beginning of its name, and of all, the longest first', async () => {
    assert.deepEqual(await exceeded({ '*': { queries: 5 } }), [['queries', 9, 5]]);
    assert.deepEqual(await exceeded({ '*': { queries: 5 }, 'blog_*': { queries: 20 } }), []);
    assert.deepEqual(await exceeded({ 'blog_*': { queries: 20 }, blog_show: { queries: 8 } }), [
      ['queries', 9, 8],
    ]);
    assert.deepEqual(await exceeded({ 'blog_*': { bytes: 3 }, blog_show: { queries: 8 } }), [
      ['bytes', 4, 3],
      ['queries', 9, 8],
    ]);
    assert.deepEqual(await exceeded({ other: { queries: 0 }, 'blog_s*x': { queries: 0 } }), []);
    assert.deepEqual(await exceeded({ '*': { queries: 5 } }, null), [['queries', 9, 5]]);
    assert.deepEqual(await exceeded({ blog_show: { 'db.ms': 2, 'db.none': 0, queries: 9 } }), [
      ['db.ms', 2.5, 2],
    ]);
  });

  it('are not asked about while the request is under way', () => {
    const collector = createBudgetCollector({ '*': { durationMs: 0 } });
    assert.equal(collector.collect({} as Recording), undefined);
  });
});

describe('every panel', () => {
  const hostile = '</script><img src=x onerror=alert(1)>"\'`](javascript:x)\u202e\0|\n# x';

  it('has something to say of a record with nothing in it', async () => {
    const record = await recordWith([], () => {});
    for (const panel of [...builtinPanels, createMorePanel(builtinPanels)]) {
      const blocks = panel.show(record, contextWith());
      assert.ok(blocks.length > 0, panel.id);
      assert.ok(htmlOf(blocks).length > 10 && textOf(blocks).length > 0, panel.id);
      assert.match(panel.id, /^[a-z][a-z0-9-]*$/);
    }
    assert.equal(new Set(builtinPanels.map(({ id }) => id)).size, builtinPanels.length);
  });

  it('takes any words in the query of its page', async () => {
    const record = await recordWith([], (recording) => {
      for (let count = 0; count < 40; count++)
        recording.log({ time: 0, level: 'info', channel: `c${count}`, message: 'm', context: undefined });
    });
    const names = ['page', 'at', 'level', 'channel', 'threshold', 'frame'];
    fc.assert(
      fc.property(
        fc.constantFrom(...names),
        fc.oneof(fc.string(), fc.constantFrom('-1', '999999', '1e9', '__proto__', hostile)),
        (name, value) => {
          for (const panel of builtinPanels) {
            const html = htmlOf(panel.show(record, contextWith({ [name]: value })));
            assert.ok(!html.includes('<img'), panel.id);
          }
        },
      ),
      { numRuns: 25 },
    );
  });

  it('shows sections of its name that somebody else wrote as what they are: other data, or nothing', async () => {
    const data = fc.oneof(
      fc.jsonValue({ maxDepth: 2 }),
      fc.constantFrom<unknown>(hostile, [hostile], { queries: 1 }, { [hostile]: hostile }),
    );
    await fc.assert(
      fc.asyncProperty(data, async (value) => {
        const names = builtinPanels.flatMap(({ section }) => section ?? []);
        const record = await recordWith([], (recording) => {
          for (const name of [...names.slice(0, 12), 'own <b>']) recording.section(name, value);
        });
        for (const panel of [...builtinPanels, createMorePanel(builtinPanels)]) {
          const blocks = panel.show(record, contextWith());
          assert.doesNotMatch(htmlOf(blocks), /<img|<b>/, panel.id);
          assert.doesNotMatch(textOf(blocks), /^# x/m, panel.id);
          panel.badge(record);
        }
      }),
      { numRuns: 20 },
    );
  });
});
