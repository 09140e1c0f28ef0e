import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createApp } from 'lookback';
import { routeParameter, withArguments, withSchemas } from 'lookback/controller';
import { z } from 'zod';

describe("an application's typed routes", () => {
  it('a handler knows the parameters in its path, and no others', async () => {
    const app = createApp({ configuration: { profilerStore: 'off' } });
    app.get('/blog/{slug}/{page<\\d+>?1}', ({ params }) => {
      const known: string = params.slug + params.page;
      // @ts-expect-error the path has no such variable
      const unknown: unknown = params.sluq;
      return `${known} ${String(unknown)}`;
    });
    // @ts-expect-error text is not a number
    app.get('/wrong/{id}', ({ params }) => ({ next: Math.abs(params.id) }));
    assert.equal(await (await app.fetch('/blog/a')).text(), 'a1 undefined');
  });

  it('a handler in a group knows the parameters of the surrounding groups too', async () => {
    const app = createApp({ configuration: { profilerStore: 'off' } });
    app.group({ path: '/shops/{shop}' }, (shops) => {
      shops.get('/{slug}', ({ params }) => {
        const known: string = params.shop + params.slug;
        // @ts-expect-error neither the group nor the path has such a variable
        const unknown: unknown = params.shpo;
        return `${known} ${String(unknown)}`;
      });
      shops.group({ path: '/floors/{floor}' }, (floors) => {
        floors.get('/next', ({ params }) => `${params.shop} ${params.floor}`);
        floors.get(
          '/by-argument',
          withArguments([routeParameter('floor')], (floor) => floor),
        );
        const misspelt = withArguments([routeParameter('flor')], (floor) => floor);
        const never = (): void => {
          // @ts-expect-error the path has no parameter "flor"
          floors.get('/wrong', misspelt);
        };
        assert.equal(typeof never, 'function');
      });
    });
    const answers = ['/shops/a/b', '/shops/a/floors/1/next', '/shops/a/floors/1/by-argument'].map(
      async (path) => (await app.fetch(path)).text(),
    );
    assert.deepEqual(await Promise.all(answers), ['ab undefined', 'a 1', '1']);
  });

  it('a controller that returns nothing does not compile', () => {
    const app = createApp({ configuration: { profilerStore: 'off' } });
    const parsed = JSON.parse('{}') as unknown; // its type does not matter
    // @ts-expect-error nothing is returned
    app.get('/nothing', () => {});
    // @ts-expect-error a promise of nothing is returned
    app.get('/nothing-later', async () => {});
    const withoutArguments = withArguments([], () => {});
    // @ts-expect-error with declared arguments as well
    app.get('/argument', withoutArguments);
    const nothing = (): void => {};
    // @ts-expect-error the schemas declare no status for an empty answer
    withSchemas({ query: z.object({}) }, nothing);
    app.get(
      '/empty',
      withSchemas({ status: 204 }, () => undefined),
    );
    app.get('/throws', () => {
      throw new Error('always');
    });
    app.get('/unknown', () => parsed);
    app.get('/any', () => JSON.parse('{}'));
    app.get('/perhaps', ({ user }) => user?.identifier);
  });
});

describe('registered routes', () => {
  const program = (lines: string): { status: number | null; output: string } => {
    const folder = mkdtempSync(join(tmpdir(), 'lookback-registered-'));
    try {
      writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
      mkdirSync(join(folder, 'node_modules'));
      symlinkSync(resolve('.'), join(folder, 'node_modules/lookback'), 'junction');
      writeFileSync(
        join(folder, 'program.ts'),
        `import { createApp } from 'lookback';
import { defineRoutes } from 'lookback/routing';
const definitions = defineRoutes([{ name: 'home', path: '/' }, { name: 'note', path: '/notes/{id}' }]);
declare module 'lookback/routing' {
  interface RegisteredRoutes {
    definitions: typeof definitions;
  }
}
const app = createApp();
${lines}
`,
      );
      const flags = '--noEmit --strict --skipLibCheck --module nodenext --target es2022 --pretty false';
      const run = spawnSync(
        process.execPath,
        [resolve('node_modules/typescript/bin/tsc'), ...flags.split(' '), '--types', '', 'program.ts'],
        { cwd: folder, encoding: 'utf8' },
      );
      return { status: run.status, output: run.stdout };
    } finally {
      rmSync(folder, { recursive: true });
    }
  };

  it('are the only ones that url() accepts, with their parameters', () => {
    const right = program(
      `app.url('home'); app.url('note', { id: 1 }, { absolute: true } as never);
app.get('/links', ({ url }) => [url('home'), url('note', { id: 'a', _query: { page: 2 } })]);`,
    );
    assert.equal(right.status, 0, right.output);
    const wrong = program(`app.url('nosuch');
app.url('note');
app.get('/links', ({ url }) => url('note', { ident: 1 }));`);
    const lines = wrong.output.match(/^program\.ts\(\d+/gm);
    assert.deepEqual(lines, ['program.ts(10', 'program.ts(11', 'program.ts(12'], wrong.output);
  });
});
