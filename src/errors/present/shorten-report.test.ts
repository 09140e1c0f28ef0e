import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createSourceLoader } from '../source/create-source-loader.js';
import { flattenError } from '../thrown/flatten-error.js';
import { renderErrorPage } from '../page/error-page.js';
import { renderErrorMarkdown } from './render-report.js';
import { countExcerpts, shortenReport } from './shorten-report.js';

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

describe('a report shortened for reading', () => {
  it('lists calls that an error shares with the one before once, and names each other call', () => {
    const { errors } = shortenReport(report);
    assert.equal(errors.length, 25);
    for (const [at, error] of errors.entries()) {
      const whole = report.errors[at];
      assert.equal(error.frames.length + (error.shared?.calls ?? 0), whole?.frames.length, error.label);
      assert.equal(error.shared?.label, at === 0 ? undefined : String(at));
      assert.ok(error.frames.length > 0, 'where it was thrown always stands');
    }
  });

  it('shows the code of errors that come from one place at the first of them and at the outer one', () => {
    let cause: unknown;
    for (let at = 0; at < 10; at++) cause = new Error(`cause ${at}`, { cause });
    const looped = flattenError(cause, { sources: createSourceLoader(), libraryFolders: [] });
    assert.equal(countExcerpts(looped) >= 10, true);
    const { errors } = shortenReport(looped);
    const withCode = errors.filter(({ frames }) => frames.some(({ excerpt }) => excerpt !== undefined));
    assert.deepEqual(
      withCode.map(({ label }) => label),
      ['1', '10'],
    );
  });

  it('errors that share nothing keep all their calls', () => {
    const other = new Error('elsewhere');
    other.stack =
      'Error: elsewhere\n    at first (/a.js:1:1)\n    at second (/a.js:2:1)\n    at third (/a.js:3:1)';
    const pair = flattenError(new Error('outer', { cause: other }), { libraryFolders: [] });
    assert.ok(shortenReport(pair).errors.every(({ shared }) => shared === undefined));
  });

  it('a page of 25 causes has an index of them and fits 60 kB; its Markdown is short too', () => {
    const page = withoutAssets(renderErrorPage(report));
    assert.ok(page.length <= 60_000, `${page.length} of HTML`);
    const [index = ''] = /<ol class="chain">[^]*?<\/ol>/.exec(page) ?? [];
    assert.equal(index.match(/<li>/g)?.length, 25);
    assert.match(page, /<a href="#error-24">… \d+ calls as in error 24<\/a>/);
    assert.ok(renderErrorMarkdown(report).length < 10_000);
  });

  it('code that is left out is mentioned', () => {
    const left = countExcerpts(report) - countExcerpts(shortenReport(report));
    assert.ok(left > 0);
    assert.ok(renderErrorPage(report).includes(`The code of ${left} more calls is in the JSON form`));
  });
});

describe('error page of the framework’s own errors', () => {
  const missing = flattenError(new Error('No route'), { libraryFolders: [process.cwd()] });
  it('begins with the routes that came near; of the others, it has only the number', () => {
    const near = [{ name: 'close', path: '/close', reason: 'no number' }];
    const page = renderErrorPage(missing, { routing: { near, tried: 39 } });
    assert.ok(page.indexOf('id="routing"') < page.indexOf('id="errors"'));
    assert.match(page, /\/close<\/td>.*no number<\/td>.*Of 39 routes/);
    assert.match(renderErrorPage(missing, { routing: { tried: 39 } }), /The path matches none of 39 routes/);
  });

  it('has no code of the framework, and its calls as lines of text', () => {
    const page = withoutAssets(renderErrorPage(missing));
    assert.deepEqual(
      missing.errors[0]?.frames.filter(({ excerpt }) => excerpt !== undefined),
      [],
    );
    assert.match(page, /calls in lookback/);
    assert.match(page, /<pre class="run-calls">1\. /);
  });

  it('no call of the framework stands open, and the controller’s code is shown instead', () => {
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
    assert.doesNotMatch(page.slice(page.indexOf('id="errors"')), /<details open/);
    assert.doesNotMatch(renderErrorPage(report, { controller }), /id="controller"/, 'its own stack says it');
    const gathering = {
      ...missing,
      errors: missing.errors.map((error) => ({ ...error, children: [report] })),
    };
    assert.doesNotMatch(
      renderErrorPage(gathering, { controller }),
      /id="controller"/,
      'a gathered stack does',
    );
  });
});
