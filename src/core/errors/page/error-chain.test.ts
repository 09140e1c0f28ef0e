import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createSourceLoader } from '../source/create-source-loader.js';
import { flattenError } from '../thrown/flatten-error.js';
import { renderErrorMarkdown } from '../present/render-report.js';
import { renderErrorPage } from './error-page.js';

function level(depth: number): unknown {
  if (depth === 0) throw new Error('the innermost failed');
  try {
    return step(depth);
  } catch (error) {
    throw new Error(`level ${depth} failed`, { cause: error });
  }
}
function step(depth: number): unknown {
  return part(depth);
}
function part(depth: number): unknown {
  return level(depth - 1);
}

function thrownBy(work: () => unknown): unknown {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 50;
  try {
    return work();
  } catch (error) {
    return error;
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

const report = flattenError(
  thrownBy(() => level(24)),
  { sources: createSourceLoader(), libraryFolders: [] },
);
const withoutAssets = (page: string): string => page.replace(/<(style|script)>[^]*?<\/\1>/g, '');

describe('error page for a chain with 25 causes', () => {
  it("lists calls that an error shares with its cause once, and each throw's location", () => {
    assert.equal(report.errors.length, 25);
    for (const [at, { frames, moreFrames = 0 }] of report.errors.entries()) {
      const known = new Set(report.errors[at - 1]?.frames.map(({ line, column }) => `${line}:${column}`));
      assert.ok(frames.length > 0 && (at === 0 || moreFrames > 0));
      assert.ok(frames.slice(1).every(({ line, column }) => !known.has(`${line}:${column}`)));
    }
  });

  it("shows each location's code once, at the first error from there", () => {
    let cause: unknown;
    for (let at = 0; at < 10; at++) cause = new Error(`cause ${at}`, { cause });
    const { errors } = flattenError(cause, { sources: createSourceLoader(), libraryFolders: [] });
    const withCode = errors.filter(({ frames }) => frames.some(({ excerpt }) => excerpt !== undefined));
    assert.deepEqual(
      withCode.map(({ label }) => label),
      ['1'],
    );
    assert.ok(errors.every(({ frames }) => frames.length > 0));
  });

  it('has an index and stays below 60 kB; its Markdown is short too', () => {
    const page = withoutAssets(renderErrorPage(report));
    const [index = ''] = /<ol class="chain">[^]*?<\/ol>/.exec(page) ?? [];
    assert.equal(index.match(/<li>/g)?.length, 25);
    assert.ok(page.length <= 60_000, `${page.length} of HTML`);
    assert.match(page, /… \d+ more calls/);
    assert.ok(renderErrorMarkdown(report).length < 20_000, `${renderErrorMarkdown(report).length}`);
  });
});

describe('error page of the framework’s own errors', () => {
  const missing = flattenError(new Error('No route'), { libraryFolders: [process.cwd()] });
  it('begins with the nearly matching routes, and only counts the others', () => {
    const near = [{ name: 'close', path: '/close', reason: 'no number' }];
    const page = renderErrorPage(missing, { routing: { near, tried: 39 } });
    assert.ok(page.indexOf('id="routing"') < page.indexOf('id="errors"'));
    assert.match(page, /\/close<\/td>.*no number<\/td>.*The other 38 routes have different paths/);
    assert.match(renderErrorPage(missing, { routing: { tried: 39 } }), /The path matches none of 39 routes/);
  });

  it('expands the code for the call that threw, and shows the calls below it as text lines', () => {
    const page = withoutAssets(renderErrorPage(missing));
    const withCode = missing.errors[0]?.frames.filter(({ excerpt }) => excerpt !== undefined) ?? [];
    assert.equal(withCode[0]?.index, 1);
    assert.match(page, /<details open><summary class="frame-head">(?:(?!<\/details>).)*<pre class="code"/s);
    assert.match(page, /calls in Node\.js/);
    assert.match(page, /<pre class="run-calls">2\. /);
  });

  it('the controller’s code is shown first if no stack contains it', () => {
    const controller = {
      index: 1,
      function: 'get_undef',
      file: 'app.ts',
      line: 7,
      column: 1,
      kind: 'app',
      async: false,
      excerpt: { startLine: 7, lines: ['app.get("/undef", () => {});'], line: 7, column: 1 },
    } as const;
    const page = renderErrorPage(missing, { controller });
    assert.match(page, /id="controller"/);
    assert.match(page, /<details open>[^]*\/undef/);
    assert.ok(page.indexOf('id="controller"') < page.indexOf('id="errors"'));
    assert.doesNotMatch(
      renderErrorPage(report, { controller }),
      /id="controller"/,
      'the stack already names the controller',
    );
    const gathering = {
      ...missing,
      errors: missing.errors.map((error) => ({ ...error, children: [report] })),
    };
    assert.doesNotMatch(
      renderErrorPage(gathering, { controller }),
      /id="controller"/,
      'the collected stack already names the controller',
    );
  });
});
