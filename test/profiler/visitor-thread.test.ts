import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createProfiler, type Profiler } from '#profiler';
import { bodyOf, createOpenPage } from './open-page.js';
import { watchRequest } from './watch-request.js';

interface Step {
  readonly cookie?: string;
  readonly set?: string;
  readonly method?: string;
  readonly target: string;
  readonly status?: number;
}

function step(profiler: Profiler, { cookie, set, method = 'GET', target, status = 200 }: Step): string {
  return watchRequest(profiler, {
    source: {
      method,
      target,
      rawHeaders: ['Host', 'app.test', ...(cookie === undefined ? [] : ['Cookie', cookie])],
    },
    sent: {
      status,
      headers: set === undefined ? [] : ['Set-Cookie', `${set}; HttpOnly`],
    },
  });
}

async function visitorsOf(profiler: Profiler): Promise<ReadonlyMap<string, string | null>> {
  const { rows } = await profiler.list({ limit: 100 });
  return new Map(rows.map(({ token, visitor }) => [token, visitor]));
}

describe('the visitor’s thread', () => {
  it('has the requests of one session, across logins, but not those of another', async () => {
    const profiler = createProfiler({ store: 'memory:' });
    try {
      const ada = [
        step(profiler, { target: '/', set: 'session=ada-1.sig' }),
        step(profiler, { target: '/login', cookie: 'theme=x; session=ada-1.sig', set: 'session=ada-2.sig' }),
      ];
      const bob = [step(profiler, { target: '/', cookie: '__Host-session=bob' })];
      ada.push(step(profiler, { target: '/logout', cookie: 'session=ada-2.sig', set: 'session=' }));
      bob.push(step(profiler, { target: '/a', cookie: '__Host-session=bob' }));
      const nobody = [step(profiler, { target: '/', cookie: 'theme=x' }), step(profiler, { target: '/' })];
      const visitors = await visitorsOf(profiler);
      const of = (tokens: readonly string[]): readonly unknown[] => [
        ...new Set(tokens.map((token) => visitors.get(token))),
      ];
      assert.match(String(of(ada)), /^[0-9a-f]{16}$/);
      assert.match(String(of(bob)), /^[0-9a-f]{16}$/);
      assert.notDeepEqual(of(ada), of(bob));
      assert.deepEqual(of(nobody), [null]);
    } finally {
      await profiler.close();
    }
  });

  it('is reached from each record by a link to all requests of the visitor', async () => {
    const profiler = createProfiler({ store: 'memory:' });
    const open = createOpenPage({ reader: profiler });
    const read = async (target: string): Promise<string> => bodyOf(await open(target));
    try {
      const cookie = 'session=ada';
      step(profiler, { method: 'POST', target: '/save', cookie, status: 303 });
      const token = step(profiler, { target: '/saved', cookie });
      step(profiler, { target: '/next', cookie });
      step(profiler, { target: '/of-bob', cookie: 'session=bob' });
      const visitor = (await visitorsOf(profiler)).get(token);
      const page = await read(`/_profiler/${token}`);
      assert.ok(page.includes(`q=visitor:${visitor}">Requests of this visitor`), page.slice(-9000));
      const list = await read(`/_profiler/?q=visitor:${visitor}`);
      assert.match(list, /class="total">3</);
      assert.doesNotMatch(list, /of-bob/);
    } finally {
      await profiler.close();
    }
  });

  it('links each record to the previous one, however close together they began, also at the end of a list', async () => {
    const profiler = createProfiler({ store: 'memory:' });
    const open = createOpenPage({ reader: profiler });
    try {
      let former = step(profiler, { target: '/', cookie: 'session=ada' });
      for (let at = 0; at < 25; at++) {
        const token = step(profiler, { target: `/${at}`, cookie: 'session=ada' });
        assert.match(bodyOf(await open(`/_profiler/${token}`)), new RegExp(`/_profiler/${former}["?]`));
        former = token;
        const found = await profiler.find(token);
        assert.ok(found.kind === 'found');
        const ranges = [[null, found.record.startedAt]] as const;
        const { rows } = await profiler.list({
          where: [{ columns: ['startedAt'], test: { kind: 'numbers', ranges } }],
        });
        assert.equal(rows[0]?.token, token);
      }
    } finally {
      await profiler.close();
    }
  });
});
