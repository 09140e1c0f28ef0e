import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { freePort } from '../free-port.js';
import type { TestPostgres } from '../persistence/start-postgres.js';
import { startPostgres } from '../persistence/start-postgres.js';
import { packOnce } from '../pack-once.js';
import type { PackedPackage } from './packed-package.js';
import { homeEnvironment, isThere, unpackPackage } from './packed-package.js';

const tsc = resolve('node_modules/typescript/bin/tsc');
const mikroOrm = resolve('node_modules/@mikro-orm/cli/cli.js');

interface Manifest {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly scripts: Readonly<Record<string, string>>;
}

describe('lookback new', () => {
  let packed: PackedPackage;
  let postgres: TestPostgres;
  before(async () => {
    packed = unpackPackage();
    postgres = await startPostgres();
  });
  after(async () => {
    packed.remove();
    await postgres.stop();
  });

  const manifest = (file: string): Manifest => JSON.parse(readFileSync(file, 'utf8')) as Manifest; // npm's format
  const create = (...words: string[]): string => {
    const run = packed.run(packed.folder, [packed.cli, 'new', ...words]);
    assert.equal(run.status, 0, run.output);
    return run.output;
  };

  // Covers each kind and each database once, because they consist of separate folders.
  for (const [kind, database] of [
    ['api', 'sqlite'],
    ['pages', 'postgres'],
  ] as const)
    it(`${kind} on ${database}: compiles strictly, and its own tests pass without output or record files`, () => {
      const name = `my-${kind}-${database}`;
      const said = create(name, '--kind', kind, '--database', database);
      assert.match(said, /npm install[\s\S]*npm test[\s\S]*npm run dev/);
      const folder = join(packed.folder, name);
      for (const file of ['.gitignore', '.dockerignore', '.env.example', 'Dockerfile', 'README.md'])
        assert.ok(isThere(folder, file), file);
      mkdirSync(join(folder, 'dist/test'), { recursive: true });
      writeFileSync(join(folder, 'dist/test/renamed.test.js'), 'throw new Error("of a file that is gone");');
      const { scripts } = manifest(join(folder, 'package.json'));
      assert.match(scripts['test'] ?? '', /^npm run --silent build && node .*--test/);
      const [, clean = ''] = /^node -e "([^"]+)" && tsc$/.exec(scripts['build'] ?? '') ?? [];
      assert.equal(packed.run(folder, ['-e', clean]).status, 0);
      const compiled = packed.run(folder, [tsc]);
      assert.equal(compiled.status, 0, compiled.output);
      const tests = readdirSync(join(folder, 'dist/test')).filter((file) => file.endsWith('.test.js'));
      assert.equal(tests.length, 1);
      const run = packed.run(
        folder,
        ['--enable-source-maps', '--test', ...tests.map((file) => `dist/test/${file}`)],
        {
          TEST_DATABASE_URL: `postgres://postgres:postgres@127.0.0.1:${postgres.port}/postgres`,
        },
      );
      assert.equal(run.status, 0, run.output);
      assert.match(run.output, /^(?:#|ℹ) pass [3-9]/m);
      assert.doesNotMatch(run.output, /profiler|WARNING|ERROR|migrator/);
      assert.ok(!isThere(folder, 'var'), 'tests leave no files behind');
    });

  it('uses only versions that this package is tested with', () => {
    const own = manifest('package.json');
    assert.equal(own.version, manifest(join(packed.folder, 'node_modules/lookback/package.json')).version);
    const ours: Readonly<Record<string, string>> = {
      ...own.dependencies,
      ...own.devDependencies,
      lookback: `file:vendor/lookback-${own.version}.tgz`, // this package comes from no registry
    };
    for (const name of ['my-api-sqlite', 'my-pages-postgres']) {
      const { dependencies, devDependencies } = manifest(join(packed.folder, name, 'package.json'));
      for (const [dependency, version] of Object.entries({ ...dependencies, ...devDependencies }))
        assert.equal(version, ours[dependency], dependency);
    }
    assert.ok('zod' in manifest(join(packed.folder, 'my-api-sqlite/package.json')).dependencies);
    assert.ok(
      '@mikro-orm/postgresql' in manifest(join(packed.folder, 'my-pages-postgres/package.json')).dependencies,
    );
  });

  it('contains the complete package that created it, and copies it into its image before npm installs', () => {
    const folder = join(packed.folder, 'my-api-sqlite');
    const { version } = manifest('package.json');
    const list = (file: string): string[] =>
      execFileSync('tar', ['-tzf', file], { encoding: 'utf8' }).trim().split('\n').toSorted();
    assert.deepEqual(list(join(folder, `vendor/lookback-${version}.tgz`)), list(packOnce().path));
    assert.match(
      readFileSync(join(folder, 'Dockerfile'), 'utf8'),
      /^COPY package\*\.json \.\/\nCOPY vendor \.\/vendor\nRUN npm ci$/m,
    );
    assert.doesNotMatch(readFileSync(join(folder, '.dockerignore'), 'utf8'), /vendor|tgz/);
  });

  it("uses only the version if the package came from a registry, according to npm or the project's manifest", () => {
    const modules = join(packed.folder, 'node_modules');
    const note = join(modules, '.package-lock.json');
    const project = join(packed.folder, 'package.json');
    const { version } = manifest('package.json');
    const resolved = `https://registry.npmjs.org/lookback/-/lookback-${version}.tgz`;
    const noted = (where: string): string =>
      JSON.stringify({ packages: { 'node_modules/lookback': { resolved: where } } });
    const depending = (range: string): string => JSON.stringify({ dependencies: { lookback: range } });
    for (const [at, [file, text, isLocal]] of [
      [note, noted(resolved), false] as const,
      [note, noted('file:../lookback.tgz'), true] as const,
      [project, depending('^0.1.0'), false] as const,
      [project, depending('latest'), false] as const,
      [project, depending('link:../lookback'), true] as const,
      [project, depending('github:someone/lookback'), true] as const,
    ].entries()) {
      writeFileSync(file, text);
      // Replaces npm, which takes seconds to pack the package: here it only matters that npm is called.
      const run = packed.run(packed.folder, [packed.cli, 'new', `from-${at}`], { PATH: '' });
      rmSync(file);
      const made = join(packed.folder, `from-${at}`);
      assert.equal(isThere(made, 'vendor'), false, text);
      if (isLocal) {
        assert.match(run.output, /CLI_PACKAGE_NOT_PACKED/, text);
        continue;
      }
      assert.equal(run.status, 0, run.output);
      assert.equal(manifest(join(made, 'package.json')).dependencies['lookback'], version, text);
      assert.doesNotMatch(readFileSync(join(made, 'Dockerfile'), 'utf8'), /vendor/, text);
    }
  });

  it('has commands that run and revert compiled migrations, and create and run a TypeScript one', () => {
    const folder = join(packed.folder, 'my-api-sqlite');
    const commandOf =
      (env: Readonly<Record<string, string>>, ...options: string[]) =>
      (...words: string[]): string => {
        const run = packed.run(folder, [...options, mikroOrm, ...words], {
          ...env,
          DATABASE_FILE: 'var/commands.db',
        });
        assert.equal(run.status, 0, run.output);
        return run.output;
      };
    const ofCompiled = commandOf({ MIKRO_ORM_CLI_CONFIG: 'dist/src/mikro-orm.config.js' });
    assert.match(ofCompiled('migration:pending'), /Migration20260101000000_create_notes/);
    assert.match(ofCompiled('migration:up'), /Successfully migrated up/);
    assert.match(ofCompiled('migration:down'), /Successfully migrated down/);

    assert.match(
      manifest(join(folder, 'package.json')).scripts['db'] ?? '',
      /^node --import tsx node_modules\/@mikro-orm\/cli\/cli\.js$/,
    );
    const command = commandOf({}, '--import', 'tsx');
    assert.match(command('migration:up'), /Successfully migrated up/);
    const schema = join(folder, 'src/note.ts');
    const text = readFileSync(schema, 'utf8');
    writeFileSync(
      schema,
      text.replace(
        "text: { type: 'text' },",
        "text: { type: 'text' },\n    author: { type: 'string', nullable: true },",
      ),
    );
    const [, written = ''] =
      /(Migration\d+_add_author)\.ts/.exec(command('migration:create', '--name', 'add_author')) ?? [];
    const migration = readFileSync(join(folder, `src/migrations/${written}.ts`), 'utf8');
    assert.match(migration, /alter table \\`note\\` add column \\`author\\`/);
    assert.equal(migration.match(/addSql\(/g)?.length, 1, 'the migration changes nothing else');
    assert.match(command('migration:up'), /Successfully migrated up/);
    assert.match(command('migration:list'), new RegExp(`create_notes[^]*${written}`));
    writeFileSync(schema, text);
    rmSync(join(folder, `src/migrations/${written}.ts`));
  });

  it('has routes with their source locations, even in TypeScript compiled on load', () => {
    const folder = join(packed.folder, 'my-api-sqlite');
    const lines = readFileSync(join(folder, 'src/notes.ts'), 'utf8').split('\n');
    const declared = lines.flatMap((line, at) =>
      /^ {2}app\.(?:get|post|put|delete)\($/.test(line) ? [at + 1] : [],
    );
    const { output } = packed.run(folder, [packed.cli, 'routes'], { LOOKBACK_APP: 'src/app.ts#buildApp' });
    assert.match(output, /note_add/);
    assert.deepEqual(
      [...output.matchAll(/src\/notes\.ts:(\d+)/g)].map(([, line]) => Number(line)),
      declared,
      output,
    );
  });

  it(
    'runs as its Dockerfile starts it, is healthy whichever hosts are trusted, and exits with 0 on SIGTERM',
    { skip: process.platform === 'win32' },
    async () => {
      const folder = join(packed.folder, 'my-api-sqlite');
      const dockerfile = readFileSync(join(folder, 'Dockerfile'), 'utf8');
      const wordsOf = (instruction: string): string[] =>
        JSON.parse(new RegExp(`${instruction} (\\[.*\\])$`, 'm').exec(dockerfile)?.[1] ?? '[]') as string[]; // a JSON array of strings
      const [, variables = ''] = /^ENV (.*)$/m.exec(dockerfile) ?? [];
      mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true });
      symlinkSync(mikroOrm, join(folder, 'node_modules/.bin/mikro-orm'));
      chmodSync(mikroOrm, 0o755); // as npm does
      const env = homeEnvironment({
        ...Object.fromEntries(variables.split(' ').map((pair) => pair.split('='))),
        PORT: String(await freePort()),
        TRUSTED_HOSTS: 'shop.example.org',
      });
      const [shell = '', ...words] = wordsOf('^CMD');
      const server = spawn(shell, words, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
      let said = '';
      await new Promise<void>((resolveStart, reject) => {
        server.once('exit', () => reject(new Error(said)));
        const hear = (chunk: Buffer): void => {
          said += chunk.toString();
          // Output from two streams, which arrives in any order.
          if (['lookback serves at', 'migrated up'].every((words) => said.includes(words))) resolveStart();
        };
        server.stdout.on('data', hear);
        server.stderr.on('data', hear);
      });
      const [, ...check] = wordsOf('^HEALTHCHECK CMD');
      assert.equal(spawnSync(process.execPath, check, { env }).status, 0);
      const ended = new Promise((end) => server.once('exit', end));
      server.kill('SIGTERM');
      assert.equal(await ended, 0);
    },
  );

  it('refuses to start with an invalid variable, and names it and the allowed values', () => {
    const folder = join(packed.folder, 'my-pages-postgres');
    const run = packed.run(folder, ['dist/src/main.js'], {
      DATABASE_URL: 'mysql://root:hunter2@localhost/x',
    });
    assert.equal(run.status, 1);
    assert.match(run.output, /DATABASE_URL must be a postgres: URL/);
    assert.doesNotMatch(run.output, /hunter2/);
  });

  it('refuses a non-empty folder, an invalid name and an unknown choice', () => {
    mkdirSync(join(packed.folder, 'full'));
    writeFileSync(join(packed.folder, 'full/kept.txt'), 'mine');
    for (const [words, expected] of [
      [['full'], /CLI_FOLDER_NOT_EMPTY/],
      [['My App'], /CLI_BAD_PROJECT_NAME/],
      [['x', '--kind', 'cli'], /--kind is api or pages, not "cli"/],
      [['x', '--database', 'mysql'], /--database is sqlite or postgres/],
      [[], /Name the folder/],
      [['a', 'b'], /"b" is one argument too many/],
      [['x', '--nix'], /nix/],
    ] as const) {
      const run = packed.run(packed.folder, [packed.cli, 'new', ...words]);
      assert.equal(run.status, 2, run.output);
      assert.match(run.output, expected);
    }
    assert.deepEqual(readdirSync(join(packed.folder, 'full')), ['kept.txt']);
    assert.ok(!isThere(packed.folder, 'x'));
  });
});
