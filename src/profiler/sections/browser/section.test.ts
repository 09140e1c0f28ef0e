import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createRedactor } from '#core/dump';
import { plain } from '../../../../test/profiler/plain-record.js';
import { findInBrowser, pageTime } from './findings.js';
import { type BrowserSection, parseBrowserReport } from './section.js';

const redactor = createRedactor();
const parse = (report: unknown): BrowserSection | undefined =>
  parseBrowserReport(JSON.stringify(report), redactor);
const nothing = { timing: {}, errors: [], moreErrors: 0, failed: [], moreFailed: 0 };

describe('a browser report', () => {
  it('keeps known fields, and omits others', () => {
    const report = {
      timing: { firstByteMs: 62.14, loadMs: 770, largestPaintMs: 196, largestPaint: 'h1', other: 1 },
      errors: [{ message: 'TypeError: x', location: '/app.js:1:2', count: 3, stack: 'no' }],
      moreErrors: 2,
      failed: [{ url: '/gone.js', kind: 'script', status: 404 }],
    };
    assert.deepEqual(parse(report), {
      timing: { firstByteMs: 62.1, loadMs: 770, largestPaintMs: 196, largestPaint: 'h1' },
      errors: [{ message: 'TypeError: x', location: '/app.js:1:2', count: 3 }],
      moreErrors: 2,
      failed: [{ url: '/gone.js', kind: 'script', status: 404 }],
      moreFailed: 0,
    });
    assert.deepEqual(parse({}), nothing);
    for (const none of ['', '{', '[]', 'null', '7'])
      assert.equal(parseBrowserReport(none, redactor), undefined);
  });

  it('has no secrets, even if a text is truncated', () => {
    const secret = 'hunter2hunter2';
    for (let length = 470; length < 500; length += 3) {
      const made = parse({
        timing: { largestPaint: `img /a.png?password=${secret}` },
        errors: [{ message: `${'x'.repeat(length)} password=${secret}`, location: `/a?token=${secret}:1:1` }],
        failed: [{ url: `/${'y'.repeat(length)}?password=${secret}`, kind: 'img', status: 404 }],
      });
      assert.doesNotMatch(JSON.stringify(made), /hun/);
    }
  });

  it('is bounded for any input, and says how much was omitted', () => {
    const many = Array.from({ length: 500 }, (_, at) => ({
      message: 'm'.repeat(9000),
      url: `/${at}`,
      count: -1,
    }));
    const made = parse({
      errors: many,
      failed: many,
      moreErrors: 5,
      timing: { loadMs: 1e12, firstByteMs: -1 },
    });
    assert.deepEqual(
      [made?.errors.length, made?.moreErrors, made?.failed.length, made?.moreFailed, made?.timing],
      [20, 485, 20, 480, {}],
    );
    assert.ok(JSON.stringify(made).length < 25_000);
    fc.assert(
      fc.property(fc.json(), (text) => {
        assert.ok(JSON.stringify(parseBrowserReport(text, redactor) ?? '').length < 45_000);
      }),
    );
  });
});

describe('findings in a browser', () => {
  const found = (seen: Partial<BrowserSection>): readonly string[] =>
    findInBrowser({ ...plain, durationMs: 40, sections: { browser: { ...nothing, ...seen } } }).map(
      ({ level, text }) => `${level}: ${text}`,
    );

  it("are script errors, files that failed to load, and the page's time compared with the server's", () => {
    assert.deepEqual(found({}), []);
    assert.deepEqual(
      found({
        timing: { largestPaintMs: 2300, loadMs: 3000 },
        errors: [
          { message: 'TypeError: x is undefined', location: '', count: 2 },
          { message: 'y', location: '', count: 1 },
        ],
        moreErrors: 1,
        failed: [{ url: '/gone.js', kind: 'script', status: 404 }],
      }),
      [
        'warn: 4 errors in the browser: TypeError: x is undefined',
        'warn: 1 file of the page was not loaded: /gone.js (404)',
        'info: The server took 40.0 ms, the page 2.30 s until its largest paint',
      ],
    );
    assert.equal(
      pageTime({ durationMs: 40 }, { loadMs: 3000 }),
      'The server took 40.0 ms, the page 3.00 s until it was loaded',
    );
    assert.deepEqual(findInBrowser(plain), []);
  });
});
