import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'node:test';
import { h } from 'preact';
import { renderToStaticMarkup } from 'preact-render-to-string';
import { visibleText } from '#core/html';
import { renderErrorMarkdown, renderErrorTerminal, renderErrorText } from '../present/render-report.js';
import { renderErrorJson } from '../render/render-error-answer.js';
import type { ErrorPageContext, ErrorReport } from '../report/error-report.js';
import { createSourceLoader } from '../source/create-source-loader.js';
import { NotFoundError } from '../status/http-errors.js';
import { flattenError } from '../thrown/flatten-error.js';
import { ErrorChain } from './error-chain.js';
import { renderErrorPage } from './error-page.js';

const sources = createSourceLoader();

const report = (thrown: unknown): ErrorReport => flattenError(thrown, { sources, libraryFolders: [] });

/** A report and its context with the same text in every field that holds foreign text. */
function filledWith(text: string): [ErrorReport, ErrorPageContext] {
  const frame = {
    index: 1,
    function: text,
    file: text,
    path: `/${text}`,
    line: 1,
    column: 2,
    async: true,
  } as const;
  const excerpt = {
    startLine: 1,
    lines: [text, `const a = '${text}'; // ${text}`, `\`${text}`],
    line: 2,
    column: 9,
  };
  const locals = {
    type: 'object',
    entries: [
      { key: text, kind: 'property', value: { type: 'string', text } },
      { key: 'long', kind: 'property', value: { type: 'string', text: text.padEnd(200, '.') } },
    ],
  } as const;
  const error = {
    number: 1,
    label: '1',
    class: text,
    message: text,
    code: text,
    fix: text,
    properties: {
      type: 'object',
      text,
      entries: [
        { key: text, kind: 'property', value: { type: 'string', text } },
        { key: '', kind: 'key', keySnapshot: { type: 'symbol', text }, value: { type: 'function', text } },
      ],
    },
    frames: [
      { ...frame, kind: 'app', excerpt, locals },
      { ...frame, index: 2, kind: 'library', library: text, note: text },
      { ...frame, index: 3, kind: 'library', library: text },
      { ...frame, index: 4, kind: 'node' },
    ],
    isOuter: true,
  } as const;
  const pairs = [
    [text, text],
    ['Referer', text],
  ] as const;
  return [
    {
      status: 404,
      class: text,
      message: text,
      errors: [
        { ...error, isOuter: false, children: [{ errors: [{ ...error, label: '1.1' }] }] },
        { ...error, number: 2, label: '2' },
      ],
      origin: { error: '1', frame: 1 },
    },
    {
      request: { method: text, url: text, headers: pairs },
      logs: [{ time: text, level: text, channel: text, message: text, context: text }],
      routing: {
        near: [{ name: text, path: text, reason: text }],
        tried: 2,
        didYouMean: [
          { name: text, path: text },
          { name: text, path: `/${text}` },
        ],
        allow: [text],
      },
      record: { token: text, link: text },
      editor: `vscode://file%f:%l${text}`,
    },
  ];
}

/** The page's elements with their attribute names, as a parser sees them. */
function skeleton(page: string): string[] {
  const tags = page.replaceAll(/<(script|style)>[\s\S]*?<\/\1>/g, '').match(/<(?:"[^"]*"|[^">])*>?/g) ?? [];
  // In a formatted template, tags may span several lines.
  return tags.map((tag) =>
    tag
      .replaceAll(/"[^"]*"/g, '""')
      .replaceAll(/\n\s*/g, ' ')
      .replace(/ >$/, '>'),
  );
}

const payloads = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '"><svg onload=alert(1)>',
  "'><b>",
  '</title><script>alert(1)</script>',
  '</style><script>alert(1)</script>',
  '</textarea><x>',
  '</pre></code><x>',
  '--><x>',
  '<!--',
  '<![CDATA[<x>]]>',
  '&lt;x&gt;',
  '" onmouseover="alert(1)',
  '` onclick=alert(1)',
  'javascript:alert(1)',
  'java\tscript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  '\u0000<x>',
  '<\u0000script>',
  '{{constructor.constructor("alert(1)")()}}',
  '${alert(1)}',
  '<base href="//evil">',
  '<meta http-equiv=refresh content=0>',
  '<iframe srcdoc="<x>">',
  '\ud800<x>',
  '\u2028</script>',
  '<a href="&#106;avascript:alert(1)">',
  '*/</script><x>',
  '//<x>',
  "\\'><x>",
  '</details></main><x>',
  '<template><x>',
];

