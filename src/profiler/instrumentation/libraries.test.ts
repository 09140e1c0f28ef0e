import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { describeVersions } from '#core/patches';
import { instrumentedFrameworks } from './frameworks.js';
import { describeSkipped, findLibraries, instrumentedLibraries, knownLibraries } from './libraries.js';

describe('recorded libraries', () => {
  it('are in the documentation with the supported versions and recorded facts', () => {
    const text = readFileSync('docs/guides/instrumentation.md', 'utf8');
    for (const { name, versions, records } of knownLibraries) {
      // Every Node version has the modules built into it; some libraries are recorded only by a call.
      if (name.startsWith('node:') || versions.length === 0) continue;
      const row = `| \`${name}\` | ${describeVersions(versions)} | ${records} |`;
      assert.ok(text.includes(row), row);
    }
  });

  it('only patch files of their own package or of one that was split from it', () => {
    for (const { name, modules = [], imports = [] } of [...instrumentedLibraries, ...instrumentedFrameworks])
      for (const { file, partOf } of [...modules, ...imports])
        assert.ok(file === name || partOf === name || file.startsWith(`${name}/`), `${file} of ${name}`);
  });

  it('are listed once each', () => {
    const names = knownLibraries.map(({ name }) => name);
    assert.deepEqual(names, [...new Set(names)]);
  });

  it('in a folder are found with their versions, and unsupported versions are named with the supported ones', () => {
    const folder = mkdtempSync(join(tmpdir(), 'libraries-'));
    const install = (name: string, version: string): void => {
      mkdirSync(join(folder, 'node_modules', name), { recursive: true });
      writeFileSync(join(folder, 'node_modules', name, 'package.json'), JSON.stringify({ version }));
    };
    install('pg', '9.0.0');
    install('@redis/client', '6.1.0');
    const { recorded, skipped } = findLibraries(folder);
    assert.deepEqual(recorded, ['@redis/client 6.1.0']);
    assert.deepEqual(skipped.map(describeSkipped), [
      'pg 9.0.0 is installed; its queries are not recorded: the recorded version is 8.x',
    ]);
  });
});
