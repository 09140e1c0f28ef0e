import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type App, createApp, Get, kernelListener, requestEvent, responseEvent, Route } from 'lookback';
import type { ProfileRecord } from 'lookback/profiler';
import { local } from '../local-peer.js';

const example = fileURLToPath(new URL('./controller-places-app.js', import.meta.url));
const source = 'test/integration/controller-places.test.ts';

/** The number of the marked line in this source file. */
function lineOf(mark: string, comment = '//'): number {
  const lines = readFileSync(source, 'utf8').split('\n');
  return lines.findIndex((line) => line.includes(`${comment} ${mark}`)) + 1;
}

class Articles {
  @Get('/articles/{id}') // method
  show(): string {
    return 'an article';
  }
}

@Route('/feed') // class
class Feed {
  handle(): string {
    return 'a feed';
  }
}

const options = { env: 'test', debug: true, profilerStore: 'memory:', editor: 'vscode' } as const;

function createExample(configuration: object = options): App {
  const app = createApp({ configuration, controllers: [Articles, Feed] });
  app.get('/arrow', () => 'an arrow'); // arrow
  app.route({ path: '/data', methods: ['GET'], controller: () => 'data' }); // data
  app.group({ path: '/admin' }, (admin) => {
    admin.post('/users', () => 'made'); // group
  });
  return app;
}

async function recordedLocation(app: App, path: string, method = 'GET'): Promise<[string, number] | null> {
  const response = await app.fetch(path, { method, ...local });
  const token = response.headers.get('x-debug-token');
  assert.ok(token, `${path} is recorded`);
  const answer = await app.fetch(`/_profiler/${token}.json`, local);
  const record = await answer.json();
  const { file, line } = Object(Object(record).controller);
  return file === null ? null : [file, line];
}

describe("a listener's location", () => {
  it('is in the record and on its page, also for listeners of extensions; the framework’s own listeners have none', async () => {
    const app = createExample();
    app.on(responseEvent, function tagAnswer({ response }) /* by on */ {
      response.headers.set('X-Tag', '1');
    });
    const made = kernelListener(requestEvent, () => undefined, { name: 'made elsewhere', priority: 1 }); // made
    app.use({ name: 'example', listeners: [made] });
    const response = await app.fetch('/arrow', local);
    const token = response.headers.get('x-debug-token') ?? '';
    const record: unknown = await (await app.fetch(`/_profiler/${token}.json`, local)).json();
    const listeners = (record as ProfileRecord).events.flatMap((event) => event.listeners); // the record as JSON
    const locationOf = (name: string): unknown => {
      const location = listeners.find((listener) => listener.name === name)?.location;
      return location === undefined ? undefined : [location.file, location.line];
    };
    const file = fileURLToPath(new URL(`../../../${source}`, import.meta.url));
    assert.deepEqual(locationOf('tagAnswer'), [file, lineOf('by on', '/*')]);
    assert.deepEqual(locationOf('made elsewhere'), [file, lineOf('made')]);
    const own = listeners.filter(({ name }) => !['tagAnswer', 'made elsewhere'].includes(name));
    assert.ok(own.some(({ name }) => name === 'router'));
    assert.deepEqual(
      own.filter(({ location }) => location !== undefined),
      [],
    );
    const page = await (await app.fetch(`/_profiler/${token}?panel=events`, local)).text();
    assert.match(page, /href="vscode:[^"]*controller-places\.test\.ts:\d+[^"]*">tagAnswer/);
    await app.close();
  });
});

describe("a controller's location", () => {
  const ways = [
    ['an arrow function', '/arrow', 'GET', 'arrow'],
    ['a route given as data', '/data', 'GET', 'data'],
    ['a route of a group', '/admin/users', 'POST', 'group'],
    ['a method', '/articles/1', 'GET', 'method'],
    ['a class', '/feed', 'GET', 'class'],
  ] as const;
  for (const [what, path, method, mark] of ways) {
    it(`${what}: its source line is in the record`, async () => {
      const app = createExample();
      try {
        const location = await recordedLocation(app, path, method);
        assert.ok(location?.[0].endsWith(source), String(location?.[0]));
        assert.equal(location?.[1], lineOf(mark));
      } finally {
        await app.close();
      }
    });
  }

  it('is a link to the editor on the record page', async () => {
    const app = createExample();
    try {
      const response = await app.fetch('/arrow', local);
      const token = response.headers.get('x-debug-token');
      const page = await (await app.fetch(`/_profiler/${token}?panel=routing`, local)).text();
      assert.match(
        page,
        new RegExp(`href="vscode://[^"]*controller-places\\.test\\.ts:${lineOf('arrow')}:1"`),
      );
      assert.ok(page.includes(`>${source}:${lineOf('arrow')}<`), 'shown from the working folder on');
    } finally {
      await app.close();
    }
  });

  it('is the location of the error if the controller returned nothing, so that such errors are grouped by controller', async () => {
    const app = createExample();
    app.get('/nothing', (() => undefined) as () => unknown); // nothing
    try {
      await (await app.fetch('/nothing', local)).text();
      const [row] = (await app.profiler?.list())?.rows ?? [];
      assert.equal(row?.errorLocation, `${source}:${lineOf('nothing')}`);
    } finally {
      await app.close();
    }
  });

  it('is not determined outside debug', async () => {
    const app = createExample({ ...options, debug: false });
    try {
      assert.equal(app.routes.all().filter((route) => Object(route.target).location !== undefined).length, 2);
    } finally {
      await app.close();
    }
  });

  it('is printed by `lookback routes`', () => {
    const words = ['dist/bundle/cli.js', 'routes', '--app', example];
    const { status, stdout, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' });
    assert.equal(status, 0, stderr);
    assert.match(stdout, /test\/integration\/controller-places-app\.ts:5/);
  });
});
