import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkAllPackages, checkPackage, loadOnce, supportedPackages } from './check-package.js';

describe('checkPackage', () => {
  /** Checks ws, which is installed here in version 8, as if these version lines were supported. */
  const check = (versions: readonly string[]): void => {
    const needed = supportedPackages.ws;
    Object.assign(supportedPackages, { ws: { ...needed, versions } });
    try {
      checkPackage('ws');
    } finally {
      Object.assign(supportedPackages, { ws: needed });
    }
  };

  it('accepts a supported line, and its later minor releases', () => {
    for (const versions of [['8'], ['7', '8'], ['8.1']]) check(versions);
  });

  it('names the supported and installed versions, and how to install a working one', () => {
    for (const [versions, list, wanted] of [
      [['6', '7'], '6 or 7', '7'],
      [['8.9999'], '>=8.9999 <9', '8.9999'],
      [['8.9999', '9'], '>=8.9999 <9 or 9', '8.9999'],
    ] as const)
      assert.throws(() => check(versions), {
        code: 'PATCHES_PACKAGE_VERSION',
        message: new RegExp(`^A WebSocket route works with ws ${list}, but 8\\.\\d+\\.\\d+ is installed\\.$`),
        fix: `Run "npm install ws@${wanted}".`,
      });
  });

  it("accepts a line's first minor release, and refuses other majors and earlier minors", () => {
    const version = /^ws (\d+)\.(\d+)\./.exec(
      checkAllPackages()
        .installed.join('\n')
        .match(/^ws .*$/m)?.[0] ?? '',
    );
    const [major, minor] = [Number(version?.[1]), Number(version?.[2])];
    check([`${major}.${minor}`]);
    for (const other of [`${major}.${minor + 1}`, `${major + 1}`, `${major - 1}.0`])
      assert.throws(() => check([other]), { code: 'PATCHES_PACKAGE_VERSION' }, other);
  });

  it("returns all packages' installed and unsupported versions", () => {
    const needed = supportedPackages.ws;
    assert.deepEqual(checkAllPackages().problems, []);
    Object.assign(supportedPackages, { ws: { ...needed, versions: ['1'] } });
    Object.assign(supportedPackages, { 'no-such-package-anywhere': { feature: 'A test', versions: ['1'] } });
    try {
      const { installed, problems } = checkAllPackages();
      assert.deepEqual(
        problems.map(({ code, fix }) => [code, fix]),
        [['PATCHES_PACKAGE_VERSION', 'Run "npm install ws@1".']],
      );
      assert.ok(
        installed.every((line) => /^[@\w/-]+ \d+\.\d+\.\d+/.test(line)),
        installed.join(),
      );
      assert.equal(
        installed.some((line) => line.startsWith('no-such')),
        false,
      );
    } finally {
      Object.assign(supportedPackages, { ws: needed });
      Reflect.deleteProperty(supportedPackages, 'no-such-package-anywhere');
    }
  });

  it('leaves a missing package to the import', () => {
    const missing = 'no-such-package-anywhere';
    Object.assign(supportedPackages, { [missing]: { feature: 'A test', versions: ['1'] } });
    Reflect.apply(checkPackage, undefined, [missing]);
    Reflect.deleteProperty(supportedPackages, missing);
  });
});

describe('loadOnce', () => {
  it('shares the loaded result, and loads again after a failure', async () => {
    let calls = 0;
    const load = loadOnce(async () => {
      if (++calls === 1) throw new Error('not yet');
      return calls;
    });
    const both = await Promise.allSettled([load(), load()]);
    assert.deepEqual(
      both.map(({ status }) => status),
      ['rejected', 'rejected'],
    );
    assert.deepEqual([await load(), await load()], [2, 2]);
  });
});
