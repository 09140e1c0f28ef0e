import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { channel } from 'node:diagnostics_channel';
import { type App, createApp, type Extension } from 'lookback';
import { currentRecording, type Section } from 'lookback/profiler';
import { local } from '../local-peer.js';

const mailSection: Section = {
  id: 'mail',
  title: 'Mail',
  panel: {
    show: (mail) => [
      { kind: 'pairs', label: 'Mail', pairs: [['Sent', JSON.stringify(mail)]], empty: 'None was sent.' },
    ],
  },
};

describe('an extension', () => {
  const mails = channel('test:mail');
  let instrumentations = 0;
  const mail: Extension = {
    name: 'mail',
    sections: [mailSection],
    instrumentations: [
      (recording) => {
        const listener = (message: unknown): void => recording()?.section('mail', message);
        mails.subscribe(listener);
        instrumentations++;
        return () => {
          instrumentations--;
          mails.unsubscribe(listener);
        };
      },
    ],
  };
  const createMailer = (profilerStore: 'memory:' | 'off'): App => {
    const app = createApp({
      configuration: { env: 'test', debug: true, profilerStore },
      logHandlers: [],
      extensions: [mail],
    });
    app.get('/send/{to}', async ({ params }) => {
      await Promise.resolve();
      mails.publish({ to: params.to, password: 'c4n4ry' });
      return 'sent';
    });
    return app;
  };

  it('has an instrumentation that writes to the record of the observed request, until the application is closed', async () => {
    const app = createMailer('memory:');
    const sent = await Promise.all(['ada', 'bob'].map((to) => app.fetch(`/send/${to}`, local)));
    mails.publish({ to: 'nobody' });
    for (const [index, to] of ['ada', 'bob'].entries()) {
      const token = sent[index]?.headers.get('x-debug-token') ?? '';
      const report = await (await app.fetch(`/_profiler/${token}.md`, local)).text();
      assert.match(report, new RegExp(`"to":"${to}","password":"\\\\?\\[redacted`));
    }
    assert.equal(instrumentations, 1);
    await app.close();
    assert.deepEqual([instrumentations, mails.hasSubscribers], [0, false]);
    const silent = createMailer('off');
    assert.equal(await (await silent.fetch('/send/ada')).text(), 'sent');
    assert.equal(instrumentations, 0, 'without recording, nothing is subscribed');
    await silent.close();
  });
});

describe("an application's own sections", () => {
  it('are written while the request runs or collected at its end, and are shown by a panel of ten lines', async () => {
    const app = createApp({
      configuration: { env: 'test', debug: true, profilerStore: 'memory:' },
      logHandlers: [],
      profiler: {
        sections: [mailSection, { id: 'weather', collect: () => ({ sky: '<blue>' }) }],
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
      assert.ok(!collected.includes('ada@example.org'), 'a section with its own panel is not shown twice');
      const report = await (await app.fetch(`http://localhost/_profiler/${token}.md`, local)).text();
      assert.match(report, /## Mail/);
    } finally {
      await app.close();
    }
  });
});
