import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ProfileRecord } from '../../model/profile-record.js';
import type { PanelContext } from '../panel.js';
import { securityPanel } from './panel.js';

const context = { editor: () => undefined } as unknown as PanelContext; // no editor is set
const denied = {
  granted: false,
  attribute: 'edit',
  subject: 'Article',
  strategy: 'affirmative',
  votes: [{ voter: 'owner', verdict: 'deny', reason: 'not the author' }],
};

/** A record with everything the panel reads. */
function recordWith(section: object, parts: object = {}): ProfileRecord {
  const security = {
    firewall: null,
    user: null,
    decisions: [],
    uses: [],
    more: 0,
    ...section,
  };
  const record = { sections: { security }, exception: null, ...parts };
  return record as unknown as ProfileRecord; // the rest is not read
}

describe('security panel', () => {
  it('does not report a denial that was only queried, but the one that refused the request', () => {
    const decisions = [denied, { ...denied, attribute: 'read' }];
    assert.equal(securityPanel.badge(recordWith({ decisions })), 'plain');
    const exception = { errors: [{ class: 'AccessDeniedError' }] };
    const refused = recordWith({ decisions }, { exception });
    assert.deepEqual(securityPanel.badge(refused), { count: 1, tone: 'warn', words: 'access denied' });
    const tones = (record: ProfileRecord): unknown =>
      securityPanel
        .show(record, context)
        .flatMap((block) => (block.kind === 'section' ? block.blocks : []))
        .flatMap((block) => (block.kind === 'table' ? block.rows : []))
        .map((row) => row.tone);
    assert.deepEqual(tones(recordWith({ decisions })), ['neutral', 'neutral']);
    assert.deepEqual(tones(refused), ['neutral', 'warn']);
  });

  it('shows equal decisions as one row with their number, but the refusing one separately', () => {
    const asked = { ...denied, granted: true };
    const decisions = [asked, denied, asked, { ...denied }];
    const outcomes = (record: ProfileRecord): string[] =>
      [
        ...JSON.stringify(securityPanel.show(record, context)).matchAll(
          /(?<=")(?:granted|denied|refused)(?: ×\d)?(?=")/g,
        ),
      ].map(([text]) => text);
    assert.deepEqual(outcomes(recordWith({ decisions })), ['granted ×2', 'denied ×2']);
    const refused = recordWith({ decisions }, { exception: { errors: [{ class: 'AccessDeniedError' }] } });
    assert.deepEqual(outcomes(refused), ['granted ×2', 'denied', 'refused']);
  });

  it('says that no one is signed in', () => {
    const [block] = securityPanel.show(recordWith({}), context);
    assert.deepEqual(block, { kind: 'note', tone: 'neutral', text: 'No user was signed in.' });
  });

  it("names a session value's caller relative to the working directory", () => {
    const use = { operation: 'read', key: 'cart', count: 1, line: 3, column: 1 };
    const file = `${process.cwd()}/src/cart.ts`;
    const uses = [
      { ...use, name: 'show', file },
      { ...use, name: '', file: '/elsewhere/cart.ts' },
    ];
    const text = JSON.stringify(securityPanel.show(recordWith({ uses }), context));
    assert.match(text, /"show \(src\/cart\.ts:3\)"/);
    assert.match(text, /"\/elsewhere\/cart\.ts:3"/);
  });

  it('says how much was omitted, for one fact or several', () => {
    for (const [more, words] of [
      [1, 'Left out: 1 further fact.'],
      [1200, 'Left out: 1,200 further facts.'],
    ] as const) {
      const blocks = securityPanel.show(recordWith({ more }), context);
      assert.deepEqual(blocks.at(-1), { kind: 'note', tone: 'neutral', text: words });
    }
  });
});
