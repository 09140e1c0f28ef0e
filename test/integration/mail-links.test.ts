import assert from 'node:assert/strict';
import { channel } from 'node:diagnostics_channel';
import { after, before, describe, it } from 'node:test';
import { type App, createApp } from 'lookback';
import { local } from '../local-peer.js';

const secret = 'cAn4Zz9xQ7001';
const links = [
  `/password/link?user=ada&expires=1764000000&hash=${secret}`,
  `/login/link?user=ada&hash=${secret}`,
  `/email/verify/12/${secret}?expires=1764000000&signature=${secret}`,
  `/verify/email/12/${secret}`,
  `/reset-password/1/${secret}`,
  `/accounts/reset/MQ/${secret}`,
  `/invite/${secret}`,
  `/confirm?token=${secret}`,
];

describe('credentials in mailed links', () => {
  const lines: string[] = [];
  const shown: string[] = [];
  const write = process.stdout.write;
  let app: App;

  const showRecord = async (token: string): Promise<void> => {
    assert.notEqual(token, '');
    for (const form of ['', '.json', '.md', '.har', '.curl', '?panel=mail'])
      shown.push(await (await app.fetch(`http://localhost/_profiler/${token}${form}`, local)).text());
  };

  before(async () => {
    app = createApp({
      configuration: {
        env: 'test',
        debug: true,
        profilerStore: 'memory:',
        port: 0,
        accessLog: 'json',
      },
      logHandlers: [],
    });
    app.get('/send', ({ request }) => {
      const link = `http://localhost${links[Number(request.query.get('link'))] ?? ''}`;
      channel('lookback:mail:message').publish({
        subject: `Your link ${link}`,
        from: ['a@b.org'],
        to: ['ada@b.org'],
        text: `Open ${link} within ten minutes.`,
        html: `<p><a href="${link.replaceAll('&', '&amp;')}">Open</a></p>`,
        startedAt: performance.now(),
        durationMs: 1,
      });
      app.log.info(`sent ${link}`, { link });
      return 'sent';
    });
    process.stdout.write = ((text: string) => lines.push(text) > 0) as typeof write; // the log writes only strings
    try {
      for (const [index, link] of links.entries())
        for (const [method, path] of [
          ['GET', link],
          ['HEAD', link],
          ['GET', `/send?link=${index}`],
        ] as const) {
          const response = await app.fetch(`http://localhost${path}`, { method, ...local });
          await showRecord(response.headers.get('x-debug-token') ?? '');
        }
      shown.push(await (await app.fetch('http://localhost/_profiler/', local)).text());
      shown.push(await (await app.fetch('http://localhost/_profiler/?format=json', local)).text());
    } finally {
      process.stdout.write = write;
    }
  });
  after(() => app.close());

  it('are in no line of the access log', () => {
    assert.ok(lines.filter((line) => line.includes('reset')).length >= 2, lines.join(''));
    assert.deepEqual(
      lines.filter((line) => line.includes(secret)),
      [],
    );
  });

  it('are in no record, list, mail, Markdown, JSON, archive or command', () => {
    assert.ok(shown.some((text) => text.includes('within ten minutes')));
    assert.ok(shown.some((text) => text.includes('/password/link')));
    const found = shown.filter((text) => text.includes(secret));
    assert.deepEqual(
      found.map((text) => text.slice(Math.max(0, text.indexOf(secret) - 100), text.indexOf(secret) + 20)),
      [],
    );
  });
});
