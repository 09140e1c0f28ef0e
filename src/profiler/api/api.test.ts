import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { runInThisContext } from 'node:vm';
import fc from 'fast-check';
import { redactedMark } from '#dump';
import type { ProfileRecord } from '../model/profile-record.js';
import type { RecordedBody, RecordedRequest } from '../model/recorded-message.js';
import type { Block } from '../panels/blocks/block.js';
import { renderBlocksMarkdown } from './render-blocks-markdown.js';
import { renderCpuProfile } from './render-cpu-profile.js';
import { renderCurl } from './render-curl.js';
import { renderHar } from './render-har.js';
import {
  type MarkdownPart,
  renderComparisonMarkdown,
  renderRecordMarkdown,
} from './render-record-markdown.js';
import { renderFetch } from './render-script.js';
import {
  type RepeatableRequest,
  repeatableRequest,
  toFetchRequest,
  wordsOfMissing,
} from './repeatable-request.js';

/** Halves of surrogate pairs among them; made faster than the library's own unit. */
const anyCharacter = fc.integer({ min: 0, max: 0x10ffff }).map((code) => String.fromCodePoint(code));

const plain: RepeatableRequest = {
  method: 'POST',
  url: 'http://a.test/',
  headers: [],
  body: undefined,
  missing: [],
  isWhole: true,
};

/** What a shell gives to `curl` in each of the commands: its arguments as bytes, and its input. */
function argumentsOf(commands: readonly string[], shell: string): { args: Buffer[]; input: Buffer }[] {
  const script = [
    `curl() { for given in "$@"; do printf '%s\\0' "$given"; done; for last in "$@"; do :; done;`,
    `if [ "$last" = '@-' ]; then printf 'INPUT\\0'; base64 | tr -d '\\n'; printf '\\0'; fi; printf 'NEXT\\0'; }`,
    ...commands,
  ].join('\n');
  const run = spawnSync(shell, ['-c', script]);
  assert.equal(run.status, 0, run.stderr.toString());
  assert.equal(run.stderr.length, 0, run.stderr.toString());
  const parts: Buffer[] = [];
  for (
    let from = 0, end = run.stdout.indexOf(0);
    end !== -1;
    from = end + 1, end = run.stdout.indexOf(0, from)
  )
    parts.push(run.stdout.subarray(from, end));
  const calls: { args: Buffer[]; input: Buffer }[] = [];
  let args: Buffer[] = [];
  let input = Buffer.alloc(0);
  for (let at = 0; at < parts.length; at++) {
    const part = parts[at] ?? Buffer.alloc(0);
    if (part.equals(Buffer.from('INPUT'))) input = Buffer.from(String(parts[++at]), 'base64');
    else if (part.equals(Buffer.from('NEXT'))) {
      calls.push({ args, input });
      [args, input] = [[], Buffer.alloc(0)];
    } else args.push(part);
  }
  return calls;
}

/** The values of an option, as bytes. */
const valuesOf = (args: readonly Buffer[], option: string): string[] =>
  args.flatMap((value, at) => (String(args[at - 1]) === option ? [value.toString('latin1')] : []));
const utf8 = (text: string): string => Buffer.from(text).toString('latin1');

