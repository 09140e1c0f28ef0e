import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type App, type Configuration, createApp, type LogRecord } from 'lookback';
import { local } from '../local-peer.js';
import { overTransports } from './web/over-transports.js';

const lines: LogRecord[] = [];
const withheld = (): string[] =>
  lines.flatMap(({ message }) => (message.startsWith('Debug output was withheld') ? [message] : []));
const logHandlers = [{ handle: (line: LogRecord) => void lines.push(line) }];

overTransports(
  'debug output that a client may not see',
  () => {
    lines.length = 0;
    return {
      options: { configuration: { env: 'dev', debug: true, profilerStore: 'memory:' }, logHandlers },
      define: (app) => void app.get('/reset/{token}', () => 'page'),
    };
  },
  (bench) => {
    it('is reported in the log once for each reason, with the request, the reason, the setting and the record', async () => {
      const { ask, app } = bench();
      const image = {
        'Sec-Fetch-Site': 'cross-site',
        'Sec-Fetch-Mode': 'no-cors',
        'Sec-Fetch-Dest': 'image',
      };
      for (let count = 0; count < 3; count++) {
        const answer = await ask('/robots.txt', { headers: image });
        assert.equal(answer.status, 404);
        assert.equal(answer.field('x-debug-token'), undefined);
      }
      await ask('/reset/s3cr3t-4711', { headers: { 'X-Forwarded-For': '203.0.113.9' } });
      await ask('/_profiler/', { headers: { Origin: 'http://localhost:5173' } });
      await ask('/robots.txt');
      const [site = '', proxy = '', origin = '', ...rest] = withheld();
      assert.deepEqual(rest, []);
      assert.match(site, /^Debug output was withheld from GET \/robots\.txt: another site requested it/);
      const token = / Its record is ([0-9a-f]{6})\.$/.exec(site)?.[1] ?? '';
      const found = await app.profiler?.find(token);
      assert.equal(found?.kind === 'found' && found.record.request.path, '/robots.txt');
      assert.match(proxy, /forwarded \(x-forwarded-for\) by a proxy that is not trusted/);
      assert.match(proxy, /set TRUSTED_PROXIES/);
      assert.doesNotMatch(proxy, /4711/);
      assert.match(origin, /GET \/_profiler\/: its Origin is a different one/);
      assert.match(origin, /set DEBUG_ALLOWED_ORIGINS=http:\/\/localhost:5173\./);
    });
  },
);

describe('a log without lines about withheld debug output', () => {
  const linesOf = async (configuration: Partial<Configuration>, status: 200 | 404): Promise<string[]> => {
    lines.length = 0;
    const app: App = createApp({
      configuration: { profilerStore: 'memory:', ...configuration },
      logHandlers,
    });
    app.get('/page', () => 'page');
    const headers = { 'Sec-Fetch-Site': 'cross-site' };
    const answer = await app.fetch(status === 200 ? '/page' : '/nothing', { ...local, headers });
    assert.equal(answer.status, status);
    await app.close();
    return withheld();
  };

  it('is that of production, of tests, and of successful pages without a record', async () => {
    assert.equal((await linesOf({ env: 'dev', debug: true }, 200)).length, 1);
    assert.equal((await linesOf({ env: 'dev', debug: true, profilerStore: 'off' }, 404)).length, 1);
    for (const [configuration, status] of [
      [{ env: 'prod', debug: false, trustedHosts: ['localhost'] }, 404],
      [{ env: 'test', debug: true }, 404],
      [{ env: 'dev', debug: true, profilerStore: 'off' }, 200],
    ] as const)
      assert.deepEqual(await linesOf(configuration, status), [], JSON.stringify(configuration));
  });
});
