import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ProfileRecord } from '../model/profile-record.js';
import type { PanelContext } from './panel.js';
import { securityPanel } from './security-panel.js';

describe('security panel', () => {
  it('says how much was left out, be it one fact or several', () => {
    for (const [more, words] of [
      [1, 'Left out: 1 further fact.'],
      [1200, 'Left out: 1,200 further facts.'],
    ] as const) {
      const security = { firewall: null, user: null, decisions: [], uses: [], more };
      const record = { sections: { security } } as Partial<ProfileRecord> as ProfileRecord; // it looks at its section alone
      const blocks = securityPanel.show(record, {} as PanelContext); // it makes no links
      assert.deepEqual(blocks.at(-1), { kind: 'note', tone: 'neutral', text: words });
    }
  });
});
