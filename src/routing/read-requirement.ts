import { slashSample } from './char-sample.js';
import { routingErrors } from './error-codes.js';
import { findAmbiguity, type Ambiguity } from './find-ambiguity.js';
import { ExpressionProblem, parseExpression, renderExpression, type Expression } from './parse-expression.js';
import { underline } from './parse-pattern.js';
import { buildPositionGraph } from './position-graph.js';

/** A requirement that is safe to be put into the middle of a larger expression. */
export interface ReadRequirement {
  readonly tree: Expression;
  /** JavaScript source for the flags `su`: no anchors, no captures. */
  readonly source: string;
  readonly canBeEmpty: boolean;
  readonly canHoldSlash: boolean;
  readonly ambiguity: Ambiguity;
  /** Looks ahead or behind, or asks for a boundary. */
  readonly hasAssertions: boolean;
}

const known = new Map<string, ReadRequirement>();

/** Reads the requirement of one variable. @throws ROUTING_BAD_REQUIREMENT with the place underlined */
export function readRequirement(
  written: string,
  place: { route: string; variable: string },
): ReadRequirement {
  const earlier = known.get(written);
  if (earlier !== undefined) return earlier;
  const start = /^(?:\^|\\A)/.exec(written)?.[0].length ?? 0;
  try {
    const read = analyse(withoutAnchors(written.slice(start)), written.length);
    if (known.size < 10_000) known.set(written, read);
    return read;
  } catch (error) {
    if (!(error instanceof ExpressionProblem)) throw error;
    const underlined = underline(
      written,
      error.at + (error.length < written.length ? start : 0),
      error.length,
    );
    throw routingErrors.create('ROUTING_BAD_REQUIREMENT', { ...place, problem: error.message, underlined });
  }
}

function analyse(text: string, length: number): ReadRequirement {
  if (text === '') throw new ExpressionProblem('is empty', 0, length);
  const tree = parseExpression(text);
  const source = renderExpression(tree);
  const canBeEmpty = compile(source, length).test('');
  const graph = buildPositionGraph(tree);
  const assertions = collectAssertions(tree);
  const inner = assertions.flatMap((one) => (one.inner === undefined ? [] : [one.inner]));
  const all = [graph, ...inner.map(buildPositionGraph)].map(findAmbiguity);
  if (all.includes('exponential')) {
    const reason = 'can take exponential time: a text can run through one of its repetitions in several ways';
    throw new ExpressionProblem(reason, 0, length);
  }
  const ambiguity = all.includes('polynomial') ? 'polynomial' : 'none';
  if (ambiguity !== 'none' && assertions.length > 0) {
    const reason =
      'can take more than linear time: it looks around, and its repetitions can share a text in many ways';
    throw new ExpressionProblem(reason, 0, length);
  }
  return {
    tree,
    source,
    canBeEmpty,
    canHoldSlash: graph.samples.some((sample) => (sample & slashSample) !== 0n),
    ambiguity,
    hasAssertions: assertions.length > 0,
  };
}

function compile(source: string, length: number): RegExp {
  try {
    return new RegExp(`^(?:${source})$`, 'su');
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^.*: (?=[^:]*$)/s, '') : 'malformed';
    throw new ExpressionProblem(`is no valid regular expression (${reason})`, 0, length);
  }
}

function withoutAnchors(rest: string): string {
  const end = /(?<!\\)(?:\\\\)*(\$|\\z|\\Z)$/.exec(rest)?.[1]?.length ?? 0;
  return rest.slice(0, rest.length - end);
}

function collectAssertions(tree: Expression): Extract<Expression, { kind: 'assertion' }>[] {
  switch (tree.kind) {
    case 'assertion':
      return [tree, ...(tree.inner === undefined ? [] : collectAssertions(tree.inner))];
    case 'sequence':
      return tree.parts.flatMap(collectAssertions);
    case 'choice':
      return tree.options.flatMap(collectAssertions);
    case 'repeat':
      return collectAssertions(tree.body);
    case 'char':
      return [];
  }
}
