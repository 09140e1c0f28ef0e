import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';

function* sources(folder: string): Generator<string> {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) yield* sources(path);
    else if (/\.tsx?$/.test(name) && !/\.test\.tsx?$/.test(name)) yield path;
  }
}

describe('persistence is optional', () => {
  it('nothing else loads MikroORM, which takes seconds and may not be installed', () => {
    const loads = [...sources('src')]
      .filter((file) => !file.startsWith('src/framework/persistence'))
      .filter((file) =>
        /^(?:import|export)(?! type)[^;]*from '(?:@mikro-orm\/[^']*|#framework\/persistence)'/m.test(
          readFileSync(file, 'utf8'),
        ),
      );
    assert.deepEqual(loads, []);
  });

  it('persistence itself loads no database driver', () => {
    const files = [...sources('src')];
    const loads = files.filter((file) => /'@mikro-orm\/(?!core['/])/.test(readFileSync(file, 'utf8')));
    assert.deepEqual(loads, []);
    assert.ok(files.some((file) => readFileSync(file, 'utf8').includes("'@mikro-orm/core'")));
  });
});
