import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { isCodedError } from '#coded-error';
import { compileRoutes } from '../compile/compile-routes.js';
import { findTextLimit } from './find-text-limit.js';
import { matchRoute } from '../match/match-route.js';
import { ExpressionProblem, parseExpression, renderExpression, type Expression } from './parse-expression.js';
import { Requirement } from './requirement.js';
import { createRoutes } from '../define/route-collection.js';

/** The limit, or the reason for a refusal. */
function limitOf(source: string): number | string {
  try {
    return findTextLimit(parseExpression(source));
  } catch (error) {
    assert.ok(error instanceof ExpressionProblem);
    return error.message;
  }
}

const source = fc.letrec<{ any: string }>((tie) => ({
  any: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom('a', 'b', '/', '[ab]', '.', '\\d', '[^a]', '[^/]'),
    fc.tuple(tie('any'), tie('any')).map((pair) => pair.join('')),
    fc.tuple(tie('any'), tie('any')).map((pair) => `(?:${pair.join('|')})`),
    fc
      .tuple(tie('any'), fc.constantFrom('*', '+', '?', '{2}', '{0,2}', '{2,}', '{0,9}', '*?', '+?', '??'))
      .map(([one, times]) => `(?:${one})${times}`),
  ),
})).any;

describe('findTextLimit', () => {
  const exponential = [
    '(a+)+',
    '(a*)*',
    '(a|a)*',
    '(a|ab|b)*',
    '(?:\\w+\\s?)*',
    '([a-z]+)*',
    '(.*)*',
    '(a?b?)*',
    '(x+x+)+',
    '(\\w{1,10})*',
    '(?:a|a){30}',
    '(\\d+|[0-9a-f]+)*',
    '((a|b)+c?)+',
    '(a|\\w)+',
    '(?:é|[à-ü])+',
  ];
  for (const one of exponential)
    it(`${one} is refused`, () => assert.match(String(limitOf(one)), /exponential/));

  for (const one of ['a?'.repeat(40) + 'a'.repeat(40), '(?:a|a)(?:a|a)'.repeat(10), '(?:a|a){7}'.repeat(3)]) {
    it(`${one.slice(0, 20)}… is for no text at all`, () => assert.equal(limitOf(one), 0));
  }

  for (const one of [
    '\\d+\\d+',
    '.*foo.*x',
    'a*[ab]*c',
    '[a-z]+[0-9a-z]+',
    '\\w{1,20}\\w{1,20}',
    'é*[à-ü]*x',
  ]) {
    it(`${one} is for short texts`, () => {
      const limit = Number(limitOf(one));
      assert.ok(limit > 0 && limit <= 362, String(limit));
    });
  }

  const linear = [
    ...Object.values(Requirement),
    'a',
    '\\d+',
    '.+',
    '.*',
    '.*foo.*',
    '.+/edit',
    'html|json',
    'en|en_US|en_GB|fr|fr_CA',
    '[a-z]+(?:-[a-z]+)*',
    '(?:ab|cd)*',
    '\\d{4}-\\d{2}',
    '(?:\\d{1,3}\\.){3}\\d{1,3}',
    '(a|b)*',
    'a?b?c?',
    '(?!x)[a-z]+',
    '[^/]+',
    '(?:[a-z]+/)*[0-9]+',
    '(-[a-z]+)*',
    '(?:a+b)+',
    '[0-9a-f]{64}',
  ];
  for (const one of linear) it(`${one} is for all texts`, () => assert.equal(limitOf(one), Infinity));

  for (const [one, reason] of [
    ['(?<!a)b', /looks behind/],
    ['(a)\\1', /refers back/],
    ['(?<n>a)\\k<n>', /refers back/],
    ['[', /not a valid regular expression/],
    ['a++', /not a valid regular expression/],
    ['(?i:a)', /flags|not a valid/],
    ['a{600}', /too long/],
  ] as const) {
    it(`${one} is refused with its reason`, () => assert.match(String(limitOf(one)), reason));
  }

  it('bounds the steps of a backtracking engine, whatever the expression and the text', () => {
    const texts = fc.tuple(
      fc.stringMatching(/^[ab1/]{0,3}$/),
      fc.stringMatching(/^[ab1/]{1,4}$/),
      fc.stringMatching(/^[ab1/x]{0,3}$/),
    );
    let accepted = 0;
    fc.assert(
      fc.property(source, fc.array(texts, { minLength: 4, maxLength: 4 }), (one, shapes) => {
        const tree = parseExpression(one);
        const limit = limitOf(one);
        if (typeof limit === 'string' || limit < 16) return;
        accepted += 1;
        for (const [head, pumped, tail] of shapes) {
          const length = Math.min(limit, 8192) - head.length - tail.length;
          const text = head + pumped.repeat(Math.floor(length / pumped.length)) + tail;
          const steps = countSteps(tree, text, 2 ** 21);
          assert.ok(steps < 2 ** 21, `${one} takes more steps on ${pumped}`);
        }
      }),
      { numRuns: 400 },
    );
    assert.ok(accepted > 100, `only ${accepted} were accepted`);
  });

  it('reads what it renders, and takes what the language takes', () => {
    fc.assert(
      fc.property(source, fc.stringMatching(/^[ab1/]{0,8}$/), (one, text) => {
        const rendered = renderExpression(parseExpression(one));
        assert.equal(renderExpression(parseExpression(rendered)), rendered);
        assert.equal(
          new RegExp(`^(?:${rendered})$`, 'su').test(text),
          new RegExp(`^(?:${one})$`, 'su').test(text),
        );
      }),
    );
  });
});

