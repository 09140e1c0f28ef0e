import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, after, before } from 'node:test';
import fc from 'fast-check';
import { HttpRequest } from '#core/http';
import { answerFile, contentDisposition, parseByteRange, findFileBelow } from './file-content.js';

describe('parseByteRange', () => {
  it('reads one range, with either end omitted', () => {
    const cases: [header: string | undefined, size: number, expected: unknown][] = [
      ['bytes=0-9', 100, { start: 0, end: 9 }],
      ['bytes=90-200', 100, { start: 90, end: 99 }],
      ['bytes=5-', 100, { start: 5, end: 99 }],
      ['bytes=-5', 100, { start: 95, end: 99 }],
      ['bytes=-500', 100, { start: 0, end: 99 }],
      ['BYTES=0-0', 1, { start: 0, end: 0 }],
      ['bytes=100-', 100, 'unsatisfiable'],
      ['bytes=-0', 100, 'unsatisfiable'],
      ['bytes=0-', 0, 'unsatisfiable'],
      ['bytes=-5', 0, undefined],
      ['bytes=-0', 0, 'unsatisfiable'],
      ['bytes=9-5', 100, undefined],
      ['bytes=-', 100, undefined],
      ['bytes=0-1,5-6', 100, undefined],
      ['lines=0-1', 100, undefined],
      ['bytes=a-b', 100, undefined],
      [`bytes=${'9'.repeat(400)}-`, 100, undefined],
      [undefined, 100, undefined],
    ];
    for (const [header, size, expected] of cases)
      assert.deepEqual(parseByteRange(header, size), expected, header);
  });

  it('never exceeds the content, for any header', () => {
    const number = fc.oneof(fc.nat(300).map(String), fc.constant(''), fc.string({ maxLength: 4 }));
    fc.assert(
      fc.property(number, number, fc.nat(200), (first, last, size) => {
        const range = parseByteRange(`bytes=${first}-${last}`, size);
        if (typeof range !== 'object') return;
        assert.ok(range.start >= 0 && range.start <= range.end && range.end < size);
      }),
    );
  });
});

describe('answerFile', () => {
  it('has another ETag if size or modification time differ, the latter by a microsecond', async () => {
    const peer = { address: '127.0.0.1', port: 1, encrypted: false };
    const etagOf = async (size: number, modified: number): Promise<string | undefined> => {
      const request = new HttpRequest({
        method: 'HEAD',
        target: '/',
        rawHeaders: ['Host', 'a'],
        httpVersion: '1.1',
        peer,
      });
      const file = { path: '/a.txt', inode: 1, size, modified };
      return (await answerFile(request, file, {})).headers.get('etag');
    };
    const etag = await etagOf(10, 1_700_000_000_000);
    assert.equal(await etagOf(10, 1_700_000_000_000), etag);
    assert.notEqual(await etagOf(11, 1_700_000_000_000), etag);
    assert.notEqual(await etagOf(10, 1_700_000_000_000.001), etag);
  });
});

describe('findFileBelow', () => {
  let folder = '';
  let root = '';
  before(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'lookback-files-')));
    root = join(folder, 'site');
    mkdirSync(join(root, 'sub'), { recursive: true });
    mkdirSync(join(root, '.well-known'));
    mkdirSync(join(folder, 'site-beside'));
    for (const file of [
      'a.txt',
      'sub/b.txt',
      '.env',
      '.well-known/x',
      '../secret.txt',
      '../site-beside/c.txt',
    ])
      writeFileSync(join(root, file), file);
    symlinkSync(join(root, 'a.txt'), join(root, 'inside.txt'));
    symlinkSync(join(folder, 'secret.txt'), join(root, 'outside.txt'));
    symlinkSync(join(folder, 'site-beside'), join(root, 'beside'));
    symlinkSync(join(root, 'loop'), join(root, 'loop'));
  });
  after(() => rmSync(folder, { recursive: true }));

  it('finds files, and reports folders as such', async () => {
    const found = await findFileBelow(root, '/a.txt');
    assert.ok(typeof found === 'object');
    assert.deepEqual([found.path, found.size], [join(root, 'a.txt'), 5]);
    assert.ok(typeof (await findFileBelow(root, '/sub/b.txt')) === 'object');
    assert.ok(typeof (await findFileBelow(root, '/.well-known/x')) === 'object');
    assert.equal(await findFileBelow(root, '/sub'), 'folder');
    assert.equal(await findFileBelow(root, '/sub/'), 'folder');
    const linked = await findFileBelow(root, '/inside.txt');
    assert.ok(typeof linked === 'object');
    assert.equal(linked.path, join(root, 'a.txt'));
  });

  it('finds no hidden files and no files outside the folder, however they are spelled', async () => {
    for (const path of [
      '/.env',
      '/../secret.txt',
      '/sub/../../secret.txt',
      '/./a.txt',
      '/outside.txt',
      '/beside/c.txt',
      '/loop',
      '/sub\\b.txt',
      '/..\\secret.txt',
      '//a.txt',
      '/sub//b.txt',
      '/a.txt\0',
      '/a.txt::$DATA',
      '/C:/a.txt',
      '/a.txt/b',
      `/${'x'.repeat(5000)}`,
      '/nothing',
    ])
      assert.equal(await findFileBelow(root, path), undefined, JSON.stringify(path));
  });

  it('never leaves the folder, for any names', async () => {
    const name = fc.constantFrom(
      '..',
      '.',
      '',
      'sub',
      'a.txt',
      'secret.txt',
      'beside',
      'c.txt',
      '.env',
      'outside.txt',
    );
    await fc.assert(
      fc.asyncProperty(fc.array(name, { maxLength: 6 }), async (names) => {
        const found = await findFileBelow(root, `/${names.join('/')}`);
        if (typeof found === 'object') assert.ok(found.path.startsWith(`${root}/`), names.join('/'));
      }),
    );
  });
});

describe('contentDisposition', () => {
  it('renders a plain name plainly, and any other in both forms', () => {
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

  it("takes a path's last segment, and no hidden path separators", () => {
    assert.equal(contentDisposition('/etc/passwd'), 'attachment; filename="passwd"');
    assert.equal(contentDisposition('C:\\Users\\a.txt'), 'attachment; filename="a.txt"');
    for (const name of ['', '.', '..', 'a/..', '..\\..', '\r\n'])
      assert.equal(contentDisposition(name), 'attachment; filename="download"', JSON.stringify(name));
    assert.equal(contentDisposition('invoice\u202efdp.exe'), 'attachment; filename="invoicefdp.exe"');
  });

  it('is always one well-formed header value that preserves the name', () => {
    const text = (unit: 'binary' | 'grapheme'): fc.Arbitrary<string> => fc.string({ unit, maxLength: 300 });
    const form =
      /^attachment; filename="([\x20\x21\x23-\x5b\x5d-\x7e]*)"(?:; filename\*=UTF-8''((?:%[0-9A-F]{2}|[A-Za-z0-9!#$&+.^_`|~-])*))?$/;
    fc.assert(
      fc.property(fc.oneof(text('binary'), text('grapheme')), (name) => {
        const found = form.exec(contentDisposition(name));
        assert.ok(found !== null, contentDisposition(name));
        const [, plain = '', extended] = found;
        const kept = extended === undefined ? plain : decodeURIComponent(extended);
        assert.ok(!/[/\\\r\n\0]/.test(kept));
        if (/^[^/\\\p{C}\p{Zl}\p{Zp}]{3,}$/u.test(name) && name.length <= 200) assert.equal(kept, name);
      }),
    );
  });
});
