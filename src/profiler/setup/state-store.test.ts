import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { stateStoreAddress, whyInMemory } from './state-store.js';

describe('stateStoreAddress', () => {
  const root = mkdtempSync(join(tmpdir(), 'state-'));
  after(() => rmSync(root, { recursive: true, force: true }));
  const home = join(root, 'home');
  const folder = join(root, 'my shop');
  mkdirSync(home);
  mkdirSync(folder);
  const addressFor = (platform: NodeJS.Platform, variables = {}): string =>
    stateStoreAddress(folder, { platform, variables, home });

  it('is in the state folder of the user, by platform', () => {
    for (const [platform, variables, expected] of [
      ['linux', {}, ['home', '.local', 'state']],
      ['linux', { XDG_STATE_HOME: join(root, 'xdg') }, ['xdg']],
      ['linux', { XDG_STATE_HOME: 'relative' }, ['home', '.local', 'state']],
      ['darwin', {}, ['home', 'Library', 'Application Support']],
      ['win32', {}, ['home', 'AppData', 'Local']],
      ['win32', { LOCALAPPDATA: join(root, 'local') }, ['local']],
    ] as const) {
      const address = addressFor(platform, variables);
      assert.ok(address.startsWith(`sqlite:${join(root, ...expected, 'lookback', 'my-shop-')}`), address);
    }
  });

  it('is the same on each way to the folder, and another one for a folder of the same name elsewhere', () => {
    const [link, other] = [join(root, 'link'), join(root, 'other', 'my shop')];
    symlinkSync(folder, link);
    mkdirSync(other, { recursive: true });
    const address = addressFor('linux');
    assert.match(address, /my-shop-[0-9a-f]{12}\.db$/);
    assert.equal(stateStoreAddress(link, { platform: 'linux', variables: {}, home }), address);
    assert.notEqual(stateStoreAddress(other, { platform: 'linux', variables: {}, home }), address);
  });

  it('is in memory where no home can be written, or its folder is a link, and says why', () => {
    const file = join(root, 'file');
    writeFileSync(file, '');
    const linked = join(root, 'linked');
    mkdirSync(join(linked, 'of-another-user'), { recursive: true });
    symlinkSync(join(linked, 'of-another-user'), join(linked, 'lookback'));
    for (const [options, why] of [
      [{ variables: { XDG_STATE_HOME: file }, home: file }, `"${join(file, 'lookback')}" cannot be written`],
      [{ variables: {}, home: '' }, 'this user has no home'],
      [{ variables: { XDG_STATE_HOME: linked } }, `"${join(linked, 'lookback')}" is a link`],
    ] as const) {
      assert.equal(stateStoreAddress(folder, { platform: 'linux', ...options }), 'memory:');
      assert.equal(whyInMemory({ platform: 'linux', ...options }), why);
    }
    assert.equal(whyInMemory({ platform: 'linux', variables: {}, home }), undefined);
  });
});
