import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { takeExcerpt } from './report-frames.js';
import { createRedactor } from '#core/dump';
import { flattenError } from './flatten-error.js';
import type { ReportedFrame } from '../report/error-report.js';
import type { LoadedSource, SourceLoader } from '../source/create-source-loader.js';

const file = join(process.cwd(), 'a.ts');
const source = (lines: string[]) => ({ lines, changed: false });

describe('takeExcerpt', () => {
  it("shows five lines before and after, fewer at the file's ends", () => {
    const lines = Array.from({ length: 30 }, (_, index) => `line ${index + 1}`);
    const middle = takeExcerpt(source(lines), 15, 3);
    assert.deepEqual([middle?.startLine, middle?.lines.length, middle?.lines[5]], [10, 11, 'line 15']);
    assert.deepEqual(
      [takeExcerpt(source(lines), 1, 1)?.lines.length, takeExcerpt(source(lines), 30, 1)?.lines.length],
      [6, 6],
    );
    assert.equal(takeExcerpt(source(lines), 31, 1), undefined);
    assert.equal(takeExcerpt(source(lines), 0, 1), undefined);
  });

  it('truncates a million-character line around the column, which still points at the same code', () => {
    const line = `${'x'.repeat(600_000)}HERE${'y'.repeat(400_000)}`;
    const excerpt = takeExcerpt(source([line, line]), 1, 600_001);
    const shown = excerpt?.lines[0] ?? '';
    assert.ok(shown.length < 300);
    assert.equal(shown.slice((excerpt?.column ?? 0) - 1).slice(0, 4), 'HERE');
    assert.ok((excerpt?.lines[1] ?? '').length < 300);
  });

  it('knows the constructs open at the start of its lines, from the beginning of the file', () => {
    const above = [
      '/* about */',
      'const a = `',
      ...Array.from({ length: 20 }, (_, at) => `  line ${at} */`),
      '`;',
    ];
    const openOf = (line: number, path = 'a.ts'): readonly string[] | undefined =>
      takeExcerpt(source([...above, 'throw a;']), line, 1, path)?.open;
    assert.deepEqual(
      openOf(12),
      Array.from({ length: 11 }, () => '`'),
    );
    assert.deepEqual(openOf(24), ['`', '`', '`', '`', '`', '']);
    assert.equal(openOf(12, 'a.vue'), undefined);
    assert.equal(takeExcerpt(source(["a('*/*');", 'throw a;']), 2, 1, 'a.js')?.open, undefined);
    const long = [`f('${'x'.repeat(400)}don', "'"); throw a; // '`];
    assert.deepEqual(takeExcerpt(source(long), 1, 400, 'a.js')?.open, ['s']);
    assert.deepEqual(takeExcerpt(source(long), 1, 530, 'a.js')?.open, ['d']);
    assert.equal(takeExcerpt(source(long), 1, 535, 'a.js')?.open, undefined);
  });

  it('reads a bounded part of a large file, starting at a statement', () => {
    const lines = [
      'a = `',
      ...Array.from({ length: 40_000 }, (_, at) => `  x(${at}, '*/*');`),
      'b = /* still',
      'throw b;',
    ];
    const started = performance.now();
    assert.deepEqual(takeExcerpt(source(lines), lines.length, 1, 'a.js')?.open?.at(-1), undefined);
    const withStatement = [...lines.slice(0, -2), 'function f() {', ...lines.slice(-2)];
    assert.equal(takeExcerpt(source(withStatement), withStatement.length, 1, 'a.js')?.open?.at(-1), '*');
    assert.ok(performance.now() - started < 1000);
  });

  it('shows the text after a column near the end of the truncated line', () => {
    for (const before of [190, 201, 239]) {
      const line = `${'x'.repeat(before)}HERE and ${'y'.repeat(100)}`;
      const { lines: [shown = ''] = [], column = 0 } = takeExcerpt(source([line]), 1, before + 1) ?? {};
      assert.equal(shown.slice(column - 1, column + 7), 'HERE and', String(before));
    }
  });
});

/** One file's sources, which can be rewritten. */
function openSources(): SourceLoader & { write(text: string): void } {
  let source: LoadedSource = { lines: ['first'], changed: false };
  return {
    load: (path) => (path === file ? source : 'The source file does not exist.'),
    findOriginal: () => undefined,
    write(text) {
      source = { lines: [text], changed: true };
    },
  };
}

function throwAt(line: number, message = 'wrong'): Error {
  const error = new Error(message);
  error.stack = `Error: ${message}\n    at run (${file}:${line}:1)\n    at node:internal/x:2:3`;
  return error;
}

describe("a repeated stack's frames", () => {
  const redactor = createRedactor();
  const framesOf = (error: Error, sources: SourceLoader): readonly ReportedFrame[] =>
    flattenError(error, { sources, redactor }).errors[0]?.frames ?? [];

  it('are read again after a source was written', () => {
    const sources = openSources();
    const before = framesOf(throwAt(1), sources);
    sources.write('second');
    const after = framesOf(throwAt(1), sources);
    assert.deepEqual(before[0]?.excerpt?.lines, ['first']);
    assert.deepEqual(after[0]?.excerpt?.lines, ['second']);
    assert.equal(after[0]?.excerpt?.changed, true);
  });

  it('are at most a hundred, with the number of further ones', () => {
    const stack = `Error: deep\n${`    at f (${file}:1:1)\n`.repeat(103)}`;
    const [deep] = flattenError(Object.assign(new Error('deep'), { stack })).errors;
    assert.deepEqual([deep?.frames.length, deep?.moreFrames], [100, 3]);
  });

  it("have the application's code if one frame belongs to it, otherwise one package's code", () => {
    const sources = openSources();
    const error = throwAt(1);
    const below = `    at inner (${join(process.cwd(), 'node_modules/koa/index.js')}:1:1)`;
    const [head = '', own = ''] = String(error.stack).split('\n');
    const stack = [head, below, own].join('\n');
    const frames = framesOf(Object.assign(error, { stack }), sources);
    assert.deepEqual(
      frames.map(({ kind, excerpt }) => [kind === 'app', excerpt !== undefined]),
      [
        [false, false],
        [true, true],
      ],
    );
  });

  it('have no code if the caller wants none', () => {
    const sources = openSources();
    assert.equal(framesOf(throwAt(1), sources)[0]?.kind, 'app');
    const bare = flattenError(throwAt(1), { sources, redactor, excerpts: 0 });
    assert.equal(bare.errors[0]?.frames[0]?.excerpt, undefined);
  });
});
