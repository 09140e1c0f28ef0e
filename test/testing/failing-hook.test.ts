import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, describe, it } from 'node:test';

const folder = mkdtempSync(join(tmpdir(), 'lookback-hook-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** A hook that fails while an application listens, and a hook that never closes it. */
const program = `
import { after, before, it } from 'node:test';
import { createApp } from 'lookback';
let app;
before(async () => {
  app = createApp();
  await app.listen({ port: 0 });
  throw new Error('The table cannot be filled.');
});
after(async () => {
  await Promise.reject(new Error('The table cannot be emptied.'));
  await app.close();
});
it('does something', () => undefined);
`;

describe('a test file whose hooks fail before they close its application', () => {
  it("ends under a new project's test command, and reports the failure", async () => {
    const { scripts } = JSON.parse(readFileSync('templates/common/_package.json', 'utf8')) as {
      scripts: { test: string };
    }; // we wrote the file
    const [, words = ''] = /&& node (.*) dist\/test\//.exec(scripts.test) ?? [];
    mkdirSync(join(folder, 'node_modules'));
    symlinkSync(resolve('.'), join(folder, 'node_modules/lookback'), 'junction');
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    writeFileSync(join(folder, 'hooks.test.js'), program);
    const { NODE_TEST_CONTEXT: _context, ...env } = process.env;
    const run = spawn(process.execPath, [...words.split(' '), 'hooks.test.js'], { cwd: folder, env });
    const late = setTimeout(() => run.kill('SIGKILL'), 60_000);
    let output = '';
    run.stdout.on('data', (part: Buffer) => (output += part.toString()));
    const [code, signal] = (await once(run, 'close')) as [number | null, string | null]; // according to Node's declaration
    clearTimeout(late);
    assert.deepEqual([code, signal], [1, null], output);
    assert.match(output, /The table cannot be filled\./);
    assert.match(output, /The table cannot be emptied\./);
  });
});
