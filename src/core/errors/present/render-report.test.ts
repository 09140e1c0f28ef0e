import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'node:test';
import { dump } from '#core/dump';
import type { ErrorPageContext, ErrorReport, ReportedError, ReportedFrame } from '../report/error-report.js';
import {
  codeSpan,
  escapeMarkdown,
  fence,
  foldRuns,
  headline,
  ownersOf,
  locationOfFrame,
  renderErrorChainMarkdown,
  renderErrorMarkdown,
  renderErrorTerminal,
  renderErrorText,
  renderFrame,
} from './render-report.js';

const text = fc.oneof(fc.string(), fc.stringMatching(/^[`|<\n\\a#-]{0,40}$/));

describe('Markdown of foreign text', () => {
  it('stays inside its code span and on its line', () => {
    fc.assert(
      fc.property(text, (given) => {
        const span = codeSpan(given);
        assert.ok(!/[\r\n]/.test(span));
        const ticks = /^`+/.exec(span)?.[0];
        if (ticks === undefined) return assert.equal(span, '(empty)');
        const inside = span.slice(ticks.length, -ticks.length);
        assert.ok(!inside.includes(ticks), 'no run inside closes the span');
        assert.ok(!/(?<!\\)\|/.test(inside), 'no bar splits the table');
      }),
    );
  });

  it('stays inside its fence', () => {
    fc.assert(
      fc.property(text, (given) => {
        const lines = fence(given, 'json').split('\n');
        const ticks = (lines[0] ?? '').replace('json', '');
        assert.equal(lines.at(-1), ticks);
        assert.ok(!lines.slice(1, -1).some((line) => line.trim().startsWith(ticks)));
      }),
    );
  });

  it('starts no element, link, heading or emphasis', () => {
    fc.assert(
      fc.property(text, (given) => {
        const plain = escapeMarkdown(given).replace(/\\./g, '');
        assert.ok(!/[`*_[\]#|<>&~\n\r]/.test(plain), plain);
      }),
    );
  });
});

const frame: ReportedFrame = {
  index: 1,
  function: 'load',
  file: 'src/load.ts',
  line: 99,
  column: 5,
  kind: 'app',
  async: false,
};
const library: ReportedFrame = {
  ...frame,
  kind: 'library',
  library: 'express',
  index: 2,
  file: 'express/a.js',
};

const inner: ReportedError = {
  number: 1,
  label: '1',
  class: 'RangeError',
  code: 'E_FAR',
  message: 'too far\nby 3',
  fix: 'Go less far.',
  frames: [
    {
      ...frame,
      excerpt: { startLine: 98, lines: ['a', '  b()', ''], line: 99, column: 3 },
      locals: dump({ by: 3, list: [1, 2] }, {}),
    },
    library,
    { ...library, index: 3 },
    { ...library, index: 4, kind: 'node', library: undefined, file: 'node:fs' } as unknown as ReportedFrame, // no library
  ],
  moreFrames: 7,
  isOuter: false,
};

const outer: ReportedError = {
  number: 2,
  label: '2',
  class: 'AggregateError',
  message: '',
  circularTo: '1',
  properties: dump({ count: 1 }, {}),
  frames: [],
  isOuter: true,
  children: [
    {
      errors: [
        {
          ...inner,
          label: '2.1',
          code: undefined,
          frames: [],
          moreFrames: undefined,
        } as unknown as ReportedError,
      ],
      more: 4,
    },
  ], // without these fields
  moreChildren: 5,
};

const report: ErrorReport = {
  status: 500,
  class: 'AggregateError',
  message: '',
  errors: [inner, outer],
  more: 2,
};

const context: ErrorPageContext = {
  request: { method: 'GET', url: 'http://a.example/?token=s3cr3t', headers: [['Accept', '*/*'], ['Cookie', 'id=s3cr3t']] }, // prettier-ignore
  logs: [
    { time: 1.6, level: 'info', channel: 'app', message: 'said' },
    { time: '12:00', level: 'error', channel: 'db', message: 'lost' },
  ],
  routing: { didYouMean: [{ name: 'show', path: '/show' }], allow: ['GET', 'PUT'] },
  record: { token: 'abc', link: 'http://a.example/_profiler/abc' },
};

describe('a report as text', () => {
  const chain = [
    '  … 2 deeper causes omitted',
    '',
    '[1] RangeError [E_FAR]',
    '  too far',
    '  by 3',
    '     98 | a',
    '  >  99 |   b()',
    '    100 |',
    '  by = 3',
    '  list = Array(2) [ 1, 2 ]',
    '  1. load (src/load.ts:99:5)',
    '  … 3 calls in express, Node.js',
    '  … 7 more calls',
    '',
    '[2] AggregateError (what the client saw)',
    '  Caused by error 1 again: the chain is circular.',
    '  {',
    '    count: 1',
    '  }',
    '      … 4 deeper causes omitted',
    '    [2.1] RangeError',
    '      too far',
    '      by 3',
    '      … 5 more aggregated errors',
    '',
    'Hint: Go less far.',
    '',
  ];

  it('has the chain from the inside, each error with its code, values, calls and aggregated errors', () => {
    assert.deepEqual(renderErrorTerminal(report).split('\n'), chain);
  });

  it('begins with the request and suggestions, and ends with log and fields', () => {
    assert.deepEqual(renderErrorText(report, context).split('\n'), [
      '500 Internal Server Error',
      'AggregateError without a message',
      'Request: GET http://a.example/?token=[redacted]',
      'Record: http://a.example/_profiler/abc',
      '',
      'Did you mean:',
      '  /show (show)',
      '',
      'Allowed here:',
      '  GET',
      '  PUT',
      '',
      ...chain,
      'Log:',
      '  2 ms info app: said',
      '  12:00 error db: lost',
      '',
      'Headers:',
      '  Accept: */*',
      '  Cookie: id=[redacted]',
      '',
    ]);
    assert.deepEqual(renderErrorText(report).split('\n').slice(0, 4), [
      '500 Internal Server Error',
      'AggregateError without a message',
      '',
      chain[0],
    ]);
  });
});

describe('a report as Markdown', () => {
  it('has the same content in headings, code spans and fences', () => {
    const text = renderErrorMarkdown(report, context);
    assert.deepEqual(text.match(/^#+ .*$/gm), [
      '# 500 Internal Server Error',
      '## Errors, inner first',
      '### 1. `RangeError [E_FAR]`',
      '### 2. `AggregateError (what the client saw)`',
      '#### 2.1. `RangeError`',
      '## Log',
      '## Headers',
    ]);
    for (const part of [
      'Request: `GET http://a.example/?token=[redacted]`',
      'Did you mean:\n\n- `/show (show)`',
      'Allowed here:\n\n- `GET`\n- `PUT`',
      'Hints:\n\n- `Go less far.`',
      '`src/load.ts`\n\n```ts\n   98 | a\n>  99 |   b()\n  100 |\n```',
      '… 2 deeper causes omitted',
      '```text\n2 ms info app: said\n12:00 error db: lost\n```',
    ])
      assert.ok(text.includes(part), part);
    assert.ok(text.endsWith('\n\nRecord: `http://a.example/_profiler/abc`\n'));
    assert.doesNotMatch(text + renderErrorMarkdown(report), /s3cr3t|\n\n\n/);
    assert.doesNotMatch(renderErrorMarkdown(report), /Request:|Did you|Allowed|## Log|## Headers|Record:/);
  });

  it('has headings at the requested level, six at most', () => {
    const headings = (level: number): string[] =>
      (renderErrorChainMarkdown(report, level).match(/^#+/gm) ?? []).map((one) => String(one.length));
    assert.deepEqual([headings(2), headings(6)], [['2', '2', '3'], ['6', '6', '6']]); // prettier-ignore
  });
});

describe('a frame', () => {
  it('is its number, function and location, as far as they are known', () => {
    const lines = [
      { ...frame, async: true },
      { ...frame, function: '', column: 0 },
      { ...frame, line: 0, column: 0 },
      { ...frame, file: '', kind: 'eval' },
      { ...frame, file: '', kind: 'native' },
    ] as const;
    assert.deepEqual(lines.map(renderFrame), [
      '1. await load (src/load.ts:99:5)',
      '1. (src/load.ts:99)',
      '1. load (src/load.ts)',
      '1. load (eval)',
      '1. load (native code)',
    ]);
    assert.doesNotMatch(locationOfFrame({ ...frame, file: 'a\u202eb' }), /\u202e/);
  });

  it('of a package joins its neighbours, unless its code is shown', () => {
    const shown = { ...library, excerpt: { startLine: 1, lines: ['x'], line: 1, column: 1 } };
    const runs = foldRuns([frame, library, library, frame, frame, library, shown, library]);
    assert.deepEqual(
      runs.map((run) => run.length),
      [1, 2, 1, 1, 1, 1, 1],
    );
    const of = (...names: string[]): ReportedFrame[] => names.map((name) => ({ ...library, library: name }));
    assert.equal(ownersOf(of('a', 'b', 'a', 'c', 'd')), 'a, b, c, d');
    assert.equal(ownersOf(of('a', 'b', 'c', 'd', 'e')), 'a, b, c, d and others');
    assert.equal(headline({ class: 'A', message: 'b' }), 'A: b');
  });
});
