import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createApp } from 'lookback';
import { currentRecording, type Panel } from 'lookback/profiler';
import { local } from '../local-peer.js';

const mailPanel: Panel = {
  id: 'mail',
  title: 'Mail',
  icon: 'M4 6h16v12H4zM4 6l8 7 8-7',
  section: 'mail',
  badge: ({ sections }) => (Object.hasOwn(sections, 'mail') ? 'plain' : undefined),
  show: ({ sections }) => [
    {
      kind: 'pairs',
      label: 'Mail',
      pairs: [['Sent', JSON.stringify(sections['mail'])]],
      empty: 'None was sent.',
    },
  ],
};

describe('what an application adds to the profiler', () => {
  it('a section written while the request runs, a collector, and a panel of ten lines', async () => {
    const app = createApp({
      configuration: { env: 'test', debug: true, profilerStore: 'memory:' },
      logHandlers: [],
      profiler: {
        panels: [mailPanel],
        collectors: [{ name: 'weather', collect: () => ({ sky: '<blue>' }) }],
      },
    });
    try {
      app.get('/send', () => {
        currentRecording()?.section('mail', { to: 'ada@example.org' });
        return 'sent';
      });
      const sent = await app.fetch('http://localhost/send', local);
      const token = sent.headers.get('x-debug-token') ?? '';
      const page = await (await app.fetch(`http://localhost/_profiler/${token}?panel=mail`, local)).text();
      assert.match(page, /ada@example\.org/);
      const collected = await (
        await app.fetch(`http://localhost/_profiler/${token}?panel=more`, local)
      ).text();
      assert.match(collected, /&lt;blue>|&lt;blue&gt;/);
      assert.ok(!collected.includes('ada@example.org'), 'a section with a panel is not shown twice');
      const report = await (await app.fetch(`http://localhost/_profiler/${token}.md`, local)).text();
      assert.match(report, /## Mail/);
    } finally {
      await app.close();
    }
  });
});
