import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'node:test';
import type { ErrorReport } from '../report/error-report.js';
import { createSourceLoader } from '../source/create-source-loader.js';
import { type ClientProblem, plainProblem, MethodNotAllowedError } from '../status/http-errors.js';
import { flattenError } from '../thrown/flatten-error.js';
import {
  renderErrorAnswer,
  chooseErrorFormat,
  type ErrorFormat,
  renderPlainError,
  renderPlainText,
} from './render-error-answer.js';

const sources = createSourceLoader();

const report = (thrown: unknown): ErrorReport => flattenError(thrown, { sources, libraryFolders: [] });

describe('E2: the format that the client accepts', () => {
  const outer = report(
    new MethodNotAllowedError(['GET', 'POST'], 'outer\u{1F600} message', { cause: new Error('inner') }),
  );
  const answer = (accept: string | undefined, debug = true) => renderErrorAnswer(outer, { accept, debug });
  const header = (given: ReturnType<typeof answer>, name: string) =>
    given.headers.find(([key]) => key === name)?.[1];

  it('is a problem document, text, Markdown or the page', () => {
    assert.match(header(answer('text/html'), 'Content-Type') ?? '', /^text\/html/);
    const problem = answer('application/json');
    assert.equal(header(problem, 'Content-Type'), 'application/problem+json');
    const document = JSON.parse(problem.body) as {
      status: number;
      title: string;
      detail: string;
      debug: { exception: { message: string }[] };
    };
    assert.deepEqual(
      [document.status, document.title, document.detail],
      [405, 'Method Not Allowed', 'outer\u{1F600} message'],
    );
    assert.deepEqual(
      document.debug.exception.map((error) => error.message),
      ['inner', 'outer\u{1F600} message'],
    );
    assert.match(answer('text/plain').body, /^405 Method Not Allowed\nMethodNotAllowedError: outer/);
    assert.match(answer('text/markdown').body, /^# 405 Method Not Allowed\n/);
    for (const accept of ['text/html', 'application/json'])
      assert.equal(header(answer(accept), 'Vary'), 'Accept');
  });

  it('tells all clients what is wrong with a request: each violation with its path, or the detail', () => {
    const said = (problem: ClientProblem): string[] => {
      const main = /<main>([^]*)<\/main>/.exec(renderPlainError(problem))?.[1] ?? '';
      return [main.replaceAll(/<\/?[^>]+>/g, '|').replaceAll(/\|+/g, '|'), renderPlainText(problem)];
    };
    const problem = { ...plainProblem(422), detail: 'all of it' };
    const violations = [
      { in: 'query', path: 'page', message: 'no number', code: 'a' },
      { path: 'name', message: 'too <b>', code: 'b' },
      { in: 'body', path: '', message: 'is empty', code: 'c' },
      { path: '', message: 'is odd', code: 'd' },
    ] as const;
    assert.deepEqual(said(plainProblem(422)), ['|422|Unprocessable Content|', '422 Unprocessable Content\n']);
    assert.deepEqual(said(problem), [
      '|422|Unprocessable Content|all of it|',
      '422 Unprocessable Content\n\nall of it\n',
    ]);
    assert.deepEqual(said({ ...problem, violations }), [
      '|422|Unprocessable Content|query page|: no number|name|: too &lt;b>|body|: is empty|(all)|: is odd|',
      '422 Unprocessable Content\n\nall of it\n- query page: no number (a)\n- name: too <b> (b)\n- body: is empty (c)\n- (all): is odd (d)\n',
    ]);
  });

  it('names the error in headers, in debug only', () => {
    assert.equal(header(answer('*/*'), 'X-Debug-Exception'), encodeURIComponent('outer\u{1F600} message'));
    assert.match(header(answer('*/*'), 'X-Debug-Exception-File') ?? '', /render-error-answer\.test\.ts:\d+$/);
    for (const [name, value] of renderErrorAnswer(report(new Error('\ud800\u4e16'.repeat(5000))), {
      debug: true,
    }).headers) {
      assert.match(value, /^[\x20-\x7e]*$/, name);
      assert.ok(value.length < 8100);
    }
  });

  it('contains only status and title outside debug', () => {
    for (const accept of ['text/html', 'application/json', 'text/plain', 'text/markdown']) {
      const given = answer(accept, false);
      assert.doesNotMatch(
        given.body + JSON.stringify(given.headers),
        /outer|inner|render-error|MethodNotAllowedError/,
      );
      assert.match(given.body, /405/);
      assert.equal(header(given, 'X-Debug-Exception'), undefined);
    }
    assert.deepEqual(JSON.parse(answer('application/json', false).body), {
      type: 'about:blank',
      title: 'Method Not Allowed',
      status: 405,
    });
    const problem = plainProblem(404);
    assert.equal(renderPlainError(problem), renderPlainError(problem));
  });

  it('is plain text made without a template if the renderer fails', () => {
    const broken = {
      ...outer,
      get origin(): never {
        throw new Error('template broke');
      },
    };
    const given = renderErrorAnswer(broken, { accept: 'text/html', debug: true });
    assert.equal(header(given, 'Content-Type'), 'text/plain; charset=utf-8');
    assert.equal(given.body, '405 Method Not Allowed\n');
    assert.ok(given.failure instanceof Error);
  });
});

describe('E2: chooseErrorFormat', () => {
  const rows: [accept: string | undefined, debug: ErrorFormat, production: ErrorFormat][] = [
    [undefined, 'html', 'json'],
    ['', 'html', 'json'],
    ['*/*', 'html', 'json'],
    ['image/png', 'html', 'json'],
    ['image/avif,image/webp,*/*;q=0.8', 'html', 'json'],
    ['text/html;q=0, */*', 'json', 'json'],
    ['*/*;q=0', 'html', 'json'],
    [';;;,,,', 'html', 'json'],
    ['text/html', 'html', 'html'],
    ['text/*', 'html', 'html'],
    ['application/xhtml+xml', 'html', 'html'],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8', 'html', 'html'],
    ['text/html, */*', 'html', 'html'],
    ['text/html;level=1, text/plain;q=0.3', 'html', 'html'],
    ['application/json', 'json', 'json'],
    ['application/json; charset=utf-8', 'json', 'json'],
    ['application/problem+json', 'json', 'json'],
    ['application/vnd.api+json', 'json', 'json'],
    ['application/vnd.api+json; version="1,2", */*;q=0.1', 'json', 'json'],
    ['application/*', 'json', 'json'],
    ['application/json, text/plain, */*', 'json', 'json'],
    ['application/json, text/plain', 'json', 'json'],
    ['text/html;q=0.5, application/json', 'json', 'json'],
    ['application/json;q=0.5, text/html;q=0.9', 'html', 'html'],
    ['text/html;q=2, application/json;q=0.1', 'json', 'json'],
    ['text/plain', 'text', 'text'],
    ['text/plain, */*', 'text', 'text'],
    ['TEXT/PLAIN ; Q=1', 'text', 'text'],
    ['text/plain;q=0.9, text/markdown;q=0.8, */*;q=0.1', 'text', 'text'],
    ['text/plain, application/json', 'text', 'text'],
    ['text/markdown, text/plain;q=0.5', 'markdown', 'markdown'],
  ];
  for (const [accept, ...expected] of rows)
    it(`${accept ?? 'no header'} → ${expected[0]} in debug, ${expected[1]} in production`, () =>
      assert.deepEqual(
        [true, false].map((debug) => chooseErrorFormat(accept, { debug })),
        expected,
      ));

  it('is JSON for clients that send JSON and accept anything, in debug too', () => {
    for (const contentType of ['application/json', 'application/vnd.api+json; charset=utf-8'])
      for (const accept of [undefined, '*/*'])
        assert.equal(chooseErrorFormat(accept, { debug: true, contentType }), 'json');
    assert.equal(chooseErrorFormat('text/html', { debug: true, contentType: 'application/json' }), 'html');
    assert.equal(chooseErrorFormat('*/*', { debug: true, contentType: 'text/plain' }), 'html');
  });

  it('handles any header without throwing', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[a-z*/;,=q.0-9 ]{0,100}$/)), (accept) => {
        assert.ok(['html', 'json', 'markdown', 'text'].includes(chooseErrorFormat(accept, { debug: true })));
      }),
    );
    assert.equal(chooseErrorFormat('a/b,'.repeat(1_000_000), { debug: false }), 'json');
  });
});
