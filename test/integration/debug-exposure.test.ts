import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { HttpRequest, createTrustPolicy } from '#core/http';
import { type App, createApp } from '#index';

// Who may see debug output, as a matrix: goal 24 and the incidents behind it. A refused client gets exactly the response to an unknown
// path, so that it cannot even detect the profiler.

interface Cell {
  readonly peer: string;
  readonly host: string;
  readonly headers: readonly string[];
  readonly open: boolean;
}

const peers = [
  { peer: '127.0.0.1', open: true },
  { peer: '::1', open: true },
  { peer: '::ffff:127.0.0.1', open: true },
  { peer: '192.168.1.7', open: false },
  { peer: '::ffff:10.0.0.1', open: false },
  { peer: 'fe80::1', open: false },
];
const hosts = [
  { host: 'localhost:8000', open: true },
  { host: '127.0.0.1:8000', open: true },
  { host: '[::1]:8000', open: true },
  { host: 'app.localhost', open: true },
  { host: 'evil.example', open: false },
  { host: 'localhost.evil.example', open: false },
  { host: '127.0.0.1.nip.io', open: false },
  { host: '0.0.0.0:8000', open: false },
];
const requests = [
  { headers: [], open: true },
  { headers: ['Sec-Fetch-Site', 'none'], open: true },
  { headers: ['Sec-Fetch-Site', 'same-origin'], open: true },
  { headers: ['Sec-Fetch-Site', 'cross-site'], open: false },
  { headers: ['Sec-Fetch-Site', 'same-site', 'Sec-Fetch-Mode', 'no-cors'], open: false },
  { headers: ['Origin', 'null'], open: false },
  { headers: ['Origin', 'http://evil.example'], open: false },
  { headers: ['X-Forwarded-For', '127.0.0.1'], open: false },
  { headers: ['Forwarded', 'for=127.0.0.1'], open: false },
  { headers: ['X-Real-IP', '127.0.0.1'], open: false },
];
const cells: readonly Cell[] = peers.flatMap((p) =>
  hosts.flatMap((h) => requests.map((r) => ({ ...p, ...h, ...r, open: p.open && h.open && r.open }))),
);
const trust = createTrustPolicy();

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly headers: readonly (readonly [string, string])[];
}

async function ask(app: App, target: string, cell: Omit<Cell, 'open'>): Promise<Answer> {
  const request = new HttpRequest(
    {
      method: 'GET',
      target,
      rawHeaders: ['Host', cell.host, ...cell.headers],
      httpVersion: '1.1',
      peer: { address: cell.peer, port: 50_000, encrypted: false },
    },
    { trust },
  );
  const response = await app.handle(request);
  const body = typeof response.body === 'string' ? response.body : String(response.body?.constructor.name);
  // Random, and different in each response.
  const headers = [...response.headers].filter(([name]) => name !== 'X-Request-Id');
  return { status: response.status, body, headers };
}

function createTestApp(env: 'dev' | 'prod'): App {
  const app = createApp({
    configuration: { env, debug: env === 'dev', profilerStore: 'memory:' },
    logHandlers: [],
  });
  app.get('/fail', () => {
    throw new Error('canary-4711');
  });
  return app;
}

describe('exposure of debug output', () => {
  let dev: App;
  let prod: App;
  before(() => {
    dev = createTestApp('dev');
    prod = createTestApp('prod');
  });
  after(async () => {
    await dev.close();
    await prod.close();
  });

  it('every combination of peer × Host × origin × forwarding is open or gets the response to an unknown path', async () => {
    const targets = ['/_profiler/latest', '/_profiler/ffffff', '/_profiler/latest.json', '/_profiler/ABC'];
    const isRefused = ({ open }: Cell): boolean => !open;
    const refused = cells.find(isRefused) ?? assert.fail('every cell is open');
    // Every refused client gets the same response.
    const unknown = await ask(dev, '/nothing', refused);
    assert.equal(unknown.status, 404);
    for (const [index, cell] of cells.entries()) {
      const where = JSON.stringify(cell);
      // Picks another target, a different one for each cell and row.
      const target = targets[(index + Math.floor(index / requests.length)) % targets.length] ?? '';
      const list = await ask(dev, '/_profiler/', cell);
      if (cell.open) {
        assert.equal(list.status, 200, where);
        assert.match(list.body, /<h1>Requests<\/h1>/, where);
      } else {
        assert.deepEqual(list, unknown, where);
        assert.deepEqual(await ask(dev, target, cell), unknown, `${target} ${where}`);
      }
    }
    assert.deepEqual(await ask(dev, '/nothing', cells.findLast(isRefused) ?? refused), unknown);
    assert.equal(cells.filter((cell) => cell.open).length, 3 * 4 * 3);
  });

  it("a failure shows its message, and its record's token, only to authorised clients", async () => {
    // Profiler pages, for which the test above uses every cell, are subject to the same decision.
    const asked = cells.filter(({ open }, index) => open || index % 7 === 0);
    for (const cell of asked) {
      const { status, body, headers } = await ask(dev, '/fail', cell);
      assert.equal(status, 500);
      assert.equal(body.includes('canary-4711'), cell.open, JSON.stringify(cell));
      const debug = headers.filter(([name]) => /^x-debug/i.test(name));
      assert.equal(debug.length > 0, cell.open, JSON.stringify(cell));
    }
  });

  it('in production there is no profiler, and no request can turn debug on', async () => {
    const local = { peer: '127.0.0.1', host: 'localhost', headers: [] };
    const unknown = await ask(prod, '/nothing', local);
    for (const target of [
      '/_profiler/',
      '/_profiler/latest',
      '/telescope',
      '/_ignition/health-check',
      '/.env',
    ])
      assert.deepEqual(await ask(prod, target, local), unknown, target);
    for (const target of ['/fail?APP_DEBUG=1', '/fail?+--env=dev', '/fail?APP_ENV=dev'])
      for (const headers of [
        [],
        ['X-App-Debug', '1'],
        ['Cookie', 'APP_DEBUG=1; debug=1'],
        ['X-Debug', 'true'],
      ]) {
        const answer = await ask(prod, target, { ...local, headers });
        assert.equal(answer.status, 500);
        assert.ok(!answer.body.includes('canary-4711'), target);
        assert.ok(!answer.headers.some(([name]) => /^x-debug/i.test(name)), target);
      }
  });
});