describe('E3: foreign text in every field', () => {
  const expected = skeleton(renderErrorPage(...filledWith('plain')));

  for (const payload of payloads) {
    it(`adds no element and no attribute: ${JSON.stringify(payload)}`, () => {
      // Path links and code colours depend on the text; compare with harmless text in the same shape.
      const page = renderErrorPage(...filledWith(payload));
      const found = skeleton(page).filter((tag) => !/^<\/?(?:span|mark|a|code)\b/.test(tag));
      assert.deepEqual(
        found,
        expected.filter((tag) => !/^<\/?(?:span|mark|a|code)\b/.test(tag)),
      );
      for (const tag of skeleton(page))
        assert.match(tag, /^<(?:!doctype html|\/?[a-z][a-z0-9]*(?: [a-zA-Z-]+(?:="")?)*)>$/);
      for (const [, url = ''] of page.matchAll(/(?<!<link rel="icon") href="([^"]*)"/g))
        assert.doesNotMatch(url, /^\s*(?:javascript|data|vbscript):/i);
    });
  }

  it('adds none for arbitrary text', () => {
    const shape = (page: string): string[] =>
      skeleton(page).filter(
        (tag) => !/^<\/?(?:span|mark|a|code|pre|p|div|details|summary|h3|dl|dt|dd)\b/.test(tag),
      );
    const plain = shape(renderErrorPage(...filledWith('plain')));
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^[<>"'&=/a-z !-]{0,30}$/)),
        (text) => {
          const page = renderErrorPage(...filledWith(`x${text}`));
          assert.deepEqual(shape(page), plain);
          assert.ok(!page.includes('\0'));
        },
      ),
      { numRuns: 100 },
    );
  });

  it('Markdown: all foreign text is in code', () => {
    for (const payload of [...payloads, '```\n# x', '`x`', '[a](javascript:x)', '~~~']) {
      const text = renderErrorMarkdown(...filledWith(payload));
      const outside = text
        .replaceAll(/^(`{3,})[a-z]*\n[\s\S]*?\n\1$/gm, '')
        .replaceAll(/(?<!`)(`+)(?!`)[\s\S]*?(?<!`)\1(?!`)/g, '');
      assert.doesNotMatch(outside, /[<>]|alert|\]\(/, payload);
    }
  });

  it('text and terminal: no control characters', () => {
    const given = filledWith('\u001b]0;owned\u0007\u001b[2J\u009b31m\u202e\r');
    const plain = renderErrorText(...given) + renderErrorTerminal(given[0]);
    assert.equal(plain, visibleText(plain));
    const gathered = new AggregateError([new Error('refused by the first')], '');
    assert.match(
      renderErrorTerminal(report(gathered)),
      /^\[1\] AggregateError[^]*\n {4}\[1\.1\] Error\n {6}refused by the first\n/,
    );
  });

  it('JSON: parses back to the same texts', () => {
    for (const payload of payloads) {
      const [given, context] = filledWith(payload);
      const back = JSON.parse(renderErrorJson(given, context)) as {
        readonly detail: string;
        readonly debug: {
          readonly method: string;
          readonly exception: readonly { readonly class: string; readonly message: string }[];
          readonly logs: readonly { readonly channel: string; readonly message: string }[];
        };
      };
      const [error] = back.debug.exception;
      const [log] = back.debug.logs;
      assert.deepEqual(
        [back.detail, back.debug.method, error?.class, error?.message, log?.channel, log?.message],
        Array.from({ length: 6 }, () => payload),
      );
    }
  });
});

/** Assembled here, so that the source excerpt next to an error does not contain it. */
const canary = ['c4n', '4ry'].join('');