describe('a request as a command', () => {
  const safe = fc.stringMatching(/^[ -~é日😀\n\t]{0,30}$/u);
  const name = fc
    .stringMatching(/^[A-Za-z][A-Za-z0-9-]{0,8}$/)
    .filter((one) => one !== 'NEXT' && one !== 'INPUT');
  const printable = fc.stringMatching(/^[!-~][ -~]{0,20}$/);
  const request = (
    body: fc.Arbitrary<RepeatableRequest['body']>,
    value: fc.Arbitrary<string>,
  ): fc.Arbitrary<RepeatableRequest> =>
    fc.record({
      method: fc.constantFrom('GET', 'HEAD', 'POST', 'PURGE', "O'DD", '$(id)'),
      url: safe.map((text) => `http://a.test/${text.replaceAll('\n', '')}`),
      headers: fc.array(fc.tuple(name, value), { maxLength: 4 }),
      body,
      missing: fc.array(safe, { maxLength: 2 }),
      isWhole: fc.boolean(),
    });
  const text = safe.map((content) => ({ encoding: 'text', content }) as const);

  it('for any shell has each value as one word, and nothing that a shell would do', () => {
    const requests = fc.sample(request(fc.option(text, { nil: undefined }), printable), {
      numRuns: 60,
      seed: 11,
    });
    const calls = argumentsOf(requests.map(renderCurl), 'sh');
    assert.equal(calls.length, requests.length);
    for (const [at, { method, url, headers, body }] of requests.entries()) {
      const { args } = calls[at] ?? assert.fail('no call');
      assert.deepEqual(args.slice(0, 2).map(String), ['--globoff', '--path-as-is']);
      assert.ok(
        args.some((one) => one.toString('latin1') === utf8(url)),
        url,
      );
      assert.deepEqual(valuesOf(args, '--request'), method === 'GET' || method === 'HEAD' ? [] : [method]);
      assert.equal(args.map(String).includes('--head'), method === 'HEAD');
      const sent = valuesOf(args, '--header');
      assert.deepEqual(
        sent.slice(0, headers.length),
        headers.map(([field, value]) => `${field}: ${value}`),
      );
      for (const added of sent.slice(headers.length))
        assert.match(added, /^(?:User-Agent|Accept|Content-Type|Expect):$/);
      assert.deepEqual(valuesOf(args, '--data-raw'), body === undefined ? [] : [utf8(body.content)]);
    }
  });

  it('for bash has the bytes of every field and body, also of those that no terminal could show', () => {
    const byte = fc.integer({ min: 1, max: 255 }).filter((code) => code !== 10 && code !== 13);
    const wire = fc
      .array(byte, { minLength: 1, maxLength: 12 })
      .map((codes) => String.fromCharCode(...codes));
    const odd = fc.array(fc.constantFrom('\u0001', 'é', 'ÿ', ': ', "'", '\\', '日', 'a', '\u0085'), {
      maxLength: 8,
    });
    const body = odd.map((parts) => ({ encoding: 'text', content: parts.join('') }) as const);
    const requests = fc.sample(request(body, wire), { numRuns: 60, seed: 12 });
    const calls = argumentsOf(requests.map(renderCurl), 'bash');
    for (const [at, { headers, body: sent }] of requests.entries()) {
      const { args } = calls[at] ?? assert.fail('no call');
      assert.deepEqual(
        valuesOf(args, '--header').slice(0, headers.length),
        headers.map(([field, value]) => `${field}: ${value}`),
      );
      assert.deepEqual(valuesOf(args, '--data-raw'), [utf8(sent?.content ?? '')]);
    }
  });

  it('gives a body of JSON with accents as it was, not as bytes of Latin-1', () => {
    const content = '{"title": "é"}';
    const [call] = argumentsOf([renderCurl({ ...plain, body: { encoding: 'text', content } })], 'bash');
    assert.deepEqual(valuesOf(call?.args ?? [], '--data-raw'), [utf8(content)]);
    const [path] = argumentsOf([renderCurl({ ...plain, url: 'http://a.test/ü: x' })], 'bash');
    assert.ok(path?.args.some((one) => String(one) === 'http://a.test/ü: x'));
  });

  it('gives bytes by a pipe, whatever they are', () => {
    const requests = fc.sample(fc.uint8Array({ minLength: 1, maxLength: 40 }), { numRuns: 20, seed: 13 });
    const commands = requests.map((bytes) =>
      renderCurl({ ...plain, body: { encoding: 'base64', content: Buffer.from(bytes).toString('base64') } }),
    );
    for (const [at, { input, args }] of argumentsOf(commands, 'sh').entries()) {
      assert.deepEqual(valuesOf(args, '--data-binary'), ['@-']);
      assert.deepEqual(input, Buffer.from(requests[at] ?? []));
    }
  });

  it('sends an empty field as one that is empty, and takes away what curl would add', () => {
    const [call] = argumentsOf(
      [
        renderCurl({
          ...plain,
          headers: [
            ['X-Empty', ''],
            ['accept', '*/*'],
          ],
        }),
      ],
      'sh',
    );
    assert.deepEqual(valuesOf(call?.args ?? [], '--header'), ['X-Empty;', 'accept: */*', 'User-Agent:']);
  });

  it('says in front what is missing, on one line that is a comment', () => {
    const missing = ['Cookie', 'a\nrm -rf /', 'é'.repeat(2000)];
    const [first = '', second = ''] = renderCurl({ ...plain, missing }).split('\n');
    assert.match(first, /^# Left out, .*: Cookie, a\?rm -rf \/, \?+\.$/);
    assert.ok(first.length < 1100);
    assert.match(second, /^curl /);
    assert.equal(wordsOfMissing(plain), undefined);
  });
});

describe('a request as a call of fetch', () => {
  it('has its parts as they are, whatever they hold', async () => {
    const any = fc.string({ unit: anyCharacter, maxLength: 20 });
    const body = fc.option(
      fc.oneof(
        any.map((content) => ({ encoding: 'text', content }) as const),
        fc
          .uint8Array({ maxLength: 20 })
          .map((bytes) => ({ encoding: 'base64', content: Buffer.from(bytes).toString('base64') }) as const),
      ),
      { nil: undefined },
    );
    const given = fc.record({
      method: any,
      url: any,
      headers: fc.array(fc.tuple(any, any), { maxLength: 3 }),
      body,
      missing: fc.array(any, { maxLength: 2 }),
    });
    await fc.assert(
      fc.asyncProperty(given, async (parts) => {
        const calls: {
          url: string;
          options: { method: string; headers: string[][]; body?: string | Uint8Array };
        }[] = [];
        const code = renderFetch({ ...plain, ...parts });
        const run = runInThisContext(`(async (fetch) => {\n${code}\n})`) as (fetch: unknown) => Promise<void>; // what the code above is
        await run((url: string, options: (typeof calls)[number]['options']) => calls.push({ url, options }));
        const [{ url, options } = assert.fail(code)] = calls;
        assert.deepEqual([url, options.method], [parts.url, parts.method]);
        assert.deepEqual(
          options.headers.map((pair) => [...pair]),
          parts.headers,
        );
        const sent =
          typeof options.body === 'string' || options.body === undefined
            ? options.body
            : Buffer.from(options.body).toString('base64');
        assert.equal(sent, parts.body?.content);
      }),
      { numRuns: 60 },
    );
  });
});

const request: RecordedRequest = {
  method: 'POST',
  url: 'http://a.test/x',
  target: '/x',
  path: '/x',
  httpVersion: '1.1',
  scheme: 'http',
  host: 'a.test',
  clientAddress: '127.0.0.1',
  peer: { address: '127.0.0.1', port: 1 },
  headers: [['Host', 'a.test']],
  cookies: [],
  query: [],
  body: null,
  parsed: null,
  locale: null,
  user: null,
};
const body: RecordedBody = {
  encoding: 'text',
  content: 'text',
  contentType: 'text/plain',
  bytes: 4,
  cut: false,
};

function recordOf(changes: Partial<ProfileRecord>): ProfileRecord {
  const record: Partial<ProfileRecord> = {
    token: 'abc123',
    startedAt: 0,
    durationMs: 12,
    state: 'complete',
    request,
    response: { status: 200, headers: [], cookies: [], bodyBytes: 4, body, completed: true },
    sections: {},
    logs: [],
    logTotals: { total: 0, byLevel: {}, omitted: 0, omittedAfter: 0 },
    timeline: [],
    limits: [],
    exception: null,
    route: null,
    events: [],
    ...changes,
  };
  return record as ProfileRecord; // nothing else of it is looked at
}

describe('what of a request can be sent again', () => {
  const of = (changes: Partial<RecordedRequest>): RepeatableRequest =>
    repeatableRequest(recordOf({ request: { ...request, ...changes } }));

  it('is all but what belongs to the connection', () => {
    const headers = [
      ['Host', 'a.test'],
      ['CONNECTION', 'close'],
      [':path', '/'],
      ['Content-Length', '4'],
      ['Accept', '*/*'],
      ['X-A', '1'],
      ['X-A', '2'],
    ] as const;
    const found = of({ headers, body });
    assert.deepEqual(found.headers, headers.slice(4));
    assert.deepEqual(
      [found.body, found.missing, found.isWhole],
      [{ encoding: 'text', content: 'text' }, [], true],
    );
  });

  it('names what the record does not hold; without it, it would mean something else', () => {
    const secret = of({
      headers: [
        ['Cookie', `a=${redactedMark}`],
        ['Cookie', redactedMark],
      ],
    });
    assert.deepEqual([secret.missing, secret.headers, secret.isWhole], [['Cookie'], [], true]);
    for (const [changes, words] of [
      [{ url: `http://a.test/?t=${redactedMark}` }, /secret in the URL/],
      [{ url: `http://a.test/?t=${encodeURIComponent(redactedMark)}` }, /secret in the URL/],
      [{ headers: [['Content-Length', '9']] }, /which was not recorded/],
      [{ body: { ...body, cut: true } }, /recorded in part/],
      [{ body: { ...body, content: `a=${redactedMark}` } }, /secrets in the body/],
    ] as const) {
      const found = of(changes);
      assert.equal(found.isWhole, false);
      assert.match(found.missing.join(), words);
    }
    assert.equal(of({ headers: [['Content-Length', '0']] }).isWhole, true);
  });

  it('is sent by fetch to where it is asked to, without a body where none may be', async () => {
    const { signal } = new AbortController();
    const sent = toFetchRequest(
      of({ body: { ...body, encoding: 'base64', content: 'AAH/' } }),
      'http://b.test/y',
      signal,
    );
    assert.deepEqual([sent.url, sent.method, sent.redirect], ['http://b.test/y', 'POST', 'manual']);
    assert.deepEqual(Buffer.from(await sent.arrayBuffer()), Buffer.from([0, 1, 255]));
    assert.equal(toFetchRequest(of({ method: 'GET', body }), 'http://b.test/', signal).body, null);
  });
});

interface HarPart {
  readonly status?: number;
  readonly bodySize?: number;
  readonly postData?: object;
  readonly redirectURL?: string;
  readonly content?: object;
  readonly cookies?: readonly object[];
}

describe('records as an archive', () => {
  it('say what of a body is there, and what became of the request', () => {
    const records = [
      recordOf({ request: { ...request, body: { ...body, cut: true, encoding: 'base64' } } }),
      recordOf({ response: null, state: 'unfinished' }),
      recordOf({
        state: 'aborted',
        response: {
          status: 302,
          headers: [['LOCATION', '/next']],
          cookies: [{ name: 'a', value: 'b', attributes: [] }],
          bodyBytes: 9,
          body: { ...body, encoding: 'base64', cut: true },
          completed: false,
        },
      }),
    ];
    const { log } = JSON.parse(renderHar(records)) as {
      log: { entries: { request: HarPart; response: HarPart; comment: string }[] };
    }; // HAR 1.2
    const [first, second, third] = log.entries;
    assert.deepEqual(first?.request.postData, {
      mimeType: 'text/plain',
      text: 'text',
      params: [],
      comment: 'base64, cut',
    });
    assert.deepEqual(
      [second?.comment, second?.response.status, second?.response.bodySize],
      ['Record abc123, unfinished', 0, -1],
    );
    assert.equal(third?.comment, 'Record abc123, aborted');
    const { redirectURL, content, cookies } = third?.response ?? {};
    assert.equal(redirectURL, '/next');
    assert.deepEqual(content, {
      size: 9,
      mimeType: 'text/plain',
      text: 'text',
      encoding: 'base64',
      comment: 'cut',
    });
    assert.deepEqual(cookies, [{ name: 'a', value: 'b' }]);
  });
});

describe('a CPU profile as a file', () => {
  it('has the tree, the times before each sample, and lines from 0', () => {
    const file = JSON.parse(
      renderCpuProfile({
        refusal: '',
        durationMs: 1.5,
        isCut: false,
        others: 0,
        functions: [
          { name: '(root)', file: '', line: 0, column: 0 },
          { name: 'work', file: 'file:///a.js', line: 3, column: 5 },
        ],
        nodes: [
          { call: 0, parent: 0 },
          { call: 1, parent: 1 },
          { call: 1, parent: 2 },
        ],
        samples: [
          { node: 1, us: 100 },
          { node: 2, us: 250 },
          { node: 1, us: 50 },
        ],
      }),
    ) as { nodes: { id: number; hitCount: number; children: number[]; callFrame: object }[] } & Record<
      string,
      unknown
    >; // as it is read
    assert.deepEqual(
      [file['samples'], file['timeDeltas'], file['endTime']],
      [[2, 3, 2], [0, 100, 250], 1500],
    );
    assert.deepEqual(
      file.nodes.map(({ id, hitCount, children }) => [id, hitCount, children]),
      [
        [1, 0, [2]],
        [2, 2, [3]],
        [3, 1, []],
      ],
    );
    assert.deepEqual(file.nodes[1]?.callFrame, {
      functionName: 'work',
      scriptId: '0',
      url: 'file:///a.js',
      lineNumber: 2,
      columnNumber: 4,
    });
  });
});

/** Whether every fence that begins in a text ends in it, as CommonMark reads them. */
function fencesEnd(text: string): boolean {
  let open = '';
  for (const line of text.split('\n')) {
    const [, ticks = '', rest = ''] = /^(`{3,})([^`]*)$/.exec(line) ?? [];
    if (ticks === '') continue;
    if (open === '') open = ticks;
    else if (ticks.length >= open.length && rest.trim() === '') open = '';
  }
  return open === '';
}

