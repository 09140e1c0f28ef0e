import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { isCodedError } from '#core/coded-error';
import { compileRoutes } from '../compile/compile-routes.js';
import { createRoutes } from '../define/route-collection.js';
import { matchRoute } from '../match/match-route.js';
import { Requirement, maxRepeatedLength } from './requirement.js';

/** The value of a path's variable `x`; undefined if no route matches. */
function valueIn(path: string, requirement: string, template = '/{x}'): unknown {
  const routes = createRoutes([{ path: template, requirements: { x: requirement } }]);
  const result = matchRoute(compileRoutes(routes), { method: 'GET', path });
  return result.kind === 'match' ? result.parameters['x'] : undefined;
}

/** The reason why a requirement is refused. */
function refusalOf(requirement: string): string {
  try {
    createRoutes([{ path: '/{x}', requirements: { x: requirement } }]);
  } catch (error) {
    assert.ok(isCodedError(error) && error.code === 'ROUTING_BAD_REQUIREMENT');
    return error.message;
  }
  return 'taken';
}

const expression = fc.letrec<{ any: string }>((tie) => ({
  any: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(
      'a',
      'b',
      '1',
      '/',
      '[ab]',
      '.',
      '\\d',
      '[^a]',
      '[^/]',
      '[*-1]',
      '\\x2f',
      '\\u{2f}',
      '\\W',
      '\\(',
      '[()]',
    ),
    fc.tuple(tie('any'), tie('any')).map((pair) => pair.join('')),
    fc.tuple(tie('any'), tie('any')).map((pair) => `(?:${pair.join('|')})`),
    fc.tuple(tie('any'), tie('any')).map((pair) => pair.join('|')),
    tie('any').map((one) => `(${one})`),
    tie('any').map((one) => `(?=${one})`),
    tie('any').map((one) => `(?<n${one.length}>${one})`),
    fc
      .tuple(tie('any'), fc.constantFrom('*', '+', '?', '{1}', '{2}', '{0,2}', '{2,}', '*?', '+?', '??'))
      .map(([one, times]) => `(?:${one})${times}`),
  ),
})).any;

const isValid = (source: string): boolean => {
  try {
    return RegExp(source, 'su').source !== '';
  } catch {
    return false; // two groups with the same name
  }
};

describe("a variable's requirement", () => {
  it('{1} matches one character, not the empty text', () => {
    assert.equal(valueIn('/a/', '\\d{1}', '/a/{x}'), undefined);
    assert.equal(valueIn('/a/1', '\\d{1}', '/a/{x}'), '1');
    assert.equal(valueIn('/a/12', '\\d{1}', '/a/{x}'), undefined);
  });

  it('matches the same values as the language, for any expression, and captures the whole value', () => {
    let taken = 0;
    fc.assert(
      fc.property(expression.filter(isValid), fc.stringMatching(/^[ab1/*]{0,3}$/), (one, text) => {
        // A trailing slash and two leading slashes are handled by the path itself.
        if (text.endsWith('/') || text.startsWith('/')) return;
        const expected = new RegExp(`^(?:${one})$`, 'su').test(text);
        if (expected) taken += 1;
        for (const [path, template] of [
          [`/${text}`, '/{x}'],
          [`/p/${text}.q`, '/p/{x}.q'],
        ] as const) {
          // A lookahead sees the rest of the path.
          if (one.includes('(?=') && template !== '/{x}') continue;
          assert.equal(
            valueIn(path, one, template),
            expected ? text : undefined,
            `${template} ${one} ${text}`,
          );
        }
      }),
      { numRuns: 1500 },
    );
    assert.ok(taken > 50, `only ${taken} were taken`);
  });

  it('may be anchored, as in other languages', () => {
    for (const requirement of ['^\\d+$', '\\A\\d+\\z', '^\\d+', '\\d+\\Z'])
      assert.deepEqual(
        [valueIn('/12', requirement), valueIn('/x', requirement)],
        ['12', undefined],
        requirement,
      );
  });

  it('is refused with its reason if it cannot be embedded in a larger expression', () => {
    for (const [requirement, reason] of [
      ['(?<!a)b', /has a lookbehind/],
      ['(a)\\1', /has a backreference/],
      ['(?<n>a)\\k<n>', /has a backreference/],
      ['[', /not a valid regular expression/],
      ['a++', /not a valid regular expression/],
      ['(?i:a)', /sets flags/],
      ['^$', /is empty/],
    ] as const)
      assert.match(refusalOf(requirement), reason, requirement);
  });

  it(`with several repetitions matches at most ${maxRepeatedLength} characters, with one any number`, () => {
    // The whole path is compared if the value may be empty.
    const [short, long] = ['a'.repeat(maxRepeatedLength - 1), 'a'.repeat(maxRepeatedLength + 1)];
    for (const requirement of ['[a-z]+(?:-[a-z]+)*', 'a*a*', 'a{1,600}a?a{0,600}', Requirement.slug]) {
      assert.equal(valueIn(`/${short}`, requirement), short, requirement);
      assert.equal(valueIn(`/${long}`, requirement), undefined, requirement);
    }
    for (const requirement of ['a+', '.+', '[a+*]+', Requirement.catchAll])
      assert.equal(valueIn(`/${long}`, requirement), long, requirement);
  });

  it('that shares a text with others leaves the first variable as much as possible', () => {
    const compiled = compileRoutes(
      createRoutes([{ path: '/{w}{x}{y<y|Y>}' }, { path: '/b/{a<.+>}/blob/{b<.+>}' }]),
    );
    const parametersOf = (path: string): unknown => {
      const result = matchRoute(compiled, { method: 'GET', path });
      return result.kind === 'match' ? { ...result.parameters } : result.kind;
    };
    assert.deepEqual(parametersOf('/wwwwxY'), { w: 'wwww', x: 'x', y: 'Y' });
    assert.deepEqual(parametersOf('/b/o/r/blob/x/blob/y'), { a: 'o/r/blob/x', b: 'y' });
    assert.equal(parametersOf(`/${'y'.repeat(8000)}x`), 'not-found');
  });
});
