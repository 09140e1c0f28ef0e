import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JSX } from 'preact';
import { HttpRequest, HttpResponse } from '#core/http';
import { bodyOf } from '../../../../test/profiler/open-page.js';
import { pageRequest } from '../../../../test/profiler/page-outline.js';
import { ProfilerLinks } from '../site/links.js';
import { isInPane, renderShell, type ShellOptions, showFramed } from './shell.js';

describe('a page in the side pane', () => {
  const isShownInPane = async (headers: Readonly<Record<string, string>>): Promise<boolean> => {
    const request = new HttpRequest({
      method: 'GET',
      target: '/_profiler/',
      rawHeaders: ['Host', 'a.test', ...Object.entries(headers).flat()],
      httpVersion: '1.1',
      peer: { address: '127.0.0.1', port: 1, encrypted: false },
    });
    let isPane = false;
    const show = async (): Promise<HttpResponse> => {
      isPane = isInPane();
      return new HttpResponse('');
    };
    await showFramed(request, show, () => Promise.reject(new Error('no store')));
    return isPane;
  };

  it('is one framed by a page on the same origin, according to the browser', async () => {
    const [dest, site] = ['sec-fetch-dest', 'sec-fetch-site'];
    assert.equal(await isShownInPane({ [dest]: 'iframe', [site]: 'same-origin' }), true);
    assert.equal(await isShownInPane({ [dest]: 'iframe', [site]: 'cross-site' }), false);
    assert.equal(await isShownInPane({ [dest]: 'document', [site]: 'same-origin' }), false);
    assert.equal(await isShownInPane({}), false);
    assert.equal(isInPane(), false);
  });
});

describe("a page's frame", () => {
  const links = new ProfilerLinks('/_profiler');
  const inPane = ['Sec-Fetch-Dest', 'iframe', 'Sec-Fetch-Site', 'same-origin'];
  const pageOf = async (
    options: Partial<ShellOptions> = {},
    {
      headers = [],
      errors = 0,
      content = <p>content</p>,
    }: { headers?: readonly string[]; errors?: number; content?: JSX.Element } = {},
  ): Promise<{ readonly html: string; header(name: string): string; readonly status: number }> => {
    const show = async (): Promise<HttpResponse> => renderShell(content, { title: 'T', links, ...options });
    const response = await showFramed(pageRequest('/', { headers }), show, async () => errors);
    return {
      html: bodyOf(response),
      header: (name) => response.headers.get(name) ?? '',
      status: response.status,
    };
  };

  it('has a bar with the current entry marked, and the error count', async () => {
    const marked = async (current?: ShellOptions['current']): Promise<readonly string[]> => {
      const { html } = await pageOf(current === undefined ? {} : { current });
      return [...html.matchAll(/aria-current="page"[^>]*>(\w+)/g)].map(([, words = '']) => words);
    };
    assert.deepEqual(
      [await marked(), await marked('list'), await marked('routes'), await marked('errors')],
      [[], ['Requests'], ['Routes'], ['Errors']],
    );
    assert.match((await pageOf({}, { errors: 3 })).html, /Errors<span class="count opt"> 3<\/span>/);
    assert.match((await pageOf()).html, />Errors<\/a>/);
  });

  it('has links that skip to the content, and to the requests if there are some', async () => {
    assert.match((await pageOf()).html, /<body><a class="skip-link" href="#content">/);
    assert.doesNotMatch((await pageOf({ hasRows: false })).html, /href="#rows"/);
    assert.match((await pageOf({ hasRows: true })).html, /<a class="skip-link" href="#rows">/);
  });

  it('has a search field with its text and suggestions', async () => {
    assert.doesNotMatch((await pageOf()).html, /datalist|list="query-parts"/);
    const { html } = await pageOf({ search: { text: 'a"b', suggestions: ['status:200'] } });
    assert.match(html, /value="a&quot;b"[^]*?list="query-parts"/);
    assert.match(html, /<datalist id="query-parts"><option value="status:200"/);
  });

  it('has no bar in the pane, which only the same origin may frame', async () => {
    const { html, header } = await pageOf({}, { headers: inPane, errors: 3 });
    assert.doesNotMatch(html, /bar-top"/);
    assert.match(html, /<body class="is-pane">/);
    assert.deepEqual(
      [header('x-frame-options'), /frame-ancestors 'self'/.test(header('content-security-policy'))],
      ['SAMEORIGIN', true],
    );
    const whole = await pageOf();
    assert.match(whole.html, /<header class="bar-top">/);
    assert.doesNotMatch(whole.html, /<body class/);
    assert.deepEqual(
      [
        whole.header('x-frame-options'),
        /frame-ancestors 'none'/.test(whole.header('content-security-policy')),
      ],
      ['DENY', true],
    );
    assert.equal(whole.header('referrer-policy'), 'same-origin');
  });

  it('allows frames only for its own documents and the pane, and loads a script only if needed', async () => {
    const framesOf = async (content: JSX.Element): Promise<boolean> =>
      /frame-src 'self'/.test((await pageOf({}, { content })).header('content-security-policy'));
    assert.deepEqual(
      [
        await framesOf(<p />),
        await framesOf(<iframe src="/x" />),
        await framesOf(<table class="requests" />),
      ],
      [false, true, true],
    );
    const scriptsOf = async (content: JSX.Element): Promise<number> =>
      (await pageOf({}, { content })).html.split('<script>').length;
    const plainPage = await scriptsOf(<p />);
    assert.equal(await scriptsOf(<table class="requests" />), plainPage + 1);
    assert.equal(await scriptsOf(<span data-live="x" />), plainPage + 1);
  });

  it('has a status, and an icon in the colour of a record with problems', async () => {
    assert.deepEqual([(await pageOf()).status, (await pageOf({ status: 404 })).status], [200, 404]);
    const isColoured = async (tone: ShellOptions['tone'] & string): Promise<boolean> =>
      /rel="icon" href="[^"]*(?:d29922|e5484d)/.test((await pageOf({ tone })).html);
    assert.deepEqual(
      [await isColoured('ok'), await isColoured('warn'), await isColoured('error')],
      [false, true, true],
    );
    assert.match((await pageOf({ title: 'a\u0007b' })).html, /<title>a⟨U\+0007⟩b · lookback<\/title>/);
  });
});