describe('a record as a report', () => {
  const code = (text: string): Block => ({ kind: 'code', label: 'Body', text });
  const part = (id: string, rank: number, ...blocks: Block[]): MarkdownPart => ({
    id,
    title: id,
    rank,
    text: () => renderBlocksMarkdown(blocks, 3),
  });
  const line: Block = { kind: 'text', text: 'x'.repeat(500) };

  it('has its parts by rank, each within its room, and names what is left out', () => {
    const many = Array.from({ length: 40 }, () => line);
    const report = renderRecordMarkdown(recordOf({}), [
      part('quiet', 3, ...many),
      part('loud', 1, ...many),
      part('first', 0, line),
    ]);
    assert.ok(report.startsWith('# 200 POST http://a.test/x\n\n- Record: `abc123`'));
    assert.ok(
      report.indexOf('## first') < report.indexOf('## loud') &&
        report.indexOf('## loud') < report.indexOf('## quiet'),
    );
    const length = (name: string): number =>
      /## /.exec(report.slice(report.indexOf(`## ${name}`) + 3))?.index ?? 0;
    assert.ok(length('loud') > 2000 && length('loud') <= 3020, String(length('loud')));
    assert.ok(length('quiet') > 400 && length('quiet') <= 1220, String(length('quiet')));
    assert.match(report, /## Left out\n\n- loud: \d+ of \d+ characters \(\\`\?panel=loud\\`\)\n- quiet: /);
    assert.doesNotMatch(report, /- first:/);
    assert.ok(report.length < 15_500);
  });

  it('is never cut within a fence, also where a text has fences of its own', () => {
    const words = fc.constantFrom('```', '````', 'a\n\nb', '``` js', 'text\n', '\n\n', 'x'.repeat(300));
    fc.assert(
      fc.property(
        fc.array(words, { minLength: 4, maxLength: 30 }),
        fc.integer({ min: 1, max: 12 }),
        (texts, count) => {
          const text = texts.join('\n');
          const blocks = Array.from({ length: count }, () => code(text));
          const report = renderRecordMarkdown(recordOf({}), [
            part('loud', 1, ...blocks),
            part('quiet', 3, ...blocks),
          ]);
          assert.ok(fencesEnd(report), report);
        },
      ),
    );
  });

  it('of two says that nothing differs, where nothing does', () => {
    const pair = [recordOf({}), recordOf({ token: 'def456', response: null })];
    const none = renderComparisonMarkdown(pair, [{ title: 'Time', blocks: [] }]);
    assert.match(none, /\*\*1\.\*\* 200 POST[^]*\*\*2\.\*\* Unfinished: POST[^]*Nothing differs\./);
    assert.match(renderComparisonMarkdown(pair, [{ title: 'Time', blocks: [line] }]), /## Time\n\nx+\n$/);
  });

  it('shows no style sheet or script of a page, and says how much more there was', () => {
    const text = renderBlocksMarkdown(
      [code(`<style>${'a'.repeat(9000)}</style><p>here</p><SCRIPT>${'b'.repeat(99)}`)],
      2,
    );
    assert.match(text, /<style>…<\/style><p>here<\/p><SCRIPT>…<\/SCRIPT>/);
    assert.match(renderBlocksMarkdown([code('y'.repeat(2300))], 2), /y\n… 300 more characters/);
  });

  it('has thirty rows of a table and says how many more there are; cells stay cells', () => {
    const table: Block = {
      kind: 'table',
      caption: 'Rows',
      columns: [{ label: 'A|B' }, { label: 'C' }],
      rows: Array.from({ length: 33 }, (_, at) => ({
        cells: [{ text: `a|b\n${at}`, mono: at % 2 === 0 }, at],
      })),
    };
    const lines = renderBlocksMarkdown([table], 2).split('\n');
    for (const one of lines.filter((text) => text.startsWith('|')))
      assert.equal(one.replaceAll('\\|', '').split('|').length, 4, one);
    assert.equal(lines.filter((text) => text.startsWith('|')).length, 32);
    assert.match(lines.join('\n'), /… 3 more rows/);
  });
});
