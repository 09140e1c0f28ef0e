import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { findAmbiguity } from './find-ambiguity.js';
import { createLinearMatcher } from './linear-expression.js';
import { buildPositionGraph } from './position-graph.js';
import { parseExpression, renderExpression } from './parse-expression.js';

const source = fc.letrec<{ any: string }>((tie) => ({
  any: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom('a', 'b', '[ab]', '.', '\\d', '[^a]'),
    fc.tuple(tie('any'), tie('any')).map((pair) => pair.join('')),
    fc.tuple(tie('any'), tie('any')).map((pair) => `(?:${pair.join('|')})`),
    fc
      .tuple(tie('any'), fc.constantFrom('*', '+', '?', '{2}', '{0,2}', '*?', '+?', '??'))
      .map(([one, times]) => `(?:${one})${times}`),
  ),
})).any;

describe('createLinearMatcher', () => {
  it('matches and captures as the language does', () => {
    fc.assert(
      fc.property(source, source, fc.stringMatching(/^[ab1]{0,8}$/), (left, right, text) => {
        const parts = [left, right].map((one) => ({ tree: parseExpression(one), captured: true }));
        // Those are refused when they are added: loops in loops over what may be empty are among them.
        fc.pre(parts.every(({ tree }) => findAmbiguity(buildPositionGraph(tree)) !== 'exponential'));
        const native = new RegExp(`^(${left})(${right})$`, 'su').exec(text);
        const ours = createLinearMatcher(parts).capture(text);
        assert.deepEqual(ours, native === null ? null : native.slice(1));
      }),
      { numRuns: 500 },
    );
  });

  it('reads what it renders', () => {
    fc.assert(
      fc.property(source, (one) => {
        const rendered = renderExpression(parseExpression(one));
        assert.equal(renderExpression(parseExpression(rendered)), rendered);
      }),
    );
  });
});
