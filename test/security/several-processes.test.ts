import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { DatabaseSync } from '@photostructure/sqlite';
import { createLoginLinks, createSqliteExpiringStore, formLogin, type LoginLinks } from 'lookback/security';
import { createGuardedApp, reader, secret, type Guarded } from './guarded-app.js';
import { Visitor } from './visitor.js';

describe('several processes with one session store', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lookback-processes-'));
  const databases: { close(): void }[] = [];
  after(() => {
    for (const database of databases) database.close();
    rmSync(folder, { recursive: true });
  });

  /** An application that shares only the file with the others, as if in another process. */
  function startProcess(file: string): Guarded & { readonly links: LoginLinks } {
    const database = new DatabaseSync(join(folder, file));
    databases.push(database);
    const links = createLoginLinks({ secret });
    const guarded = createGuardedApp((options) => ({
      ...options,
      sessions: { store: createSqliteExpiringStore(database) },
      firewalls: [{ name: 'main', authenticators: [formLogin(), links.authenticator] }],
      accessControl: [],
    }));
    return { ...guarded, links };
  }

  it('count failed logins together by default', async () => {
    const [one, other] = [startProcess('tries.db'), startProcess('tries.db')];
    for (let n = 0; n < 5; n++) {
      const { app } = n % 2 === 0 ? one : other;
      assert.equal((await new Visitor(app).logIn('reader', 'wrong')).location, '/login?error=credentials');
    }
    for (const { app } of [one, other, startProcess('tries.db')])
      assert.equal((await new Visitor(app).logIn('reader', 'reader')).location, '/login?error=throttled');
    const elsewhere = new Visitor(other.app, { address: '192.0.2.7' });
    assert.equal((await elsewhere.logIn('reader', 'reader')).location, '/');
  });

  it('accept a login link once, whichever of them receives it', async () => {
    const [one, other] = [startProcess('links.db'), startProcess('links.db')];
    const link = one.links.create(reader);
    assert.equal((await new Visitor(other.app).get(link)).location, '/');
    for (const { app } of [one, other, startProcess('links.db')])
      assert.equal((await new Visitor(app).get(link)).location, '/login?error=expired');
  });
});
