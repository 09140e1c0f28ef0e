import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { runInThisContext } from 'node:vm';
import fc from 'fast-check';
import { CallSiteMemory, captureCallSites, originalLocation } from './capture-call-sites.js';

/** A function in this file that calls another function. */
function caller(file: string): (next: () => unknown) => unknown {
  return runInThisContext('(function own(next) {\n  return next();\n})', { filename: file }) as () => unknown; // evaluates to that function
}

describe('captureCallSites', () => {
  const files = ['/srv/a/inner.js', '/srv/node_modules/koa/index.js', 'node:own', '/srv/a/outer.js'];

  /** The call sites of `capture`: the innermost file first, then its callers. */
  const locationsFrom = (
    options: Partial<Parameters<typeof captureCallSites>[1]> = {},
  ): readonly unknown[] => {
    const capture = (): unknown => captureCallSites(capture, { depth: 50, limit: 9, ...options })();
    const call = files.reduce<() => unknown>((next, file) => () => caller(file)(next), capture);
    return call() as readonly unknown[]; // the captured locations
  };
  const locations = files.map((file) => ({ name: 'own', file, line: 2, column: 10 }));

  it('returns the application’s frames, innermost first, and package frames on request; never Node’s or our own', () => {
    assert.deepEqual(locationsFrom(), [locations[0], locations[3]]);
    assert.deepEqual(locationsFrom({ withPackages: true }), [locations[0], locations[1], locations[3]]);
  });

  it("stops at its limit, and does not change other stacks' depth", () => {
    const { stackTraceLimit } = Error;
    assert.deepEqual(locationsFrom({ limit: 1 }), [locations[0]]);
    assert.deepEqual(locationsFrom({ depth: 1 }), [locations[0]]);
    assert.equal(Error.stackTraceLimit, stackTraceLimit);
  });

  it('maps source locations in a file that was compiled in memory, and in no other', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'lookback-sites-'));
    after(() => rmSync(folder, { recursive: true, force: true }));
    const load = async (name: string, original: string): Promise<string> => {
      const file = join(folder, name);
      // The second line of the code is the sixth of the source, shifted by two columns.
      const map = { version: 3, sources: [original], names: [], mappings: ';AAKE' };
      const data = Buffer.from(JSON.stringify(map)).toString('base64');
      const comment = `//# sourceMappingURL=data:application/json;base64,${data}`;
      writeFileSync(file, `export const a = 1;\nexport const b = 2;\n${comment}`);
      const before = process.sourceMapsEnabled;
      process.setSourceMapsEnabled(true);
      await import(pathToFileURL(file).href);
      process.setSourceMapsEnabled(before);
      return file;
    };
    const own = await load('own.mjs', 'own.mjs?tsx');
    const other = await load('other.mjs', 'own.ts');
    const before = process.sourceMapsEnabled;
    process.setSourceMapsEnabled(true);
    const seen = [own, other, join(folder, 'absent.mjs')].map((file) =>
      originalLocation(pathToFileURL(file).href, { line: 2, column: 1 }),
    );
    const unmapped = originalLocation(pathToFileURL(own).href, { line: 1, column: 1 });
    process.setSourceMapsEnabled(false);
    const off = originalLocation(pathToFileURL(own).href, { line: 2, column: 1 });
    process.setSourceMapsEnabled(before);
    assert.deepEqual(
      [...seen, unmapped, off],
      [{ line: 6, column: 3 }, undefined, undefined, undefined, undefined],
    );
  });
});

describe('CallSiteMemory', () => {
  it('captures three stacks for one call site, then one in sixteen, and says which sites are remembered', () => {
    const memory = new CallSiteMemory<string>();
    let looks = 0;
    const taken = Array.from({ length: 48 }, () =>
      memory.take('home', 'select 1', () => {
        looks++;
        return ['home.ts:1'];
      }),
    );
    const remembered = taken.map(({ isRemembered }) => isRemembered);
    assert.deepEqual(remembered.slice(0, 4), [false, false, false, true]);
    assert.equal(remembered.filter((one) => !one).length, looks);
    assert.equal(looks, 5);
    assert.ok(taken.every(({ sites }) => sites[0] === 'home.ts:1'));
    const rarer = new CallSiteMemory<string>({ oneIn: 40 });
    const again = Array.from({ length: 48 }, () => rarer.take('home', 'select 1', () => ['home.ts:1']));
    assert.equal(again.filter(({ isRemembered }) => !isRemembered).length, 4);
  });

  it('captures again for another route or text, and after doubt()', () => {
    const memory = new CallSiteMemory<string>();
    const take = (route: string, text: string): boolean => memory.take(route, text, () => ['a']).isRemembered;
    for (let time = 0; time < 3; time++) take('home', 'select 1');
    assert.equal(take('home', 'select 1'), true);
    assert.equal(take('other', 'select 1'), false);
    assert.equal(take('home', 'select 2'), false);
    assert.equal(take('homes', 'elect 1'), false);
    memory.doubt('home', 'select 1');
    assert.equal(take('home', 'select 1'), false);
    memory.doubt('home', 'never seen');
  });

  it('always captures a call with two call sites', () => {
    const memory = new CallSiteMemory<string>();
    const locations = Array.from({ length: 40 }, (_, at) => `home.ts:${at % 2}`);
    for (const location of locations) {
      const { sites, isRemembered } = memory.take('home', 'select 1', () => [location]);
      assert.deepEqual([sites[0], isRemembered], [location, false]);
    }
  });

  it("never returns another text's call site, even for very many texts", () => {
    const memory = new CallSiteMemory<string>();
    fc.assert(
      fc.property(fc.string(), fc.string(), (route, text) => {
        const site = JSON.stringify([route, text]);
        assert.equal(memory.take(route, text, () => [site]).sites[0], site);
      }),
      { numRuns: 5000 },
    );
  });
});
