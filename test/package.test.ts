import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { packOnce } from './pack-once.js';

const folder = mkdtempSync(join(tmpdir(), 'lookback-packed-'));
const installed = join(folder, 'node_modules/lookback');

/** Runs in the folder of an application that has installed the package. */
function run(...parameters: string[]): string {
  const done = spawnSync(process.execPath, parameters, { cwd: folder, encoding: 'utf8' });
  assert.equal(done.status, 0, `${parameters.join(' ')}\n${done.stderr}`);
  return done.stdout;
}

function write(name: string, text: string): void {
  writeFileSync(join(folder, name), text);
}

const application = `
import { createApp, NotFoundError } from 'lookback';
import { createStore } from './wants.mjs';
export const app = createApp({ configuration: { env: 'dev', debug: true, profilerStore: createStore() } });
app.get('/hello/{name}', ({ params }) => ({ hello: params.name }), { name: 'hello' });
app.get('/broken', () => { throw new Error('broken on purpose'); });
app.post('/form', async ({ request }) => ({ title: (await request.form()).get('title') }));
`;

describe('the package as it is published', () => {
  let size = { size: 0, unpackedSize: 0 };
  before(() => {
    const packed = packOnce();
    size = packed;
    mkdirSync(installed, { recursive: true });
    execFileSync('tar', ['-xzf', packed.path, '-C', installed, '--strip-components=1']);
    const { dependencies, optionalDependencies } = JSON.parse(
      readFileSync(join(installed, 'package.json'), 'utf8'),
    ) as Record<'dependencies' | 'optionalDependencies', Record<string, string>>; // ours
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const place = join(folder, 'node_modules', name);
      mkdirSync(dirname(place), { recursive: true });
      symlinkSync(resolve('node_modules', name), place, 'junction');
    }
    write('package.json', '{ "type": "module" }');
    write('wants.mjs', "export const createStore = () => process.env.STORE ?? 'off';");
    write('app.mjs', application);
  });
  after(() => rmSync(folder, { recursive: true, maxRetries: 5 }));

  it('holds the bundle, its maps and their sources, and nothing for tests', () => {
    const files = readdirSync(installed, { recursive: true, encoding: 'utf8' });
    assert.deepEqual(
      files.filter((name) => /\.test\./.test(name)),
      [],
    );
    const maps = files.filter((name) => name.endsWith('.js.map'));
    assert.ok(maps.length > 10);
    for (const name of maps) {
      const { sources } = JSON.parse(readFileSync(join(installed, name), 'utf8')) as { sources: string[] }; // a map
      for (const source of sources) {
        const path = resolve(dirname(join(installed, name)), source);
        assert.ok(path.startsWith(join(installed, 'src')), `${name}: ${source}`);
        assert.ok(readFileSync(path).length > 0);
      }
    }
  });

  // Half of it are the sources and the maps that lead to them.
  it('is no larger than 2.4 MB packed and 9.4 MB unpacked', () => {
    assert.ok(size.size > 100_000 && size.size <= 2_400_000, `${size.size} bytes packed`);
    assert.ok(size.unpackedSize <= 9_400_000, `${size.unpackedSize} bytes unpacked`);
  });

  it('every door gives by import and by require() what its source gives, under its own name', async () => {
    const { exports: doors } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as {
      exports: Record<string, { readonly default: string }>; // ours
    };
    // These load packages that an application brings itself.
    const others = ['./package.json', './persistence', './hono', './nest', './register'];
    const paths = Object.keys(doors).filter((path) => !others.includes(path));
    write(
      'doors.mjs',
      `import { createRequire } from 'node:module';
      const require = createRequire(import.meta.url);
      const seen = {};
      for (const path of ${JSON.stringify(paths)}) {
        const name = 'lookback' + path.slice(1);
        const door = await import(name);
        if (require(name) !== door && Object.keys(require(name)).length !== Object.keys(door).length) throw new Error(name);
        seen[path] = Object.entries(door).map(([key, value]) => [key, typeof value === 'function' ? value.name : typeof value]);
      }
      console.log(JSON.stringify(seen));`,
    );
    const seen = JSON.parse(run('--disable-warning=ExperimentalWarning', 'doors.mjs')) as Record<
      string,
      [string, string][] // as written above
    >;
    for (const path of paths) {
      const house = /bundle\/(.+)\.js$/.exec(doors[path]?.default ?? '')?.[1] ?? '';
      const door = (await import(resolve(`dist/src/${house}.js`))) as Record<string, unknown>; // a module
      const expected = Object.entries(door).map(([key, value]) => [
        key,
        typeof value === 'function' ? value.name : typeof value,
      ]);
      assert.deepEqual(seen[path], expected, path);
    }
  });

  for (const store of ['memory:', 'sqlite:records.db']) {
    it(`answers, shows the record and the error page with ${store}`, async () => {
      write(
        'serve.mjs',
        "import { app } from './app.mjs'; const server = await app.listen({ port: 0 }); console.log(server.url);",
      );
      const child = spawn(process.execPath, ['serve.mjs'], {
        cwd: folder,
        env: { ...process.env, STORE: store },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      try {
        const url = await firstLine(child);
        const answer = await fetch(`${url}/hello/world`);
        assert.deepEqual(await answer.json(), { hello: 'world' });
        const token = answer.headers.get('x-debug-token') ?? '';
        const page = await fetch(`${url}/_profiler/${token}`, { headers: { Accept: 'text/html' } });
        assert.equal(page.status, 200);
        assert.match(await page.text(), /\/hello\/world/);
        const form = new FormData();
        form.set('title', 'of a form');
        const sent = await fetch(`${url}/form`, { method: 'POST', body: form });
        assert.deepEqual(await sent.json(), { title: 'of a form' });

        const broken = await fetch(`${url}/broken`, { headers: { Accept: 'text/html' } });
        assert.equal(broken.status, 500);
        const html = await broken.text();
        assert.match(html, /broken on purpose/);
        assert.match(html, /app\.mjs/);
        assert.match(html, /lookback\/src\/kernel\//, "the framework's frames are shown as their TypeScript");
        const problem = (await (
          await fetch(`${url}/broken`, { headers: { Accept: 'application/json' } })
        ).json()) as { debug: { exception: { frames: { kind: string; file: string }[] }[] } }; // the problem document
        const frames = problem.debug.exception.flatMap((error) => error.frames);
        const own = frames.filter((frame) => frame.file.includes('lookback'));
        assert.ok(own.length > 0);
        for (const frame of own) assert.match(frame.file, /^lookback\/src\/.+\.tsx?$/);
        for (const frame of own) assert.equal(frame.kind, 'library');
      } finally {
        const ended = new Promise((end) => child.once('exit', end));
        child.kill('SIGKILL');
        await ended;
      }
    });
  }

  it('the command line lists the routes of an application', () => {
    const listed = run('node_modules/lookback/dist/bundle/cli.js', 'routes', '--app', 'app.mjs');
    assert.match(listed, /hello\s+.*\/hello\/\{name\}/);
  });

  it('has types that a strict program compiles with', () => {
    write(
      'program.ts',
      "import { createApp } from 'lookback';\nexport const text: string = createApp().url('hello', { name: 'a' });\n",
    );
    write(
      'tsconfig.json',
      JSON.stringify({
        compilerOptions: {
          strict: true,
          module: 'NodeNext',
          noEmit: true,
          types: ['node'],
          typeRoots: [resolve('node_modules/@types')],
        },
        files: ['program.ts'],
      }),
    );
    symlinkSync(resolve('node_modules/@types'), join(folder, 'node_modules/@types'), 'junction');
    run(resolve('node_modules/typescript/bin/tsc'), '-p', '.');
  });
});

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((found, failed) => {
    child.once('exit', (code) => failed(new Error(`The application ended with ${code}.`)));
    child.stdout?.on('data', (text: Buffer) => {
      const url = /http:\S+/.exec(String(text))?.[0];
      if (url !== undefined) found(url.replace(/\/$/, ''));
    });
  });
}
