import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';

/** The non-optional dependencies. */
const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  dependencies?: Record<string, string>; // as in every package.json
};

describe('an installation without the optional packages', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lookback-bare-'));
  before(() => {
    cpSync('package.json', join(folder, 'package.json'));
    cpSync('dist/bundle', join(folder, 'dist/bundle'), {
      recursive: true,
      filter: (path) => !/\.(?:map|d\.ts)$/.test(path),
    });
    for (const name of Object.keys(dependencies ?? {})) {
      const location = join(folder, 'node_modules', name);
      mkdirSync(dirname(location), { recursive: true });
      symlinkSync(resolve('node_modules', name), location, 'junction');
    }
  });
  after(() => rmSync(folder, { recursive: true }));

  /** A script's error, as JSON. */
  function failureOf(script: string): { code?: string; message?: string; fix?: string } {
    const code = `try { ${script} } catch ({ code, message, fix }) { console.log(JSON.stringify({ code, message, fix })); }`;
    const run = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
      cwd: folder,
      encoding: 'utf8',
    });
    assert.equal(run.status, 0, run.stderr);
    return run.stdout === '' ? {} : (JSON.parse(run.stdout) as ReturnType<typeof failureOf>); // printed above
  }

  it('reports the package that persistence needs, and the command that installs it', () => {
    const failure = failureOf("await import('lookback/persistence');");
    assert.equal(failure.code, 'PERSISTENCE_NO_ORM');
    assert.match(failure.message ?? '', /MikroORM, which could not be loaded/);
    assert.match(failure.fix ?? '', /npm install @mikro-orm\/core@6 @mikro-orm\/libsql@6/);
  });

  it('reports the package that argon2id needs, and hashes with scrypt by default', () => {
    const failure = failureOf(`const { createPasswords } = await import('lookback/security');
      await createPasswords().check('$argon2id$v=19$m=64,t=1,p=1$AAAAAAAAAAA$AAAAAAAAAAA', 'secret');`);
    assert.equal(failure.code, 'SECURITY_HASHER_UNAVAILABLE');
    assert.match(failure.fix ?? '', /npm install @node-rs\/argon2/);
    assert.deepEqual(
      failureOf(`const { createPasswords } = await import('lookback/security');
        const hash = await createPasswords().hash('secret');
        if (!hash.startsWith('$scrypt')) throw new Error(hash);`),
      {},
    );
  });

  it('needs them nowhere else', () => {
    for (const entry of [
      'lookback',
      'lookback/routing',
      'lookback/locale',
      'lookback/security',
      'lookback/profiler',
    ])
      assert.deepEqual(failureOf(`await import('${entry}');`), {}, entry);
  });
});
