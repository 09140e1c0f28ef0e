import assert from 'node:assert/strict';
import {
  chmodSync,
  chownSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
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

  it("is in the user's state folder, by platform", () => {
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

  it('is the same for every path to a folder, and different for a folder with the same name elsewhere', () => {
    const [link, other] = [join(root, 'link'), join(root, 'other', 'my shop')];
    symlinkSync(folder, link);
    mkdirSync(other, { recursive: true });
    const address = addressFor('linux');
    assert.match(address, /my-shop-[0-9a-f]{12}\.db$/);
    assert.equal(stateStoreAddress(link, { platform: 'linux', variables: {}, home }), address);
    assert.notEqual(stateStoreAddress(other, { platform: 'linux', variables: {}, home }), address);
  });

  it('is in memory if no home folder is writable, and says why', () => {
    const file = join(root, 'file');
    writeFileSync(file, '');
    for (const [options, why] of [
      [{ variables: { XDG_STATE_HOME: file }, home: file }, `"${join(file, 'lookback')}" cannot be written`],
      [{ variables: {}, home: '' }, 'this user has no home directory'],
    ] as const) {
      assert.equal(stateStoreAddress(folder, { platform: 'linux', ...options }), 'memory:');
      assert.equal(whyInMemory({ platform: 'linux', ...options }), why);
    }
    assert.equal(whyInMemory({ platform: 'linux', variables: {}, home }), undefined);
  });

  for (const kind of ['the state folder', 'the folder of lookback'] as const)
    it(`is behind a link in place of ${kind} only if no other user can have made or replaced it`, () => {
      const parent = mkdtempSync(join(root, 'linked-'));
      const target = mkdtempSync(join(root, 'target-'));
      const inner = join(parent, 'state');
      if (kind === 'the folder of lookback') mkdirSync(inner);
      const link = kind === 'the folder of lookback' ? join(inner, 'lookback') : inner;
      symlinkSync(target, link);
      const options = { platform: 'linux', variables: { XDG_STATE_HOME: inner } } as const;
      assert.equal(whyInMemory(options), undefined);
      assert.ok(stateStoreAddress(folder, options).startsWith(`sqlite:${join(inner, 'lookback')}`));
      chmodSync(dirname(link), 0o777);
      assert.equal(
        whyInMemory(options),
        `"${link}" is a symbolic link in a folder that every user can write to`,
      );
      assert.equal(stateStoreAddress(folder, options), 'memory:');
      chmodSync(dirname(link), 0o755);
      rmSync(target, { recursive: true });
      assert.equal(
        whyInMemory(options),
        `"${link}" is a symbolic link to a folder that is missing or owned by another user`,
      );
      if (process.getuid?.() !== 0) return; // only root can give files away
      mkdirSync(target);
      chownSync(target, 1, 1);
      assert.equal(
        whyInMemory(options),
        `"${link}" is a symbolic link to a folder that is missing or owned by another user`,
      );
      lchownSync(link, 1, 1);
      assert.equal(whyInMemory(options), `"${link}" is a symbolic link owned by another user`);
    });
});
