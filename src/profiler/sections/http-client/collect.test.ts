import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { badgeOf, type Message, published, shown, htmlOf } from '../../../../test/profiler/shown-sections.js';
import { renderBlocksMarkdown } from '../../web/reports/render-blocks-markdown.js';
import type { ProfileRecord } from '../../model/profile-record.js';
import type { Block } from '../../view/block.js';
import { type HttpSection } from './section.js';

const textOf = (blocks: readonly Block[]): string => renderBlocksMarkdown(blocks, 2);

const site = [{ name: 'send', file: '/srv/app/src/mail.ts', line: 3, column: 5 }];

describe('outgoing requests', () => {
  const call = (fields: Readonly<Record<string, unknown>> = {}): Message => {
    const at = performance.now();
    return [
      'http:call',
      {
        method: 'POST',
        url: 'https://ada:pw@api.test/x?token=s3cr3tEE',
        status: 200,
        startedAt: at,
        sentAt: at + 1,
        answeredAt: at + 3,
        endedAt: at + 6,
        durationMs: 6,
        requestHeaders: ['Authorization', 'Bearer s3cr3tFF', 'Content-Type', 'application/json'],
        responseHeaders: [
          'X-Debug-Token',
          'abc123',
          'X-Debug-Token-Link',
          'http://other.test/_profiler/abc123',
        ],
        request: { bytes: 24, chunks: [Buffer.from('{"password":"s3cr3tGG"}')] },
        response: { bytes: 9000, chunks: [Buffer.from('the beginning')] },
        spanId: '00f067aa0ba902b7',
        callSite: site,
        ...fields,
      },
    ];
  };
  const sectionOf = ({ sections }: ProfileRecord): HttpSection => sections['http'] as HttpSection; // the type that the collector stores

  it("are kept with their phases, bodies and the other side's record, without secrets", async () => {
    const record = await published([call()]);
    const [one] = sectionOf(record).calls;
    assert.deepEqual([one?.status, one?.isOpen, one?.record, one?.error], [200, false, 'abc123', null]);
    for (const [name, ms] of [
      ['sendMs', 1],
      ['waitMs', 2],
      ['receiveMs', 3],
    ] as const)
      assert.ok(Math.abs((one?.phases[name] ?? 0) - ms) < 0.001, name);
    assert.ok(Math.abs((one?.durationMs ?? 0) - 6) < 0.001, String(one?.durationMs));
    assert.deepEqual([one?.responseBody?.text, one?.responseBody?.isCut], ['the beginning', true]);
    const html = htmlOf(shown('http', record));
    assert.match(html, /href="http:\/\/other\.test\/_profiler\/abc123"/);
    assert.doesNotMatch(JSON.stringify(record) + html, /s3cr3t|ada:pw/);
  });

  it('say if they failed or never ended', async () => {
    const record = await published([
      call({ status: 503 }),
      call({ status: 0, endedAt: undefined, answeredAt: undefined }),
      call({ status: 0, error: { message: 'connect ECONNREFUSED' } }),
      call({ status: 404 }),
    ]);
    const { totals, calls } = sectionOf(record);
    assert.deepEqual([totals.calls, totals.failed], [4, 3]);
    assert.deepEqual(
      calls.map(({ isOpen }) => isOpen),
      [false, true, false, false],
    );
    assert.deepEqual(badgeOf('http', record), [4, 'warn', '3 failed HTTP calls']);
    assert.match(textOf(shown('http', record)), /still open when the request ended[^]*ECONNREFUSED/);
    assert.equal(record.timeline.filter(({ open }) => open === true).length, 1);
  });

  it('keep no link that a browser should not follow', async () => {
    const hostile = [
      'javascript:alert(1)',
      'data:text/html,x',
      '/relative',
      'http://a b',
      'http://a"onclick="x',
    ];
    const record = await published(
      hostile.map((link) => call({ responseHeaders: ['x-debug-token-link', link] })),
    );
    assert.deepEqual(
      sectionOf(record).calls.map(({ recordLink }) => recordLink),
      hostile.map(() => null),
    );
  });

  it('beyond a hundred are counted; their bodies share one limit', async () => {
    const chunks = [Buffer.alloc(16_384, 'a')];
    const record = await published(
      Array.from({ length: 104 }, () => call({ request: { bytes: 16_384, chunks } })),
    );
    const { calls, totals } = sectionOf(record);
    assert.deepEqual([calls.length, totals.calls], [100, 104]);
    const kept = calls.reduce((sum, { requestBody }) => sum + (requestBody?.text?.length ?? 0), 0);
    assert.ok(kept >= 128_000 && kept < 128_000 + 2 * 16_384, String(kept));
    assert.match(textOf(shown('http', record)), /16\.0 KiB, not kept/);
  });
});