describe('E1: the page', () => {
  const inner = new Error('No routes found for "/x/"');
  const given: Parameters<typeof renderErrorPage> = [
    report(new NotFoundError('No route found for "GET http://h/x"', { cause: inner })),
    {
      request: {
        method: 'GET',
        url: `http://h/x?token=${canary}&code=${canary}&state=open`,
        headers: [
          ['Cookie', `sid=${canary}`],
          ['Accept', '*/*'],
        ],
      },
      logs: [{ time: 1.5, level: 'info', channel: 'router', message: 'nothing matched' }],
      routing: {
        didYouMean: [{ name: 'home', path: '/' }],
        near: [{ name: 'home', path: '/', reason: 'path differs' }],
        tried: 1,
      },
      record: { token: 'abc123', link: '/_profiler/abc123' },
      editor: 'vscode',
    },
  ];
  const page = renderErrorPage(...given);
  const at = (text: string): number => {
    const found = page.indexOf(text);
    assert.notEqual(found, -1, text);
    return found;
  };

  it('has the outer message as its heading and the inner error first', () => {
    assert.ok(/<h1[^>]*>No route found for &quot;GET http:\/\/h\/x&quot;<\/h1>/.test(page));
    assert.ok(at('id="error-1"') < at('id="error-2"'));
    assert.ok(page.indexOf('No routes found for', at('id="error-1"')) < at('id="error-2"'));
    assert.ok(page.indexOf('what the client saw', at('id="error-2"')) > 0);
  });

  it('shows code with the line marked, a numbered stack, the log, the request, near misses and the record', () => {
    assert.match(page, /<span class="row hit"><span class="no">→ \d+<\/span>/);
    assert.match(page, /<pre[^>]* id="markdown"[^>]*>[^]*\n1\. /);
    assert.match(page, /<dt>Accept<\/dt>\s*<dd>\*\/\*<\/dd>/);
    const shown = page.replace(/<pre[^>]* id="markdown"[^]*?<\/pre>/, ''); // it says the same
    for (const text of [
      'nothing matched',
      'GET http://h/x?token=[redacted]',
      'Did you mean',
      'path differs',
      'href="/_profiler/abc123"',
      'href="vscode://file/',
    ])
      assert.ok(shown.includes(text), text);
    assert.match(page, /<details open><summary class="frame-head">/);
  });

  it('E2: has the same content as text and as Markdown', () => {
    const facts = [
      '404 Not Found',
      'GET http://h/x',
      '/_profiler/abc123',
      '/ (home)',
      'nothing matched',
      'Accept: *',
    ];
    for (const text of [renderErrorText(...given), renderErrorMarkdown(...given)])
      assert.deepEqual(
        [...facts, canary].filter((fact) => !text.includes(fact)),
        [canary],
        text,
      );
    assert.match(renderErrorText(...given), /\n\nDid you mean:\n {2}\/ \(home\)\n\n\[1\] Error\n/);
  });

  it('calls functions without a name anonymous', () => {
    const error = new Error('late');
    error.stack = `Error: late\n    at async ${import.meta.url}:3:7`;
    const shown = renderErrorPage(report(error), {});
    assert.match(shown, /<span class="async">await <\/span>\(anonymous\)/);
  });

  it("shows none of the request's secrets", () => {
    assert.ok(!page.includes(canary));
    assert.match(page, /<dt>code<\/dt>\s*<dd>\[redacted\]<\/dd>[^]*<dt>state<\/dt>\s*<dd>open<\/dd>/);
  });
});

describe('size', () => {
  it('a page with two errors stays below 60 kB, one with 1,000 aggregated errors below 1 MB', () => {
    const two = renderErrorPage(report(new Error('a', { cause: new Error('b') })));
    assert.ok(two.length < 60_000, String(two.length));
    const many = renderErrorPage(
      report(new AggregateError(Array.from({ length: 1000 }, (_, index) => new Error(String(index))))),
    );
    assert.ok(many.length < 1_000_000, String(many.length));
  });
});

