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
import { join, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { packOnce } from './pack-once.js';

const folder = mkdtempSync(join(tmpdir(), 'lookback-packed-'));
const installed = join(folder, 'node_modules/lookback');

/** Runs Node in the folder of an application that has installed the package. */
function run(...parameters: string[]): string {
  const done = spawnSync(process.execPath, parameters, { cwd: folder, encoding: 'utf8' });
  assert.equal(done.status, 0, `${parameters.join(' ')}\n${done.stdout}${done.stderr}`);
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

describe('the published package', () => {
  let size = { size: 0, unpackedSize: 0 };
  before(() => {
    const packed = packOnce();
    size = packed;
    mkdirSync(installed, { recursive: true });
    execFileSync('tar', ['-xzf', packed.path, '-C', installed, '--strip-components=1']);
    // A package that applications install, for record files on Node 20.
    mkdirSync(join(folder, 'node_modules/@photostructure'));
    const sqlite = 'node_modules/@photostructure/sqlite';
    symlinkSync(resolve(sqlite), join(folder, sqlite), 'junction');
    write('package.json', '{ "type": "module" }');
    write('wants.mjs', "export const createStore = () => process.env.STORE ?? 'off';");
    write('app.mjs', application);
  });
  after(() => rmSync(folder, { recursive: true, maxRetries: 5 }));

  it('contains code and types once, no tests, and source maps only with their sources inside', () => {
    const files = readdirSync(installed, { recursive: true, encoding: 'utf8' }).map((name) =>
      name.replaceAll('\\', '/'),
    );
    assert.deepEqual(
      files.filter(
        (name) => /\.test\.|^src\b/.test(name) || (/\.tsx?$/.test(name) && !/\.d\.ts$|^templates/.test(name)),
      ),
      [],
    );
    const [code, types, maps] = ['.js', '.d.ts', '.map'].map((end) =>
      files.filter((one) => one.endsWith(end)),
    );
    assert.ok(code !== undefined && types !== undefined && maps !== undefined);
    assert.ok(code.length > 20 && types.length > 20 && maps.length > 20, `${files.length} files`);
    // The entry for `node --import` is the only one with a separate file for `require()`.
    const twins = files.filter(
      (name) => /\.[cm]js$/.test(name) && files.includes(name.replace(/\.[cm]js$/, '.js')),
    );
    assert.deepEqual(twins, ['dist/bundle/register.cjs']);
    for (const name of maps) {
      const text = readFileSync(join(installed, name), 'utf8');
      const map = JSON.parse(text) as { sources: unknown[]; sourcesContent?: unknown[] }; // version 3 of the format
      assert.equal(map.sourcesContent?.filter((one) => typeof one === 'string').length, map.sources.length);
    }
    for (const name of code)
      assert.doesNotMatch(
        readFileSync(join(installed, name), 'utf8'),
        /\n\/\/# sourceMappingURL=(?!data:)/,
        name,
      );
  });

  it('shows the lookback TypeScript that threw on the debug pages for 404, 405 and 400, and in their records', () => {
    write(
      'pages.mjs',
      `import { app } from './app.mjs';
      const seen = [];
      for (const [method, path] of [['GET', '/robots.txt'], ['DELETE', '/hello/a'], ['GET', '/%zz']]) {
        const response = await app.fetch(path, { method, headers: { Accept: 'text/html' }, peer: { address: '127.0.0.1' } });
        const page = await response.text();
        const { record } = await app.profiler.find(response.headers.get('x-debug-token'));
        seen.push({
          status: response.status,
          opened: /<details open>(?:(?!<.details>)[^])*<pre class="code"[^>]*>([^]*?)<.pre>/.exec(page)?.[1].replace(/<[^>]+>/g, ''),
          frames: record.exception.errors.map(({ frames }) => frames.find(({ path }) => path !== undefined)),
        });
      }
      console.log(JSON.stringify(seen));
      await app.close();`,
    );
    process.env['STORE'] = 'memory:';
    const printed = run('--disable-warning=ExperimentalWarning', 'pages.mjs');
    delete process.env['STORE'];
    const seen = JSON.parse(printed) as {
      status: number;
      opened?: string;
      frames: { file: string; excerpt?: { lines: string[] } }[];
    }[]; // as printed above
    assert.deepEqual(
      seen.map(({ status, frames }) => [status, frames.length]),
      [
        [404, 2],
        [405, 1],
        [400, 3],
      ],
    );
    for (const { opened = '', frames } of seen) {
      assert.match(opened, /throw|new \w+Error|\(\)/);
      for (const { file, excerpt } of frames) {
        assert.match(file, /^lookback\/src\/.*\.ts$/);
        assert.ok((excerpt?.lines.length ?? 0) >= 6, file);
      }
    }
    assert.match(seen[0]?.opened ?? '', /function notFound\(request: HttpRequest\): NotFoundError/);
  });

  it('is no larger than 1.5 MB packed and 5.4 MB unpacked', () => {
    assert.ok(size.size > 100_000 && size.size <= 1_500_000, `${size.size} bytes packed`);
    assert.ok(size.unpackedSize <= 5_400_000, `${size.unpackedSize} bytes unpacked`);
  });

  it('has no dependencies, and accepts every version of packages that an application adds', () => {
    const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as Record<
      string,
      object
    >; // we define it ourselves
    assert.deepEqual([manifest['dependencies'], manifest['optionalDependencies']], [undefined, undefined]);
    const peers = Object.entries(manifest['peerDependencies'] ?? {});
    for (const [name, range] of peers) {
      assert.equal(range, '*', name);
      assert.deepEqual(Reflect.get(manifest['peerDependenciesMeta'] ?? {}, name), { optional: true }, name);
    }
    const code = readdirSync(join(installed, 'dist/bundle'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.js'))
      .map((name) => readFileSync(join(installed, 'dist/bundle', name), 'utf8'));
    const imports = code.flatMap((text) => [
      ...text.matchAll(
        /^(?:import|export) [^;]*?from ['"]([^'".][^'"]*)['"]|\bimport\(['"]([^'".][^'"]*)['"]\)/gm,
      ),
    ]);
    const imported = new Set(
      imports
        .map(([, named = '', loaded = named]) => loaded)
        .filter((name) => !name.startsWith('node:'))
        .map((name) => /^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name),
    );
    assert.ok(imported.has('pg'), 'the imports are found');
    const declared = new Set(peers.map(([name]) => name));
    assert.deepEqual(
      [...imported].filter((name) => !declared.has(name)),
      [],
    );
  });

  it('contains the licences of the bundled packages', () => {
    const text = readFileSync(join(installed, 'dist/bundle/THIRD-PARTY-LICENSES.txt'), 'utf8');
    for (const name of ['preact', 'preact-render-to-string', 'intl-messageformat', '@fastify/busboy'])
      assert.match(text, new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\(`, 'm'));
  });

  it('has the same names in every entry by import and by require() as in its source', async () => {
    const { exports: entries } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as {
      exports: Record<string, { readonly default: string }>; // we define it ourselves
    };
    // These load packages that an application installs itself.
    const others = ['./package.json', './persistence', './hono', './nest', './register'];
    const paths = Object.keys(entries).filter((path) => !others.includes(path));
    write(
      'entries.mjs',
      `import { createRequire } from 'node:module';
      const require = createRequire(import.meta.url);
      const seen = {};
      for (const path of ${JSON.stringify(paths)}) {
        const name = 'lookback' + path.slice(1);
        const entry = await import(name);
        if (require(name) !== entry && Object.keys(require(name)).length !== Object.keys(entry).length) throw new Error(name);
        seen[path] = Object.entries(entry).map(([key, value]) => [key, typeof value === 'function' ? value.name : typeof value]);
      }
      console.log(JSON.stringify(seen));`,
    );
    const seen = JSON.parse(run('--disable-warning=ExperimentalWarning', 'entries.mjs')) as Record<
      string,
      [string, string][] // as printed above
    >;
    for (const path of paths) {
      const name = /bundle\/(.+)\.js$/.exec(entries[path]?.default ?? '')?.[1] ?? '';
      const entry = (await import(resolve(`dist/src/${name}.js`))) as Record<string, unknown>; // a module namespace
      const expected = Object.entries(entry).map(([key, value]) => [
        key,
        typeof value === 'function' ? value.name : typeof value,
      ]);
      assert.deepEqual(seen[path], expected, path);
    }
  });

  it('declares each entry in one file, with the values that its code exports', () => {
    const { exports: entries } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as {
      exports: Record<string, { readonly types: string; readonly default: string }>; // we define it ourselves
    };
    const declared = readdirSync(installed, { recursive: true, encoding: 'utf8' })
      .map((name) => name.replaceAll('\\', '/'))
      .filter((name) => name.endsWith('.d.ts') && !/^templates|\/bundle\/(?:types|preact)\//.test(name));
    const named = Object.values(entries).flatMap(({ types }) => types?.slice('./'.length) ?? []);
    assert.deepEqual(declared.toSorted(), [...new Set(named)].toSorted());
    for (const { types = '', default: file = '' } of Object.values(entries)) {
      if (types === '') continue;
      const namesIn = (path: string): readonly string[] =>
        [...readFileSync(join(installed, path), 'utf8').matchAll(/^export \{([^}]*)\}/gm)]
          .flatMap(([, list = '']) => list.split(',').map((one) => one.trim()))
          .filter((one) => one !== '' && !one.startsWith('type '))
          .map((one) => one.replace(/^.* as /, ''))
          .toSorted();
      const values = namesIn(file);
      // The code of a whole module that is an entry exports where it declares.
      if (!/^export (?!\{)/m.test(readFileSync(join(installed, file), 'utf8')))
        assert.deepEqual(namesIn(types), values, types);
    }
  });

  it('can be extended by `declare module`, from each entry for all others', () => {
    const routing = readFileSync('docs/reference/routing.md', 'utf8');
    const documented = /`(declare module 'lookback\/routing' \{.*\})`/.exec(routing)?.[1] ?? '';
    assert.match(documented, /RegisteredRoutes/);
    write(
      'extended.ts',
      `import { createApp, type App, type AppOptions, type CookieOptions } from 'lookback';
      import { defineRoutes } from 'lookback/routing';
      import type { AttachOptions as OfExpress } from 'lookback/express';
      import type { AttachOptions } from 'lookback/attach';
      const definitions = defineRoutes([{ name: 'home', path: '/' }, { name: 'note', path: '/notes/{id}' }]);
      ${documented}
      declare module 'lookback' {
        interface AppOptions { mine?: 'options' }
        interface CookieOptions { mine?: 'cookie' }
        interface HttpRequest { mine: 'request' }
      }
      declare module 'lookback/express' { interface AttachOptions { mine?: 'attach' } }
      const app: App = createApp({ mine: 'options' } satisfies AppOptions);
      export const right = [app.url('home'), app.url('note', { id: 1 }), ({ mine: 'cookie' }) satisfies CookieOptions];
      export const attach: [OfExpress, AttachOptions] = [{ mine: 'attach' }, { mine: 'attach' }];
      app.get('/links', ({ url, request }) => [url('home'), request.mine satisfies 'request']);
      // @ts-expect-error no such route
      app.url('nosuch');
      // @ts-expect-error a parameter is missing
      app.get('/note', ({ url }) => url('note'));
      `,
    );
    for (const [module, moduleResolution] of [
      ['node16', 'node16'],
      ['nodenext', 'nodenext'],
      ['esnext', 'bundler'],
    ] as const)
      run(
        resolve('node_modules/typescript/bin/tsc'),
        ...`--ignoreConfig --noEmit --strict --target es2022 --module ${module} --types node`.split(' '),
        '--moduleResolution',
        moduleResolution,
        '--typeRoots',
        resolve('node_modules/@types'),
        'extended.ts',
      );
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
        const problem = (await (
          await fetch(`${url}/broken`, { headers: { Accept: 'application/json' } })
        ).json()) as { debug: { exception: { frames: { kind: string; file: string }[] }[] } }; // the problem document
        const frames = problem.debug.exception.flatMap((error) => error.frames);
        const own = frames.filter((frame) => frame.file.includes('lookback'));
        assert.ok(own.length > 0);
        for (const frame of own) assert.match(frame.file, /^lookback\/src\/.+\.ts$/);
        for (const frame of own) assert.equal(frame.kind, 'library');
      } finally {
        const ended = new Promise((end) => child.once('exit', end));
        child.kill('SIGKILL');
        await ended;
      }
    });
  }

  it("lists an application's routes on the command line", () => {
    const listed = run('node_modules/lookback/dist/bundle/cli.js', 'routes', '--app', 'app.mjs');
    assert.match(listed, /hello\s+.*\/hello\/\{name\}/);
  });

  it("needs no types except Node's, and no other package for JSX", () => {
    write(
      'program.ts',
      "import { createApp } from 'lookback';\nexport const text: string = createApp().url('hello', { name: 'a' });\n",
    );
    write(
      'page.tsx',
      "import { renderDocument, type VNode } from 'lookback/html';\n" +
        'function Page({ name }: { name: string }): VNode { return <main class="a"><h1>{name}</h1><></></main>; }\n' +
        "export const page = renderDocument(<Page name=\"<Ada>\" />, { lang: 'en', title: 'A page' });\n",
    );
    const { exports: entries } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as {
      exports: object;
    }; // we define it ourselves
    // The types of these entries use those of the packages that they adapt.
    const adapters = [
      './package.json',
      './register',
      './persistence',
      './fastify',
      './koa',
      './hono',
      './h3',
      './nest',
    ];
    const names = Object.keys(entries).filter((path) => !adapters.includes(path));
    write(
      'entries.ts',
      names.map((path, at) => `export * as entry${at} from 'lookback${path.slice(1)}';\n`).join(''),
    );
    write(
      'tsconfig.json',
      JSON.stringify({
        compilerOptions: {
          strict: true,
          module: 'NodeNext',
          outDir: 'compiled',
          jsx: 'react-jsx',
          jsxImportSource: 'lookback',
          skipLibCheck: false,
          types: ['node'],
          typeRoots: [resolve('node_modules/@types')],
        },
        files: ['program.ts', 'page.tsx', 'entries.ts'],
      }),
    );
    symlinkSync(resolve('node_modules/@types'), join(folder, 'node_modules/@types'), 'junction');
    run(resolve('node_modules/typescript/bin/tsc'), '-p', '.');
    const page = run('--input-type=module', '-e', "console.log((await import('./compiled/page.js')).page)");
    assert.match(page, /<main class="a"><h1>&lt;Ada><\/h1><\/main>/);
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
