import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, it } from 'node:test';

const entry = resolve('dist/src/core/routing.js');

/** Compiles a program with a thousand routes, a URL for every tenth, and some additional lines; returns the compiler's output. */
function compile(lines: string): { status: number | null; output: string } {
  const folder = mkdtempSync(join(tmpdir(), 'lookback-types-'));
  const routes = Array.from(
    { length: 1000 },
    (_, index) =>
      `  { name: 'route_${index}', path: '/part${index % 40}/{owner}/thing${index}/{id<\\\\d+>?1}' },`,
  );
  const urls = Array.from(
    { length: 100 },
    (_, index) => `url('route_${index * 10}', { owner: 'a', id: ${index} });`,
  );
  const program = [
    `import { defineRoutes, type UrlArguments } from ${JSON.stringify(entry)};`,
    `const definitions = defineRoutes([\n${routes.join('\n')}\n]);`,
    'type Definition = (typeof definitions)[number];',
    "declare const url: <Name extends Definition['name']>(name: Name, ...parameters: UrlArguments<Extract<Definition, { readonly name: Name }>>) => string;",
    ...urls,
    lines,
  ];
  try {
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    writeFileSync(join(folder, 'program.ts'), program.join('\n'));
    const flags = [
      '--noEmit',
      '--strict',
      '--skipLibCheck',
      '--module',
      'nodenext',
      '--target',
      'es2022',
      '--types',
      '',
      '--pretty',
      'false',
    ];
    const run = spawnSync(
      process.execPath,
      [resolve('node_modules/typescript/bin/tsc'), ...flags, 'program.ts'],
      {
        cwd: folder,
        encoding: 'utf8',
      },
    );
    return { status: run.status, output: run.stdout + run.stderr };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe('a thousand typed routes', () => {
  it('compile with a hundred URLs, and only the three wrong ones are errors', () => {
    const { status, output } = compile(
      "url('route_1000', { owner: 'a' });\nurl('route_7', {});\nurl('route_8', { owner: 'a', ad: 1 });",
    );
    assert.notEqual(status, 0);
    // The preceding lines are correct.
    const wrong = [...output.matchAll(/^program\.ts\((\d+),\d+\): error TS/gm)].map(([, line]) =>
      Number(line),
    );
    assert.deepEqual(wrong, [1106, 1107, 1108], output);
    assert.equal(output.match(/error TS/g)?.length, 3, output);
  });
});
