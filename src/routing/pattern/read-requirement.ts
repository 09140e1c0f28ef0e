import { slashSample, buildPositionGraph } from './position-graph.js';
import { routingErrors } from './error-codes.js';
import { findTextLimit } from './find-text-limit.js';
import { ExpressionProblem, parseExpression, renderExpression, type Expression } from './parse-expression.js';
import { underline } from './parse-pattern.js';

/** A parsed requirement that can safely be embedded in a larger expression. */
export interface ReadRequirement {
  readonly tree: Expression;
  /** JavaScript source for the flags `su`: no anchors, no captures. */
  readonly source: string;
  readonly canBeEmpty: boolean;
  readonly canHoldSlash: boolean;
  /** Length of the longest value that is matched; Infinity for most requirements. */
  readonly textLimit: number;
}

/** Minimum text limit: requirements that are only safe for shorter texts are refused. */
export const minTextLimit = 64;

const cachedRequirements = new Map<string, ReadRequirement>(); // by source text

/** Parses the requirement of one variable. @throws ROUTING_BAD_REQUIREMENT with the reason */
export function readRequirement(
  written: string,
  place: { route: string; variable: string },
): ReadRequirement {
  const earlier = cachedRequirements.get(written);
  if (earlier !== undefined) return earlier;
  try {
    const read = analyse(withoutAnchors(written));
    if (cachedRequirements.size < 10_000) cachedRequirements.set(written, read);
    return read;
  } catch (error) {
    if (!(error instanceof ExpressionProblem)) throw error;
    const underlined = underline(written, 0, written.length);
    throw routingErrors.create('ROUTING_BAD_REQUIREMENT', { ...place, problem: error.message, underlined });
  }
}

function analyse(text: string): ReadRequirement {
  if (text === '') throw new ExpressionProblem('is empty');
  const tree = parseExpression(text);
  const source = renderExpression(tree);
  const textLimit = findTextLimit(tree);
  if (textLimit < minTextLimit) {
    throw new ExpressionProblem(
      'can take more than linear time: several of its repetitions can share a text in many ways',
    );
  }
  return {
    tree,
    source,
    canBeEmpty: new RegExp(`^(?:${source})$`, 'su').test(''),
    canHoldSlash: buildPositionGraph(tree).samples.some((sample) => (sample & slashSample) !== 0n),
    textLimit,
  };
}

function withoutAnchors(written: string): string {
  const start = /^(?:\^|\\A)/.exec(written)?.[0].length ?? 0;
  const end = /(?<!\\)(?:\\\\)*(\$|\\z|\\Z)$/.exec(written.slice(start))?.[1]?.length ?? 0;
  return written.slice(start, written.length - end);
}
