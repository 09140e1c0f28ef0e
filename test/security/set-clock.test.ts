import assert from 'node:assert/strict';
import { describe, it, mock } from 'node:test';
import { createApp } from 'lookback';
import { createLoginLinks, createMemoryUserProvider, createSecurity, formLogin } from 'lookback/security';
import { cheapHasher, reader, secret } from './guarded-app.js';
import { Visitor } from './visitor.js';

const hour = 3_600_000;

/** Changes the date of the process, but not the monotonic clock, as an administrator or NTP would. */
async function withDate(run: (move: (milliseconds: number) => void) => Promise<void>): Promise<void> {
  const now = Date.now.bind(Date);
  let shift = 0;
  const date = mock.method(Date, 'now', () => now() + shift);
  try {
    await run((milliseconds) => void (shift += milliseconds));
  } finally {
    date.mock.restore();
  }
}

describe('a clock change', () => {
  const create = (): { visit: () => Visitor; link: () => string } => {
    const links = createLoginLinks({ secret });
    const security = createSecurity({
      secret,
      provider: createMemoryUserProvider([reader]),
      hashers: [cheapHasher],
      firewalls: [{ name: 'main', authenticators: [formLogin(), links.authenticator] }],
    });
    const app = createApp({
      security,
      logHandlers: [],
      configuration: { env: 'test', debug: true, profilerStore: 'memory:' },
    });
    app.get('/who', async ({ request, user }) => {
      const session = await security.session(request);
      session.set('seen', (session.get<number>('seen') ?? 0) + 1);
      return `${user?.identifier ?? 'nobody'} ${session.get<number>('seen')}`;
    });
    return { visit: () => new Visitor(app), link: () => links.create(reader) };
  };

  it("back or forward, by hours or a day, keeps users' sessions", () =>
    withDate(async (move) => {
      const { visit, link } = create();
      const visitor = visit();
      assert.equal((await visitor.get(link())).location, '/');
      let seen = 0;
      for (const change of [-hour, 1000, -24 * hour, 23 * hour, hour, -30_000, 600_000]) {
        move(change);
        assert.equal((await visitor.get('/who')).body, `reader ${++seen}`, `after ${change} ms`);
        assert.equal((await visitor.get('/who')).body, `reader ${++seen}`, `once more after ${change} ms`);
      }
    }));

  it('does not make a used login link valid again; an unused one expires at its time', () =>
    withDate(async (move) => {
      const { visit, link } = create();
      const [used, old] = [link(), link()];
      assert.equal((await visit().get(used)).location, '/');
      for (const change of [-hour, hour, -24 * hour, 24 * hour, 500_000]) {
        move(change);
        assert.notEqual((await visit().get(used)).location, '/', `after ${change} ms`);
      }
      move(101_000);
      assert.equal((await visit().get(old)).location, '/login?error=expired');
    }));
});
