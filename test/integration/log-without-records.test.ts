import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

const script = fileURLToPath(new URL('./throw-once.js', import.meta.url));

/** The log output of the program `throw-once`. */
async function logOf(variables: Readonly<Record<string, string>>): Promise<string> {
  const child = spawn(process.execPath, ['--enable-source-maps', script], {
    env: { PATH: process.env['PATH'], ...variables },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let text = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  await once(child, 'close');
  return text;
}

/** The original error with its own line, before the error that it caused. */
const firstLine =
  /CRITICAL request: Uncaught TypeError: inner password=\[redacted\] \\u001b\[31m at test\/integration\/throw-once\.ts:\d+, as Error: outer \(GET /;

describe('an error in the log', () => {
  it('begins with the inner error and its line; without a record, it includes the chain and stacks, but no secrets or escape sequences', async () => {
    const text = await logOf({ APP_ENV: 'prod', PROFILER_STORE: 'off' });
    assert.match(text, firstLine);
    assert.match(text, /\[1\] TypeError\n {2}inner password=\[redacted\]/);
    assert.match(text, /throwOnce \(test\/integration\/throw-once\.ts:\d+:\d+\)/);
    assert.ok(!text.includes('hunter2hunter2') && !text.includes('\u001b'));
    assert.doesNotMatch(text, /what the client saw/);
    assert.doesNotMatch(text, /nowhere/, 'a 404 is not logged as an error');
  });

  it('is one line if a record has the rest', async () => {
    const text = await logOf({ APP_ENV: 'dev', PROFILER_STORE: 'memory:' });
    assert.match(text, firstLine);
    assert.equal(text.match(/throw-once/g)?.length, 1, 'the location without a stack');
  });
});
