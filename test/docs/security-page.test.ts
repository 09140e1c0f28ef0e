import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import type { App } from '#framework';
import { cheapHasher } from '../security/guarded-app.js';
import { Visitor } from '../security/visitor.js';

/** Loads the page's first program as a reader would write it into a file: only what it leaves to the reader is added. */
async function loadFirstProgram(): Promise<App> {
  const [, program = ''] = /```ts\n([\s\S]*?)```/.exec(readFileSync('docs/security.md', 'utf8')) ?? [];
  const hash = JSON.stringify(await cheapHasher.hash('open sesame'));
  const own = `
    process.env.PROFILER_STORE = 'off';
    const users = { ada: { identifier: 'ada', roles: ['ROLE_ADMIN'], passwordHash: ${hash} },
      bob: { identifier: 'bob', roles: [], passwordHash: ${hash} } };
    const findUser = (name) => Promise.resolve(users[name]);
    const showAdmin = () => 'The books.';`;
  const folder = resolve('dist/test/docs/program');
  mkdirSync(folder, { recursive: true }); // inside of the package, which may import itself by its name
  const file = resolve(folder, 'app.js');
  writeFileSync(file, program.replace('\n\n', `${own}\n`)); // after the imports
  try {
    const { app } = (await import(pathToFileURL(file).href)) as { app: App }; // what the program exports
    return app;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe('docs/security.md', () => {
  it('protects a route by the lines of its first program', async () => {
    const app = await loadFirstProgram();
    const stranger = new Visitor(app);
    assert.equal((await stranger.get('/admin')).location, '/login');
    assert.match((await stranger.get('/login')).body, /<form method="post">/);
    assert.match((await stranger.get('/login?error=credentials')).body, /<p>Invalid credentials\.<\/p>/);
    const ada = new Visitor(app);
    await ada.get('/admin');
    assert.equal((await ada.logIn('ada', 'wrong')).location, '/login?error=credentials');
    assert.equal((await ada.logIn('ada', 'open sesame')).location, '/admin');
    assert.equal((await ada.get('/admin')).body, 'The books.');
    const bob = new Visitor(app);
    assert.equal((await bob.logIn('bob', 'open sesame')).location, '/');
    assert.equal((await bob.get('/admin')).status, 403);
    await app.close();
  });
});
