import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findAmbiguity } from './find-ambiguity.js';
import { parseExpression } from './parse-expression.js';
import { buildPositionGraph } from './position-graph.js';
import { Requirement } from './requirement.js';

const ambiguityOf = (source: string): string => findAmbiguity(buildPositionGraph(parseExpression(source)));

describe('findAmbiguity', () => {
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
  ];
  for (const source of exponential)
    it(`${source} is exponential`, () => assert.equal(ambiguityOf(source), 'exponential'));

  const polynomial = ['\\d+\\d+', '.*foo.*', 'a*[ab]*c', '[a-z]+[0-9a-z]+', '\\w{1,20}\\w{1,20}'];
  for (const source of polynomial)
    it(`${source} is polynomial`, () => assert.equal(ambiguityOf(source), 'polynomial'));

  const clean = [
    ...Object.values(Requirement),
    'a',
    '\\d+',
    '.+',
    '.*',
    'html|json',
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
  ];
  for (const source of clean) it(`${source} is neither`, () => assert.equal(ambiguityOf(source), 'none'));
});
