import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, describe, it } from 'node:test';
import { plain } from '../../test/profiler/plain-record.js';
import { runCli } from './run-cli.js';

const folder = mkdtempSync(join(tmpdir(), 'lookback-cli-'));
const file = join(folder, 'app.mjs');
writeFileSync(
  file,
  `import { createRoutes } from ${JSON.stringify(resolve('dist/src/core/routing.js'))};
import { createApp } from ${JSON.stringify(resolve('dist/src/framework/app.js'))};
import { createSecurity } from ${JSON.stringify(resolve('dist/src/framework/security.js'))};
import { withSchemas } from ${JSON.stringify(resolve('dist/src/framework/controller.js'))};
function showBlog() {}
const schema = { '~standard': { version: 1, vendor: 'own', validate: (value) => ({ value }) } };
export const app = () => ({ routes: createRoutes([
  { name: 'blog', path: '/blog/{slug}', methods: 'GET', target: showBlog },
  { name: 'blog_new', path: '/blog/new', methods: 'GET', target: showBlog },
  { name: 'home', path: '/', target: { controller: () => 'home', location: () => ({ file: 'src/pages.ts', line: 7 }) } },
]) });
export const good = { routes: createRoutes([{ name: 'home', path: '/', target: showBlog }]) };
export const slow = { routes: createRoutes([{ name: 'slow', path: '/{x<(?:a+)+>}', target: showBlog }]) };
export const odd = { routes: createRoutes([
  { name: 'odd', path: '/odd', methods: 'POST', target: withSchemas({ body: schema }, () => 1) },
]) };
const guardedBy = (accessControl) => createApp({
  configuration: { env: 'test', profilerStore: 'off' },
  security: createSecurity({ firewalls: [{ name: 'main' }], accessControl }),
  routes: [{ name: 'users', path: '/admin/users/{id}', methods: 'POST', controller: showBlog }],
});
const admins = { path: /^\\/admin/, allow: 'ROLE_ADMIN' };
export const covered = () => guardedBy([{ path: /^\\/(?:admin|x)(?=\\/users)/, allow: 'PUBLIC_ACCESS' }, admins]);
export const ordered = () => guardedBy([admins, { path: /^\\/(?:admin|x)/, allow: 'PUBLIC_ACCESS' }, { path: '/', allow: 'PUBLIC_ACCESS' }]);
export const refused = () => guardedBy([{ path: '/', allow: 'PUBLIC_ACCESS' }, { path: '/admin', allow: 'ROLE_ADMIN' }]);
export const nothing = 1;
`,
);
after(() => rmSync(folder, { recursive: true }));

async function run(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  let [out, err] = ['', ''];
  const code = await runCli(args, { out: (text) => (out += text), err: (text) => (err += text) });
  return { code, out, err };
}

