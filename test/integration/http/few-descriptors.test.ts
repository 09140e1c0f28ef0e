import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { get } from 'node:http';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, it } from 'node:test';

const program = `
  const { createApp } = await import(${JSON.stringify(pathToFileURL(resolve('dist/bundle/index.js')).href)});
  const app = createApp({ configuration: { env: 'prod', debug: false, profilerStore: 'off' }, logHandlers: [] });
  let free;
  const freed = new Promise((resolve) => (free = resolve));
  app.get('/held', async () => { await freed; return 'held'; });
  app.get('/free', () => 'free');
  const { port } = await app.listen({ port: 0 });
  console.log(port);
  process.stdin.on('data', () => free());
  process.stdin.on('end', () => process.exit());`;

function ask(port: number, path: string): Promise<string> {
  return new Promise((done) => {
    get({ host: '127.0.0.1', port, path, agent: false }, (response) => {
      response.resume().on('end', () => done(String(response.statusCode)));
    }).on('error', ({ code }: NodeJS.ErrnoException) => done(code ?? 'error'));
  });
}

describe('a process without free descriptors', { skip: process.platform !== 'linux' }, () => {
  it('answers the connections that it has accepted, and new ones once connections are closed', async () => {
    const child = spawn(
      'sh',
      ['-c', 'ulimit -n 100; exec "$0" --input-type=module -e "$1"', process.execPath, program],
      {
        stdio: ['pipe', 'pipe', 'inherit'],
      },
    );
    try {
      const [printed] = (await once(child.stdout, 'data')) as [Buffer]; // a chunk of output
      const port = Number(printed.toString());
      const held = Array.from({ length: 200 }, () => ask(port, '/held'));
      // The system resets the connections that the process cannot accept; the accepted ones are held.
      const refused = await Promise.race(held);
      assert.equal(refused, 'ECONNRESET');
      assert.equal(child.exitCode, null);
      child.stdin.write('free');
      const answers = await Promise.all(held);
      assert.ok(answers.filter((answer) => answer === '200').length > 20, answers.join(' '));
      assert.equal(await ask(port, '/free'), '200');
    } finally {
      child.stdin.end();
      await once(child, 'close');
    }
  });
});
