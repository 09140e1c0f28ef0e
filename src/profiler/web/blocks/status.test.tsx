import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { renderFragment } from '#core/html';
import { StatusChip, StatusLink, statusLook } from './status.js';

describe('a status', () => {
  it('has a tone for each class', () => {
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

  it('is never conveyed by colour alone', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 999 }), (status) => {
        const { tone, word } = statusLook(status);
        const number = status === 0 ? '–' : String(status);
        assert.ok(word.length > 0);
        const chip = String(renderFragment(<StatusChip status={status} />));
        assert.match(chip, new RegExp(`^<span class="chip is-${tone}"><span aria-hidden="true">. </span>`));
        assert.ok(chip.includes(`${number}<span class="word"> ${word}</span>`));
        const link = String(renderFragment(<StatusLink status={status} href="?a" />));
        assert.match(link, new RegExp(`^<a class="is-${tone}" href="[?]a"[^>]*>${number}</a>$`));
        if (tone !== 'ok') assert.ok(link.includes(`title="${word}"`), link);
      }),
    );
  });

  it('without a response says so', () => {
    assert.equal(statusLook(0).word, 'No response');
  });
});
