import assert from 'node:assert/strict';
import { channel } from 'node:diagnostics_channel';
import { describe, it } from 'node:test';
import { createRedactor } from '#core/dump';
import { createSections } from './collected.js';
import { completedSections } from './completed.js';
import { declarationOf } from './section.js';
import { shownSections } from './shown.js';

const redactor = createRedactor();

describe("a profiler's sections", () => {
  it('are subscribed from their creation until they are closed', () => {
    const names = [
      'http:call',
      'cache:command',
      'mail:message',
      'jobs:sent',
      'jobs:run',
      'dump',
      'html:render',
    ];
    const subscribed = (): readonly boolean[] =>
      names.map((name) => channel(`lookback:${name}`).hasSubscribers);
    const before = subscribed();
    const sections = createSections({ redactor });
    assert.ok(subscribed().every(Boolean));
    for (const section of sections) if ('definition' in section) section.close?.();
    assert.deepEqual(subscribed(), before);
  });

  it('are each completed by the writer, and budgets come last', () => {
    const ids = createSections({ redactor, own: [{ id: 'own' }] }).map(
      (section) => declarationOf(section).id,
    );
    assert.deepEqual(ids.slice(-2), ['own', 'budget']);
    assert.deepEqual(ids.filter((id) => id !== 'own').toSorted(), [...completedSections.keys()].toSorted());
  });

  it('have panels with different ids', () => {
    const ids = shownSections.map(({ id }) => id);
    assert.equal(new Set(ids).size, ids.length);
  });
});
