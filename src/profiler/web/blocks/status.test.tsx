import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { renderFragment } from '#html';
import { StatusChip, statusLook } from './status.js';

describe('a status at a glance', () => {
  it('has a tone for each of its classes', () => {
    for (const [status, tone] of [
      [0, 'neutral'],
      [103, 'neutral'],
      [200, 'ok'],
      [299, 'ok'],
      [301, 'info'],
      [304, 'info'],
      [404, 'warn'],
      [499, 'warn'],
      [500, 'error'],
      [599, 'error'],
    ] as const)
      assert.equal(statusLook(status).tone, tone, String(status));
  });

  it('is never said by its colour alone', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 999 }), fc.boolean(), (status, compact) => {
        const html = String(renderFragment(<StatusChip status={status} compact={compact} />));
        assert.match(
          html,
          new RegExp(`<span class="${compact ? 'status' : 'chip'} is-${statusLook(status).tone}"`),
        );
        assert.ok(html.includes(status === 0 ? '–' : String(status)));
        assert.ok(statusLook(status).word.length > 0);
        if (statusLook(status).tone !== 'ok') assert.ok(html.includes(statusLook(status).word));
        assert.equal(html.includes('aria-hidden'), !compact);
      }),
    );
  });

  it('without an answer says that there was none', () => {
    assert.equal(statusLook(0).word, 'No response');
  });
});
