import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { ProfileRecord } from '#profiler';
import { bodyOf, createOpenPage } from './open-page.js';
import { createSampleReader } from './sample-reader.js';
import { sampleRecords } from './sample-records.js';

const hostilePayloads = [
  '"><xss-node onerror=alert(1)>',
  "'><xss-node>",
  '<xss-node src=x>',
  '</style><xss-node>',
  '</script><xss-node>',
  '</title><xss-node>',
  '--><xss-node>',
  '</textarea></svg></pre><xss-node>',
  'javascript:alert(1)//<xss-node>',
  'data:text/html,<xss-node>',
  '<\u0000xss-node>',
  '&lt;xss-node&gt;<xss-node ',
  '`<xss-node>`',
  '\ud800<xss-node>',
  '](javascript:alert(1))<xss-node>',
];
// Fields with fixed values of our own.
const closedFields = new Set([
  'schema',
  'origin',
  'state',
  'token',
  'encoding',
  'type',
  'kind',
  'level',
  'outcome',
  'cut',
]);

/** Replaces every text in a record that others can influence. */
function poison(value: unknown, payload: string, name = ''): unknown {
  if (typeof value === 'string') return closedFields.has(name) ? value : payload;
  if (Array.isArray(value)) return value.map((item) => poison(item, payload, name));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      name === 'config' || name === 'sections' ? payload : key,
      poison(inner, payload, key),
    ]),
  );
}

const records = await sampleRecords(Date.UTC(2026, 10, 21));
const panelIds = [
  'request',
  'exception',
  'logs',
  'routing',
  'events',
  'time',
  'db',
  'security',
  'translation',
  'more',
  'config',
  'self',
];

function assertClean(html: string, where: string): void {
  // The icon is our own data URL; all other URLs are checked.
  const markup = html.replace(
    /<(style|script)>[^]*?<\/\1>|<link rel="icon" href="data:image\/svg\+xml,[^"]*">/g,
    '',
  );
  assert.doesNotMatch(markup, /failed on this record/, where);
  assert.ok(!/<\s*\/?\s*xss-node/i.test(markup), `${where}: a node was injected`);
  assert.ok(
    !/<[^>]*\son\w+=/i.test(markup.replace(/"[^"]*"/g, '""')),
    `${where}: an event handler was injected`,
  );
  assert.ok(
    !/(?:href|src|action)="\s*(?:javascript|data|vbscript):/i.test(markup),
    `${where}: a running URL`,
  );
}

describe('E3: hostile text in every field of a record', () => {
  for (const payload of hostilePayloads)
    it(`stays text: ${JSON.stringify(payload)}`, async () => {
      const hostile = records.slice(0, 5).map((record) => poison(record, payload) as ProfileRecord); // the shape is unchanged
      const open = createOpenPage({ reader: createSampleReader(hostile), editor: 'vscode' });
      const list = bodyOf(await open('/_profiler/'));
      assertClean(list, 'list');
      assert.match(list, /xss-node/, 'the list shows the text');
      assert.match(bodyOf(await open(`/_profiler/${hostile[0]?.token}?panel=request`)), /xss-node/);
      for (const { token } of hostile)
        for (const panel of panelIds)
          assertClean(bodyOf(await open(`/_profiler/${token}?panel=${panel}`)), `${token} ${panel}`);
    });

  it('direction marks and invisible characters are made visible on every page, and in Markdown', async () => {
    const hostile = records
      .slice(0, 5)
      .map((record) => poison(record, 'a\u202e\u2066b\u200f\u0085c\u2028') as ProfileRecord); // the shape is unchanged
    const open = createOpenPage({ reader: createSampleReader(hostile), editor: 'vscode' });
    const assertReadable = (text: string, where: string): void => {
      const shown = text.replaceAll(/<(style|script)>[^]*?<\/\1>|<[^<>"]*(?:"[^"]*"[^<>"]*)*>/g, '');
      assert.doesNotMatch(shown, /[\u061c\u200b-\u200f\u2028-\u202e\u2066-\u2069\u0085]/, where);
      assert.match(shown, /⟨U\+202E⟩/, where);
    };
    assertReadable(bodyOf(await open('/_profiler/')), 'list');
    for (const { token } of hostile)
      for (const panel of panelIds)
        assertReadable(bodyOf(await open(`/_profiler/${token}?panel=${panel}`)), `${token} ${panel}`);
    assertReadable(bodyOf(await open('/_profiler/latest.md')), 'Markdown');
    assertReadable(bodyOf(await open(`/_profiler/${hostile[0]?.token}/toolbar`)), 'toolbar');
    assertReadable(bodyOf(await open(`/_profiler/?q=nothing&foo%E2%80%AE=1`)), 'a refused filter');
  });

  it('JSON and Markdown are never rendered as pages: their type is exact and must not be sniffed', async () => {
    const hostile = records
      .slice(0, 2)
      .map((record) => poison(record, hostilePayloads[0] ?? '') as ProfileRecord);
    const open = createOpenPage({ reader: createSampleReader(hostile) });
    for (const [format, type] of [
      ['json', 'application/json'],
      ['md', 'text/markdown; charset=utf-8'],
    ] as const) {
      const response = await open(`/_profiler/latest.${format}`);
      assert.equal(response?.status, 200);
      assert.equal(response.headers.get('x-content-type-options'), 'nosniff');
      assert.equal(response.headers.get('content-type'), type);
    }
  });

  it('any text in the query of a page stays text', async () => {
    const open = createOpenPage({ reader: createSampleReader(records) });
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('url', 'q', 'route', 'ip', 'status', 'before', 'panel', 'level'),
        fc.constantFrom(...hostilePayloads),
        fc.string(),
        async (name, payload, rest) => {
          const query = new URLSearchParams({ [name]: payload + rest }).toString();
          for (const target of [`/_profiler/?${query}`, `/_profiler/latest?${query}`]) {
            const response = await open(target);
            if (response?.body !== null) assertClean(bodyOf(response), target);
          }
        },
      ),
      { numRuns: 60 },
    );
  });
});
