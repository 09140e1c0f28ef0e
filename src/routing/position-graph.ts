import { sampleOf } from './char-sample.js';
import type { Expression } from './parse-expression.js';

/**
 * An expression as a graph (Glushkov's automaton): a node for each place that takes a character, an edge for each way in
 * which one place can follow another. Edges are counted: two ways over the same edge are an ambiguity too.
 */
export interface PositionGraph {
  /** What each place takes, as `sampleOf` gives it. */
  readonly samples: readonly bigint[];
  /** For each place the places that can follow, with the number of ways. */
  readonly follow: readonly ReadonlyMap<number, number>[];
  readonly first: readonly number[];
  readonly canBeEmpty: boolean;
}

/** From this many on, a repetition counts as endless: it is long enough to be felt. */
const endless = 8;

interface Piece {
  readonly first: readonly number[];
  readonly last: readonly number[];
  readonly empty: boolean;
}

export function buildPositionGraph(tree: Expression): PositionGraph {
  const samples: bigint[] = [];
  const follow: Map<number, number>[] = [];
  const link = (from: readonly number[], to: readonly number[]): void => {
    for (const one of from)
      for (const other of to) follow[one]?.set(other, (follow[one].get(other) ?? 0) + 1);
  };
  const chain = (left: Piece, right: Piece): Piece => {
    link(left.last, right.first);
    return {
      first: left.empty ? [...left.first, ...right.first] : left.first,
      last: right.empty ? [...left.last, ...right.last] : right.last,
      empty: left.empty && right.empty,
    };
  };
  const build = (part: Expression): Piece => {
    if (part.kind === 'assertion') return nothing;
    if (part.kind === 'sequence') return part.parts.map(build).reduce(chain, nothing);
    if (part.kind === 'choice') return join(part.options.map(build));
    if (part.kind === 'repeat') return buildRepeat(part);
    samples.push(sampleOf(part.source));
    follow.push(new Map());
    return { first: [samples.length - 1], last: [samples.length - 1], empty: false };
  };
  const buildRepeat = ({ body, min, max }: Extract<Expression, { kind: 'repeat' }>): Piece => {
    if (max >= endless) {
      const piece = build(body);
      link(piece.last, piece.first);
      return { ...piece, empty: piece.empty || min === 0 };
    }
    const copies = Array.from({ length: max }, (_, index) => {
      const piece = build(body);
      return index < min ? piece : { ...piece, empty: true };
    });
    return copies.reduce(chain, nothing);
  };
  const whole = build(tree);
  return { samples, follow, first: whole.first, canBeEmpty: whole.empty };
}

const nothing: Piece = { first: [], last: [], empty: true };

function join(pieces: readonly Piece[]): Piece {
  return {
    first: pieces.flatMap((piece) => piece.first),
    last: pieces.flatMap((piece) => piece.last),
    empty: pieces.some((piece) => piece.empty),
  };
}