describe('lookback routes', () => {
  it('lists routes as a table and as JSON', async () => {
    const table = await run('routes', '--app', file);
    assert.equal(table.code, 0);
    assert.match(table.out, /^Name +Method +Host +Path +Controller\n-+/);
    assert.match(table.out, /\nblog +GET +ANY +\/blog\/\{slug\} +showBlog\n/);
    assert.match(
      table.out,
      /\nhome +ANY +ANY +\/ +\S*src.pages\.ts:7\n/,
      'a route without a controller name shows its location',
    );
    const { out } = await run('routes', '--app', file, '--json');
    assert.deepEqual(
      (JSON.parse(out) as { Name: string }[]).map((row) => row.Name),
      ['blog', 'blog_new', 'home'],
    );
  });

  it('shows one route, or those whose names contain the text', async () => {
    assert.match((await run('routes', 'home', '--app', file)).out, /Condition *\nPriority +0\n/);
    assert.match((await run('routes', 'log_n', '--app', file)).out, /Path +\/blog\/new\n/);
    assert.match((await run('routes', 'o', '--app', file)).out, /^Name +Method/);
    const unknown = await run('routes', 'xyz', '--app', file);
    assert.deepEqual([unknown.code, unknown.err], [1, 'The route "xyz" does not exist.\n']);
  });

  it('matches a path and explains why other routes did not match', async () => {
    assert.equal((await run('routes', 'match', '/blog/a%20b?x=1', '--app', file)).code, 0);
    const wrong = await run('routes', 'match', '/blog/x', '--method', 'post', '--app', file);
    assert.equal(wrong.code, 1);
    assert.match(wrong.out, /almost +method "POST" is not one of GET\n/);
    assert.match(
      (await run('routes', 'match', '/blogg/x', '--app', file)).out,
      /Did you mean \/blog\/\{slug\} \(blog\)\?/,
    );
    assert.equal((await run('routes', 'match', '/%zz', '--app', file)).code, 2);
    const surplus = await run('routes', 'match', '/', '/blog', '--app', file);
    assert.match(surplus.err, /"\/blog" is one argument too many\.\nUsage: lookback routes/);
    assert.equal(surplus.code, 2);
  });

  it('says where localized routing redirects a path without a route', async () => {
    const shop = join(folder, 'shop.js');
    const own = (name: string): string => new URL(`../${name}.js`, import.meta.url).href;
    writeFileSync(
      shop,
      `import { createApp } from '${own('index')}';
      import { createLocale } from '${own('locale')}';
      const locale = createLocale({ enabled: ['de', 'en'] });
      export const app = createApp({ locale, configuration: { profilerStore: 'off' } });
      app.get('/{_locale}/products', () => 'products');`,
    );
    const match = async (path: string): Promise<string> =>
      (await run('routes', 'match', path, '--app', shop)).out;
    assert.match(
      await match('/products?page=2'),
      /GET \/products: redirect to \/de\/products\?page=2, or to the/,
    );
    assert.match(await match('/de/products'), /GET \/de\/products: match\n/);
    assert.match(await match('/prices'), /GET \/prices: not-found\n/);
  });

  it('reports lint findings', async () => {
    const { code, out } = await run('routes', '--lint', '--app', file);
    assert.equal(code, 1);
    assert.match(out, /error +shadowed +blog_new/);
    assert.deepEqual(await run('routes', '--lint', '--app', `${file}#good`), {
      code: 0,
      out: '1 routes, nothing found.\n',
      err: '',
    });
  });

  it('lints access rules: one that never decides is an error, and so is one that can never apply', async () => {
    const covered = await run('routes', '--lint', '--app', `${file}#covered`);
    assert.equal(covered.code, 1);
    assert.match(
      covered.out,
      /error +access-rule +users +\/admin\/users\/id +The access rule 2 \(path .*never decides/,
    );
    const refused = await run('routes', '--lint', '--app', `${file}#refused`);
    assert.equal(refused.code, 1);
    assert.match(refused.out, /error +access-rule .*access rule 2 \(path \/admin\) can never apply/);
    const ordered = await run('routes', '--lint', '--app', `${file}#ordered`);
    assert.deepEqual(
      [ordered.code, ordered.out.includes('access-rule')],
      [1, true],
      'the second access rule never applies',
    );
  });

  it('lints requirements for slow matching with the recheck package, or says how to install it', async () => {
    const { code, out, err } = await run('routes', '--lint', '--app', `${file}#slow`);
    assert.deepEqual([code, err], [1, '']);
    assert.match(out, /error +slow-requirement +slow .*time that grows exponentially/);
    const before = process.cwd();
    process.chdir(folder);
    try {
      const without = await run('routes', '--lint', '--app', `${file}#slow`);
      assert.deepEqual([without.code, without.out], [0, '1 routes, nothing found.\n']);
      assert.match(without.err, /not checked for slow matching: run "npm install --save-dev recheck"/);
      assert.equal((await run('routes', '--lint', '--app', `${file}#good`)).err, '');
    } finally {
      process.chdir(before);
    }
  });

  it('finds the application by package.json, then by usual names, from any folder below', async () => {
    const project = join(folder, 'project');
    const below = join(project, 'src', 'deep');
    mkdirSync(below, { recursive: true });
    mkdirSync(join(project, 'dist'));
    const before = process.cwd();
    const listed = async (): Promise<string> => {
      process.chdir(below);
      try {
        const { out, err } = await run('routes');
        return out === '' ? err : out;
      } finally {
        process.chdir(before);
      }
    };
    writeFileSync(join(project, 'package.json'), '{}');
    const nothing = await listed();
    assert.match(nothing, /^No application was found: .*project\/package.json has no "lookback": /);
    assert.match(nothing, /dist\/app\.js, .*src\/app\.mjs.* in .*project\. /);
    copyFileSync(file, join(project, 'src/app.mjs'));
    assert.match(await listed(), /\nblog_new /);
    writeFileSync(join(project, 'dist/routes.mjs'), `export { good } from ${JSON.stringify(file)};`);
    writeFileSync(join(project, 'package.json'), '{"lookback":{"app":"dist/routes.mjs#good"}}');
    assert.doesNotMatch(await listed(), /blog_new/);
    writeFileSync(join(project, 'package.json'), '{"lookback":{"app":"dist/gone.js"}}');
    assert.match(await listed(), /There is no file .*dist\/gone.js \(compile first\?\)/);
  });

  it('loads a module with JSX through tsx, even if Node runs TypeScript by itself', () => {
    const project = join(folder, 'with-jsx');
    mkdirSync(join(project, 'node_modules'), { recursive: true });
    writeFileSync(join(project, 'package.json'), '{"type":"module"}');
    symlinkSync(resolve('node_modules/tsx'), join(project, 'node_modules/tsx'), 'junction');
    writeFileSync(
      join(project, 'app.tsx'),
      `export { good } from ${JSON.stringify(file)}; const h = String; export const x = () => <b />;`,
    );
    const script = `Object.defineProperty(process.features, 'typescript', { value: 'strip' });
      const { runCli } = await import(${JSON.stringify(new URL('../cli.js', import.meta.url).href)});
      const write = (text) => process.stdout.write(text);
      process.exit(await runCli(['routes', '--app', 'app.tsx#good'], { out: write, err: write }));`;
    const words = ['--input-type=module', '-e', script];
    const { stdout } = spawnSync(process.execPath, words, { cwd: project, encoding: 'utf8' });
    assert.match(stdout, /^home +ANY/m);
  });

  it("starts no server if the application's module serves as soon as it is loaded", async () => {
    const serving = join(folder, 'serving.mjs');
    const framework = new URL('../framework/app.js', import.meta.url).href;
    writeFileSync(
      serving,
      `import { createApp, serve } from ${JSON.stringify(framework)};
      export const buildApp = () => createApp();
      await serve(() => { globalThis.hasServed = true; throw new Error('served'); });`,
    );
    const { code, err } = await run('--app', `${serving}#buildApp`, 'tidy');
    assert.equal(code, 2);
    assert.match(err, /^FRAMEWORK_SERVED_BY_COMMAND: [\s\S]*Move serve\(\) to a separate file/);
    assert.equal(Reflect.has(globalThis, 'hasServed'), false);
  });

  it("fits the terminal's width, and cuts paths in the middle", async () => {
    const long = join(folder, 'long.mjs');
    const routes = `[{ name: 'long', path: '/${'part/'.repeat(30)}end', target: () => 1 }, { name: '_profiler_list', path: '/_profiler/' }]`;
    writeFileSync(
      long,
      `import { createRoutes } from ${JSON.stringify(resolve('dist/src/core/routing.js'))};\nexport const app = { routes: createRoutes(${routes}) };`,
    );
    let text = '';
    await runCli(['routes', '--app', long], {
      out: (line) => (text += line),
      err: () => undefined,
      columns: 80,
    });
    for (const line of text.split('\n')) assert.ok(line.length <= 80, line);
    assert.match(text, /\/part\/[^ ]*…[^ ]*\/end/);
    assert.match(text, /\nand 1 route of the profiler: lookback routes _profiler\n$/);
    assert.match(
      (await run('routes', '--app', long)).out,
      /(?:part\/){30}end/,
      'output to a pipe is not shortened',
    );
  });

  it('reports commands it cannot run', async () => {
    for (const args of [
      ['--app', file, 'what'],
      ['routes', '--app', 'none.js'],
      ['routes', '--app', `${file}#nothing`],
      ['routes', 'a', 'b'],
      ['routes', '--what'],
    ]) {
      const { code, err } = await run(...args);
      assert.equal(code, 2);
      assert.match(err, /"lookback --help"|"lookback routes --help"|Usage: lookback routes/);
    }
    for (const args of [
      ['help'],
      ['-h'],
      ...['new', 'dev', 'routes', 'openapi'].map((name) => [name, '--help']),
    ]) {
      const { code, out, err } = await run(...args);
      assert.deepEqual([code, err], [0, ''], args.join(' '));
      assert.match(out, /^Usage: lookback/);
    }
    assert.match(
      (await run('new', '--help')).out,
      /^Usage: lookback new \[name\][\s\S]*--kind +api or pages/,
    );
    assert.match(
      (await run('--app', file, 'recrods')).err,
      /^There is no command "recrods"\. Did you mean "lookback records"\?\nAn application may have it:\n/,
    );
    const workingFolder = process.cwd();
    process.chdir(mkdtempSync(join(folder, 'empty-'))); // where no application is found
    try {
      assert.deepEqual(await run('recods'), {
        code: 2,
        out: '',
        err: 'There is no command "recods". Did you mean "lookback records"?\n',
      });
    } finally {
      process.chdir(workingFolder);
    }
    assert.doesNotMatch((await run('routes', '--what')).err, /There is no command/);
    for (const asked of ['--version', '-v']) assert.match((await run(asked)).out, /^\d+\.\d+\.\d+\S*\n$/);
    const unwritable = await run('openapi', '--app', file, '--out', join(file, 'openapi.json'));
    assert.deepEqual([unwritable.code, unwritable.err.split(':')[0]], [2, 'The document cannot be written']);
    const { code, out } = await run('--app', file, 'run', '--help');
    assert.deepEqual([code, out], [0, 'The application has no commands.\n']);
  });

  it("openapi prints an application's document, and reports undescribed parts on stderr", async () => {
    const { code, out, err } = await run('openapi', '--app', file);
    const { openapi, paths } = JSON.parse(out) as { openapi: string; paths: object }; // a document
    assert.match(openapi, /^3\.1/);
    assert.ok('/blog/{slug}' in paths, out);
    assert.deepEqual([code, err], [0, '']);
    const odd = await run('openapi', '--app', `${file}#odd`);
    assert.equal(odd.code, 1);
    assert.match(odd.err, /^odd\.body: this own schema cannot be converted to JSON Schema\..*\n$/);
    assert.ok('/odd' in (JSON.parse(odd.out) as { paths: object }).paths); // a document
  });
});

describe('lookback new', () => {
  const namesIn = (path: string): string[] => readdirSync(path, { recursive: true, encoding: 'utf8' });
  const manifestOf = (path: string): Manifest =>
    JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')) as Manifest; // from our template
  interface Manifest {
    readonly name: string;
    readonly dependencies: Readonly<Record<string, string>>;
  }

  it('writes an application with its name, the packages it needs, and the next steps', async () => {
    const path = join(folder, 'my-api');
    const { code, out } = await run('new', path);
    assert.equal(code, 0);
    const names = namesIn(path);
    const count = names.filter((name) => statSync(join(path, name)).isFile()).length;
    assert.ok(
      out.startsWith(
        `${count} files are in ${path}: a JSON API on SQLite.\n\n  cd ${path}\n  npm install\n  npm test`,
      ),
    );
    assert.doesNotMatch(out, /docker/);
    for (const name of ['.gitignore', 'package.json', 'tsconfig.json']) assert.ok(names.includes(name), name);
    assert.ok(names.some((name) => name.endsWith('.test.ts')));
    assert.ok(!names.some((name) => /(?:^|\/)(?:_|dot-)|_test/.test(name)), names.join());
    const { name, dependencies } = manifestOf(path);
    assert.equal(name, 'my-api');
    assert.ok(dependencies['@mikro-orm/libsql'] !== undefined && dependencies['lookback'] !== undefined);
    assert.deepEqual(Object.keys(dependencies), Object.keys(dependencies).toSorted());
    for (const one of names.filter((file) => statSync(join(path, file)).isFile()))
      assert.doesNotMatch(
        readFileSync(join(path, one), 'utf8'),
        /\{\{(?:name|version|database|startDatabase|copyPackage|source)\}\}/,
      );
  });

  it('writes pages on PostgreSQL as well, with a database with that name', async () => {
    const path = join(folder, 'my.site-2');
    const { out } = await run('new', path, '--kind=pages', '--database', 'postgres');
    assert.match(out, /: pages on PostgreSQL\.\n[^]*docker compose up --wait/);
    assert.match(
      readFileSync(join(path, 'README.md'), 'utf8'),
      /npm install\ndocker compose up --wait .*\nnpm test/,
    );
    assert.ok(existsSync(join(path, 'compose.yaml')));
    assert.match(readFileSync(join(path, 'src/database.ts'), 'utf8'), /:5432\/my_site_2'/);
    const pages = readFileSync(join(path, 'src/note-pages.ts'), 'utf8');
    assert.doesNotMatch(pages, /(?:href|action)="\//, 'links are generated, so that they work below a path');
    assert.ok(manifestOf(path).dependencies['@mikro-orm/postgresql'] !== undefined);
  });

  it('writes nothing for a non-empty folder, an invalid name or an unknown choice', async () => {
    const full = join(folder, 'full');
    mkdirSync(full);
    assert.equal((await run('new', full)).code, 0, 'an empty folder is accepted');
    for (const [args, problem] of [
      [[full], /full/],
      [[join(folder, 'Bad Name')], /Bad Name/],
      [[], /Name the folder of the new application/],
      [[join(folder, 'x'), '--kind', 'site'], /--kind is api or pages, not "site"/],
      [[join(folder, 'x'), '--database', 'mysql'], /--database is sqlite or postgres, not "mysql"/],
    ] as const) {
      const { code, err } = await run('new', ...args);
      assert.notEqual(code, 0);
      assert.match(err, problem);
    }
    assert.equal(existsSync(join(folder, 'x')), false);
  });
});

describe('lookback doctor', () => {
  it('reports what is recorded, where, who may see it, and any problems', async () => {
    const { code, out } = await run('doctor', '--store', `sqlite:${join(folder, 'none.db')}`);
    assert.equal(code, 1);
    assert.match(out, /^✓ versions +lookback \S+ on Node \d+/);
    assert.match(out, /\n. recording +o(?:n|ff): /);
    assert.match(out, /\n✓ readable by +browsers on this machine/);
    assert.match(out, /\n! store +sqlite:\S*none\.db: /);
    assert.match(out, /\n✓ packages .*\bpg 8\.\S+.*: all fit\n/);
    assert.match(out, /\n✓ libraries .*\bpg 8\.\S+.*: installed here, in versions that are recorded\n$/);
    const json = await run('doctor', '--json', '--store', `sqlite:${join(folder, 'none.db')}`);
    const lines = json.out.trimEnd().split('\n');
    const findings = lines.map((line) => JSON.parse(line) as { topic: string; isProblem: boolean }); // as the command prints them
    assert.deepEqual(
      findings.filter(({ isProblem }) => isProblem).map(({ topic }) => topic),
      ['store'],
    );
    assert.equal(json.code, 1);
  });

  it('says that in-memory records cannot be read from here, reads record files, and shows no password', async () => {
    const memory = await run('doctor', '--store', 'memory:');
    assert.equal(memory.code, 1);
    assert.match(
      memory.out,
      /\n! store +The store is "memory:": records in memory cannot be read from another process/,
    );
    writeFileSync(join(folder, 'records.jsonl'), '');
    const file = await run('doctor', '--store', join(folder, 'records.jsonl'));
    assert.match(file.out, /records\.jsonl is not a record file: it is empty/);
    const server = await run('doctor', '--store', 'postgres://ada:hunter2@127.0.0.1:2/none');
    assert.match(server.out, /\n! store +postgres:\/\/ada@127\.0\.0\.1:2\/none: /);
    assert.doesNotMatch(server.out, /hunter2/);
  });

  it('names the proxies that requests came through, and says that TRUSTED_PROXIES is missing', async () => {
    const proxied = [['X-Forwarded-For', 'Via'], ['via', 'Host'], []].map((names) => ({
      ...plain,
      request: { ...plain.request, headers: names.map((name) => [name, '10.0.0.1']) },
    }));
    const path = join(folder, 'proxied.jsonl');
    writeFileSync(path, proxied.map((one) => `${JSON.stringify(one)}\n`).join(''));
    const seen =
      /proxy +requests came through one \(x-forwarded-for, via\), behind which the profiler is closed; /;
    const before = process.env['TRUSTED_PROXIES'];
    delete process.env['TRUSTED_PROXIES'];
    const { out, code } = await run('doctor', '--store', path);
    assert.match(out, new RegExp(`\n! ${seen.source}set TRUSTED_PROXIES to its address`));
    assert.match(out, /\n✓ store +\S+proxied\.jsonl, newest record 1970-01-01/);
    process.env['TRUSTED_PROXIES'] = '10.0.0.1';
    const trusting = await run('doctor', '--store', path);
    assert.match(trusting.out, new RegExp(`\n✓ ${seen.source}TRUSTED_PROXIES is 10\\.0\\.0\\.1\n`));
    writeFileSync(path, JSON.stringify(plain));
    const direct = await run('doctor', '--store', path);
    assert.match(direct.out, /\n✓ proxy +none seen in the last 1 requests\n/);
    if (before === undefined) delete process.env['TRUSTED_PROXIES'];
    else process.env['TRUSTED_PROXIES'] = before;
    assert.equal(code, 1);
  });

  it('wraps lines between words at the terminal width, indented to the text', async () => {
    let text = '';
    await runCli(['doctor', '--store', 'sqlite:none.db'], {
      out: (line) => (text += line),
      err: () => undefined,
      columns: 60,
    });
    for (const line of text.split('\n')) assert.ok(line.length <= 60 || !line.slice(16).includes(' '), line);
    assert.match(text, /\n {15}\S/);
    assert.match(text.replace(/\s+/g, ' '), /: installed here, in versions that are recorded $/);
  });
});
