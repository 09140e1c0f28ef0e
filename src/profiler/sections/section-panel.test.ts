import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { badgeOf, textOf } from '../../../test/profiler/plain-record.js';
import { dbPanel } from './database/panel.js';
import { createMorePanel } from './section-panel.js';

describe('other data', () => {
  it('contains the sections that no panel shows', () => {
    const panel = createMorePanel([dbPanel]);
    const sections = { db: { x: 1 }, own: { a: 1 }, list: [1, 2] };
    assert.deepEqual(badgeOf(panel, { sections }), { count: 2, tone: 'neutral', words: '2 sections' });
    assert.equal(badgeOf(panel, { sections: { db: 1 } }), undefined);
    assert.match(textOf(panel, { sections }), /## own[^]*"a": 1[^]*## list/);
    assert.match(textOf(panel, {}), /No other collector ran/);
  });

  it('leaves out sections that another panel shows in addition to its own', () => {
    const panel = createMorePanel([dbPanel]);
    const sections = { loop: {}, multipart: {}, throws: { throws: [] } };
    assert.equal(badgeOf(panel, { sections }), undefined);
    assert.match(textOf(panel, { sections }), /No other collector ran/);
  });
});