describe('routes with several variables', () => {
  const codeOf = (path: string, host = ''): string => {
    try {
      createRoutes([{ path, host }]);
      return 'added';
    } catch (error) {
      assert.ok(isCodedError(error));
      return error.code;
    }
  };

  it('are refused where variables can share a text in too many ways', () => {
    for (const path of [
      '/{a<.+>}/{b<.+>}/{c<.+>}/{d<.+>}',
      '/{a}{b<\\d+>}{c<\\d+>}',
      '/{a<[a-z/]*>}{b<[a-z]+>}{c<[a-z]+>}/x',
    ]) {
      assert.equal(codeOf(path), 'ROUTING_AMBIGUOUS_PATH', path);
    }
    assert.equal(codeOf('/', '{a<.+>}.{b<.+>}.{c<.+>}.{d<.+>}.org'), 'ROUTING_AMBIGUOUS_PATH');
  });

  it('are added where something parts them, or where all but two are plain', () => {
    for (const path of [
      '/{a}/{b<\\d+>}/{c<[a-z-]+>}',
      '/{a<.+>}/blob/{b<.+>}',
      '/{a<[a-z/]+>}/{b<\\d+>}-{c<\\d+>}',
      '/{w}{x}{y}{z}',
      '/{a}{b<\\d+>}',
      '/{y<\\d{4}>}-{m<\\d{2}>}-{d<\\d{2}>}-{slug<[a-z-]+>}',
      '/{a}-{b}-{c}.{d}',
    ]) {
      assert.equal(codeOf(path), 'added', path);
    }
    assert.equal(codeOf('/', '{a}.{b}.org'), 'added');
  });

  it('share a text out as the language would', () => {
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

type Step =
  | { readonly kind: 'char'; readonly form: RegExp }
  | { readonly kind: 'fork'; first: number; second: number }
  | { readonly kind: 'jump'; to: number }
  | { readonly kind: 'enter' }
  | { readonly kind: 'check' };

/** How many characters an engine that tries everything in turn looks at until it has matched or given up. */
function countSteps(tree: Expression, text: string, most: number): number {
  const steps: Step[] = [];
  emit(tree, steps);
  let count = 0;
  const stack: { step: number; at: number; entered: readonly number[] }[] = [{ step: 0, at: 0, entered: [] }];
  for (let thread = stack.pop(); thread !== undefined && count < most; thread = stack.pop()) {
    const { step, at, entered } = thread;
    const one = steps[step];
    if (one === undefined) {
      if (at === text.length) return count;
    } else if (one.kind === 'char') {
      count += 1;
      if (at < text.length && one.form.test(text.charAt(at)))
        stack.push({ step: step + 1, at: at + 1, entered });
    } else if (one.kind === 'fork') {
      stack.push({ step: one.second, at, entered }, { step: one.first, at, entered });
    } else if (one.kind === 'jump') stack.push({ step: one.to, at, entered });
    else if (one.kind === 'enter') stack.push({ step: step + 1, at, entered: [...entered, at] });
    else if (entered.at(-1) !== at) stack.push({ step: step + 1, at, entered: entered.slice(0, -1) });
  }
  return count;
}

function emit(tree: Expression, steps: Step[]): void {
  if (tree.kind === 'char') steps.push({ kind: 'char', form: new RegExp(`^${tree.source}$`, 'su') });
  else if (tree.kind === 'sequence') for (const part of tree.parts) emit(part, steps);
  else if (tree.kind === 'choice') emitChoice(tree.options, steps);
  else if (tree.kind === 'repeat') {
    for (let index = 0; index < tree.min; index += 1) emit(tree.body, steps);
    if (tree.max === Infinity) emitOptional(tree, steps, { isLoop: true });
    else
      for (let index = tree.min; index < tree.max; index += 1) emitOptional(tree, steps, { isLoop: false });
  }
}

function emitOptional(
  { body, lazy }: Extract<Expression, { kind: 'repeat' }>,
  steps: Step[],
  { isLoop }: { isLoop: boolean },
): void {
  const fork = { kind: 'fork' as const, first: 0, second: 0 };
  const at = steps.push(fork) - 1;
  steps.push({ kind: 'enter' });
  emit(body, steps);
  steps.push({ kind: 'check' });
  if (isLoop) steps.push({ kind: 'jump', to: at });
  const [inside, outside] = [at + 1, steps.length];
  fork.first = lazy ? outside : inside;
  fork.second = lazy ? inside : outside;
}

function emitChoice(options: readonly Expression[], steps: Step[]): void {
  const [first, ...others] = options;
  if (first === undefined) return;
  if (others.length === 0) return emit(first, steps);
  const fork = { kind: 'fork' as const, first: steps.length + 1, second: 0 };
  steps.push(fork);
  emit(first, steps);
  const jump = { kind: 'jump' as const, to: 0 };
  steps.push(jump);
  fork.second = steps.length;
  emitChoice(others, steps);
  jump.to = steps.length;
}
