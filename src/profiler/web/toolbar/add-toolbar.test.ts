import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { HttpRequest } from '#core/http';
import { addToolbar, beginToolbar, hasToolbar, type OutgoingPage } from './add-toolbar.js';

const request = new HttpRequest({
  method: 'GET',
  target: '/',
  rawHeaders: ['Host', 'localhost', 'Accept', 'text/html,*/*'],
  httpVersion: '1.1',
  peer: { address: '127.0.0.1', port: 50_000, encrypted: false },
});
const place = { request, token: '48b5a8', prefix: '/_profiler' };
const tag = '<script src="/_profiler/toolbar.js" data-lookback="/_profiler/48b5a8"></script>\n';

function page(body: unknown, fields: Readonly<Record<string, string>> = {}): OutgoingPage {
  const all: Readonly<Record<string, string>> = { 'content-type': 'text/html', ...fields };
  return { status: 200, body, fields: (name) => (all[name] === undefined ? [] : [all[name]]) };
}

describe('addToolbar', () => {
  it('inserts it before the end of the document, even if other text looks like an end', () => {
    for (const [before, after] of [
      ['<body>', '</body>'],
      ['<body><pre>&lt;/body></pre><script>"</body>"</script>', '</BODY >\n</html>\n'],
      ['<body>', '</body><!-- built </body> today --></html><!-- end -->'],
      ['\n<!doctype html><title>Hello</title><p>Hello\n', ''],
      ['<!DOCTYPE HTML><html lang="en"><h1>Hello</h1>', '</HTML>\n'],
    ] as const)
      assert.equal(addToolbar(page(before + after), place)?.body, before + tag + after);
  });

  it('names its own origin if a base element redirects paths elsewhere', () => {
    const tagFor = (head: string): string | undefined =>
      /<script src="([^"]*)"/.exec(
        String(addToolbar(page(`<head>${head}</head><body></body>`), place)?.body),
      )?.[1];
    for (const base of [
      '<base href="https://cdn.test/x/">',
      "<BASE target=_top href='//cdn.test'>",
      '<base href=http://cdn.test>',
    ])
      assert.equal(tagFor(base), 'http://localhost/_profiler/toolbar.js', base);
    for (const base of ['<base href="/app/">', '<base target="_blank">', '<a href="https://cdn.test">'])
      assert.equal(tagFor(base), '/_profiler/toolbar.js', base);
  });

  it('omits it from anything but a complete document', () => {
    for (const body of [
      '',
      '<p>x</p>',
      '<body>',
      '</body><p>more</p>',
      '<!doctype html></body><p>more</p>',
      'see <!doctype html>',
      `</body>${' '.repeat(5_000)}`,
      null,
      7,
    ])
      assert.equal(addToolbar(page(body), place), undefined, String(body).slice(0, 20));
    for (const [name, value] of [
      ['content-type', 'text/html; charset=utf-16'],
      ['content-type', 'application/xhtml+xml'],
      ['content-digest', 'sha-256=:x:'],
      ['content-encoding', 'gzip'],
      ['content-disposition', 'Attachment; filename=x'],
    ] as const)
      assert.equal(addToolbar(page('<body></body>', { [name]: value }), place), undefined, value);
    for (const status of [101, 204, 205, 206, 301, 303, 304])
      assert.equal(addToolbar({ ...page('<body></body>'), status }, place), undefined);
  });

  it('leaves a page that already has a toolbar, and only such a page', () => {
    const other = tag.replace('48b5a8', 'ffffff');
    assert.equal(addToolbar(page(`<body>${other}</body>`), place), undefined);
    assert.ok(hasToolbar(Buffer.from(`x${other}`)) && hasToolbar(`<script nonce="a" data-lookback="x">`));
    for (const text of [
      '',
      'data-lookback=',
      '<script src="a"></script>data-lookback="',
      `${other}${'x'.repeat(4_100)}`,
    ])
      assert.equal(hasToolbar(text), false, text.slice(0, 60));
  });

  it('returns only the script for a page in parts, if the first part begins a suitable document', () => {
    const first = page('\n<!DOCTYPE html><head>', { etag: '"1"', 'content-length': '100' });
    const begun = beginToolbar(first, place);
    assert.equal(begun?.body, tag);
    assert.deepEqual(Object.fromEntries(begun?.fields ?? []), {
      'Content-Length': String(100 + tag.length),
      ETag: 'W/"1"',
      'Cache-Control': 'private',
    });
    const refused =
      '<!doctype html><meta http-equiv="Content-Security-Policy" content="script-src \'none\'">';
    for (const body of ['<p>part</p></body>', '', null, Buffer.from('x'), refused])
      assert.equal(beginToolbar(page(body), place), undefined, String(body).slice(0, 20));
    assert.equal(beginToolbar({ ...first, status: 304 }, place), undefined);
  });

  it('obeys a policy within the page', () => {
    const head = (content: string): string =>
      `<head><meta http-equiv="Content-Security-Policy" content="${content}"></head><body></body>`;
    assert.equal(addToolbar(page(head("default-src 'none'")), place), undefined);
    assert.match(
      String(addToolbar(page(head("default-src 'self'; script-src 'nonce-YWJj'")), place)?.body),
      / nonce="YWJj"><\/script>/,
    );
  });

  it('adds only its own bytes, to text and to bytes of any charset', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.string(), (bytes, text) => {
        const end = '</body></html>';
        const body = Buffer.concat([bytes, Buffer.from(end)]);
        const made = addToolbar(page(body, { 'content-length': String(body.length) }), place);
        const expected = Buffer.concat([bytes, Buffer.from(tag + end)]);
        assert.deepEqual(Buffer.from(made?.body ?? ''), expected);
        assert.equal(made?.fields.get('Content-Length'), String(expected.length));
        assert.equal(addToolbar(page(text + end), place)?.body, text + tag + end);
      }),
    );
  });

  it('keeps pages out of shared caches', () => {
    const made = addToolbar(
      page('<body></body>', {
        etag: '"1"',
        'cache-control': 'public, s-maxage=60, max-age=5',
      }),
      place,
    );
    assert.deepEqual(
      [...(made?.fields ?? [])],
      [
        ['ETag', 'W/"1"'],
        ['Cache-Control', 'private, max-age=5'],
      ],
    );
  });
});
