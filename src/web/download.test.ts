import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { contentDisposition } from './download.js';

describe('contentDisposition', () => {
  it('says a plain name plainly, and any other in both ways', () => {
    assert.equal(contentDisposition('report.pdf'), 'attachment; filename="report.pdf"');
    assert.equal(contentDisposition('report.pdf', 'inline'), 'inline; filename="report.pdf"');
    assert.equal(contentDisposition(undefined), 'attachment');
    assert.equal(
      contentDisposition('€ "rates" (1).csv'),
      `attachment; filename="_ _rates_ (1).csv"; filename*=UTF-8''%E2%82%AC%20%22rates%22%20%281%29.csv`,
    );
    assert.equal(
      contentDisposition('100%.txt'),
      `attachment; filename="100_.txt"; filename*=UTF-8''100%25.txt`,
    );
  });

  it('takes the last name of a path, and never a hidden way out of the folder', () => {
    assert.equal(contentDisposition('/etc/passwd'), 'attachment; filename="passwd"');
    assert.equal(contentDisposition('C:\\Users\\a.txt'), 'attachment; filename="a.txt"');
    for (const name of ['', '.', '..', 'a/..', '..\\..', '\r\n'])
      assert.equal(contentDisposition(name), 'attachment; filename="download"', JSON.stringify(name));
    assert.equal(contentDisposition('invoice\u202efdp.exe'), 'attachment; filename="invoicefdp.exe"');
  });

  it('is always one well-formed header value that gives the name back', () => {
    const form =
      /^attachment; filename="[\x20\x21\x23-\x5b\x5d-\x7e]*"(?:; filename\*=UTF-8''((?:%[0-9A-F]{2}|[A-Za-z0-9!#$&+.^_`|~-])*))?$/;
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (name) => {
        const found = form.exec(contentDisposition(name));
        assert.ok(found !== null, contentDisposition(name));
        if (found[1] !== undefined) assert.ok(!/[/\\\r\n\0]/.test(decodeURIComponent(found[1])));
      }),
    );
  });
});
