import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { CallSiteMemory } from './capture-call-sites.js';

describe('CallSiteMemory', () => {
  it('of one place: takes three stacks, then one in sixteen, and says which sites are remembered', () => {
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

  it('another route or text is taken anew, and so is one that is doubted', () => {
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

  it('what is seen in two places is taken every time', () => {
    const memory = new CallSiteMemory<string>();
    const places = Array.from({ length: 40 }, (_, at) => `home.ts:${at % 2}`);
    for (const place of places) {
      const { sites, isRemembered } = memory.take('home', 'select 1', () => [place]);
      assert.deepEqual([sites[0], isRemembered], [place, false]);
    }
  });

  it('of any texts, also very many: no text gets the site of another', () => {
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
