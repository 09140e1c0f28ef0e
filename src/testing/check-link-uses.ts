import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { LinkUses } from '#security';
import type { ContractCase } from './contract-case.js';

/** The contract of `LinkUses`. `open` gives one over the same links each time it is called. */
export function checkLinkUses(open: () => LinkUses | Promise<LinkUses>): readonly ContractCase[] {
  const soon = (): number => Date.now() + 60_000;
  return [
    {
      name: 'a link works as often as it may, in all processes together',
      async run() {
        const id = randomUUID();
        assert.equal(await (await open()).take(id, 2, soon()), true);
        assert.equal(await (await open()).take(id, 2, soon()), true);
        assert.equal(await (await open()).take(id, 2, soon()), false);
        assert.equal(await (await open()).take(randomUUID(), 2, soon()), true);
      },
    },
    {
      name: 'of many who use a link at once, one gets in',
      async run() {
        const id = randomUUID();
        const uses = await Promise.all(Array.from({ length: 12 }, async () => open()));
        const taken = await Promise.all(uses.map(async (one) => one.take(id, 1, soon())));
        assert.equal(taken.filter(Boolean).length, 1);
      },
    },
    {
      name: 'remembers a use for longer than the link lasts: clocks differ',
      async run() {
        const id = randomUUID();
        assert.equal(await (await open()).take(id, 1, Date.now() - 5000), true);
        assert.equal(await (await open()).take(id, 1, Date.now() - 5000), false);
      },
    },
  ];
}