describe('a chain with one error', () => {
  it('shows the message, unless the page title does', () => {
    const one = report(new TypeError('The shelf fell.'));
    const chain = renderToStaticMarkup(h(ErrorChain, { report: one, editor: () => undefined }));
    assert.match(
      chain,
      /<header class="error-head is-lead"><h3[^>]*>The shelf fell\.<\/h3><p><b>TypeError<\/b>/,
    );
    assert.doesNotMatch(renderErrorPage(one), /class="error-head/);
  });
});

describe('the location below the message', () => {
  it('is where the error was thrown or, if an inner error was thrown there, where the chain began', () => {
    assert.match(renderErrorPage(report(new Error('alone'))), /<\/b>, thrown in <a/);
    const outer = new Error('outer', { cause: new Error('inner') });
    assert.match(renderErrorPage(report(outer)), /<\/b>, began in <a/);
  });

  it('is where the controller that returned nothing was declared, with no line in red', () => {
    const error = Object.assign(new Error('It returned undefined'), { code: 'KERNEL_NO_RESPONSE' });
    const page = renderErrorPage(report(error));
    assert.match(page, /<\/b>, declared in <a/);
    assert.doesNotMatch(page, /"row hit"/);
    assert.match(page, /→ \d/);
    assert.match(renderErrorPage(report(new Error('alone'))), /"row hit"/);
  });
});

describe("an error's circumstances", () => {
  const history = {
    seen: '3 times, first 19 min ago',
    lastGood: {
      text: 'GET /a/8 → 200',
      href: '/r/1',
      comparison: '/c/1',
      differences: [{ text: 'id', sides: ['8', '<abc>'] as const }, { text: 'headers: accept' }],
    },
  };
  const statement = {
    label: 'postgresql · 8 ms',
    sql: 'SELECT <a> FROM b WHERE id = $1',
    mark: [29, 31] as const,
    values: [['$1 (id)', { type: 'string', text: '<abc>' }] as const],
    place: 'the only query',
    href: '/r/2?panel=db#query-1',
  };

  it('are on the page: the statement with the part at fault, and earlier requests', () => {
    const page = renderErrorPage(report(new Error('no')), { history, statement });
    const other = renderErrorPage(report(new Error('no')), { statement: { ...statement, mark: [7, 10] } });
    assert.match(
      other,
      /SELECT <mark>&lt;a(?:>|&gt;)<\/mark> FROM b/,
      'text that only looks like a placeholder',
    );
    assert.match(
      page,
      /SELECT &lt;a(?:>|&gt;) FROM b WHERE id = <mark data-value="\$1 = &quot;&lt;abc>&quot;"><span>\$1<\/span><\/mark>/,
    );
    assert.match(page, /<a href="\/r\/2\?panel=db#query-1">the only query/);
    assert.match(
      page,
      /3 times, first 19 min ago.*<a href="\/r\/1">GET \/a\/8 → 200.*id: <span class="worked">8<\/span> → <span class="failed">&lt;abc.{1,4}<\/span>\nheaders: accept.*href="\/c\/1"/s,
    );
    assert.doesNotMatch(page, /<abc>/);
    assert.match(
      renderErrorPage(report(new Error('no')), { history: { seen: 'once', lastGood: null } }),
      /never before/,
    );
    const plainPage = renderErrorPage(report(new Error('no')), { history: { seen: 'once' } });
    assert.doesNotMatch(plainPage, /<dt>When|<dt>What|id="statement"/);
  });

  const call = {
    request: 'GET http://a.example/<b>',
    site: { text: 'load (src/<load>.ts:4)', file: '/app/src/load.ts', line: 4, column: 2 },
    place: 'call 2 of 3',
    href: '/r/2?panel=http#call-2',
  };

  it('name the call that failed, with a link to its line', () => {
    const page = renderErrorPage(report(new Error('no')), { call, editor: 'vscode' });
    assert.match(page, /<dt>Request<\/dt><dd>GET http:\/\/a\.example\/&lt;b/);
    assert.match(page, /<a href="vscode:\/\/file\/app\/src\/load\.ts:4:2">load \(src\/&lt;load/);
    assert.match(page, /<a href="\/r\/2\?panel=http#call-2">call 2 of 3/);
    const plainPage = renderErrorPage(report(new Error('no')), { call });
    assert.match(plainPage, /<dd>load \(src/);
    assert.match(
      renderErrorText(report(new Error('no')), { call }),
      /GET http:\/\/a\.example\/<b> · call 2 of 3\n\s*Sent from load \(src\/<load>\.ts:4\)/,
    );
  });

  it('are in Markdown and text as well', () => {
    const context = { history, statement };
    for (const text of [
      renderErrorMarkdown(report(new Error('no')), context),
      renderErrorText(report(new Error('no')), context),
    ]) {
      assert.match(text, /This error: 3 times, first 19 min ago\n *When the route worked: GET \/a\/8 → 200/);
      assert.match(text, /What is different: id: 8 → <abc>; headers: accept/);
      assert.match(text, /WHERE id = \$1\n *\^\^\n *\$1 \(id\) = "<abc>"/);
    }
  });
});

describe("an error's fields", () => {
  it('are those with a value; the number of the others is given', () => {
    const fields = { severity: 'ERROR', table: undefined, column: undefined };
    const page = renderErrorPage(report(Object.assign(new Error('no'), fields)));
    assert.match(page, /Data of the error \(2 undefined fields left out\)/);
    const [, data = ''] = page.split('class="properties"');
    assert.match(data.slice(0, 600), /severity/);
    assert.doesNotMatch(data.slice(0, 600), /table|column/);
    const text = renderErrorMarkdown(report(Object.assign(new Error('no'), fields)));
    assert.match(text, /severity: "ERROR"\n\}\n\(2 undefined fields left out\)/);
    assert.doesNotMatch(text, /\n  table/);
    assert.doesNotMatch(
      renderErrorPage(report(Object.assign(new Error('no'), { table: undefined }))),
      /class="properties"/,
    );
  });
});

describe('frames on an error page', () => {
  it('are reported missing only if nothing else shows the location, not below aggregated errors', () => {
    const bare = (error: Error): Error => Object.assign(error, { stack: undefined });
    const missing = '<p class="frame-note">No stack'; // checked as markup, since excerpts from this file are shown too
    assert.ok(renderErrorPage(report(bare(new Error('alone')))).includes(missing));
    const gathered = bare(new AggregateError([new Error('the first')], 'all failed'));
    assert.ok(!renderErrorPage(report(gathered)).includes(missing));
  });

  const pageWith = (isChanged: boolean): string => {
    const [report, context] = filledWith('shop');
    const [outer] = report.errors;
    assert.ok(outer !== undefined);
    const { children: _inner, ...alone } = outer;
    const frames = outer.frames.map((frame) =>
      frame.excerpt === undefined || !isChanged
        ? frame
        : { ...frame, excerpt: { ...frame.excerpt, changed: true as const } },
    );
    return renderErrorPage({ ...report, errors: [{ ...alone, frames }] }, context);
  };

  it("fold consecutive library calls into one row, and keep the application's calls", () => {
    const rows = [...pageWith(false).matchAll(/class="(card frame[^"]*|fold)"/g)].map(([, kind]) => kind);
    assert.deepEqual(rows, ['card frame app', 'fold']);
    assert.match(pageWith(false), /3 calls in shop, Node\.js/);
  });

  it('show the local variables, those of the marked line first, as do Markdown and text', () => {
    const [report] = filledWith('shop');
    const [outer] = report.errors;
    assert.ok(outer !== undefined);
    const entries = ['total', 'answer', 'a'].map((key) => ({
      key,
      kind: 'property' as const,
      value: { type: 'number' as const, text: '46.5' },
    }));
    const { children: _inner, ...alone } = outer;
    const frames = [{ ...outer.frames[0], locals: { type: 'object' as const, entries } }];
    const changed = { ...report, errors: [{ ...alone, frames }] } as ErrorReport; // the frame exists
    const [list = ''] = /<dl class="vars"[^]*?<\/dl>/.exec(renderErrorPage(changed)) ?? [];
    assert.match(
      list,
      /^<dl[^>]*><dt>a<\/dt><dd class="why"><span>46\.5<\/span><\/dd><dt>total<\/dt><dd class="rest">/,
    );
    assert.match(renderErrorText(changed), /\n +answer = 46\.5\n/);
    assert.match(renderErrorMarkdown(changed), /\nanswer = 46\.5\n/);
  });

  it('note that a file was written after the process started, and only then', () => {
    assert.match(pageWith(true), /The file was written after the process started/);
    assert.doesNotMatch(pageWith(false), /The file was written after/);
  });
});

describe('the request details on the page', () => {
  const page = (context: ErrorPageContext): string =>
    renderErrorPage(report(new Error('It broke.')), context);
  const request = { method: 'GET', url: 'http://a/', headers: [['Host', 'a']] } as const;

  it('include the query parameters, if any', () => {
    assert.doesNotMatch(page({ request }), /<h3>Query/);
    assert.match(page({ request: { ...request, url: `${request.url}?a=1` } }), /<dt>a<\/dt><dd>1<\/dd>/);
  });
});
