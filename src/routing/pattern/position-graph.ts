import { ExpressionProblem, type Expression } from './parse-expression.js';

const cachedSamples = new Map<string, bigint>(); // by flags and source text of an atom

/** The set of all characters: one bit for each ASCII character, and one bit for all others. */
export const fullSample: bigint = (1n << 129n) - 1n;
export const slashSample: bigint = 1n << 47n;

/** Atoms that may accept non-ASCII characters: a dot, a negation, an escape for many characters, or such a character itself. */
const takesOthers = /^\.$|^\[\^|\\[uxpPDWSs]|[^\0-\x7f]/u; // oxlint-disable-line no-control-regex -- the range of ASCII

/** Returns the characters that an atom (a character, an escape, a class) accepts, or a superset. */
function sampleOf(source: string, options: { readonly ignoreCase?: boolean } = {}): bigint {
  const flags = options.ignoreCase === true ? 'sui' : 'su';
  const earlier = cachedSamples.get(flags + source);
  if (earlier !== undefined) return earlier;
  const form = new RegExp(`^${source}$`, flags);
  let bits = takesOthers.test(source) ? 1n << 128n : 0n;
  for (let code = 0; code < 128; code += 1) {
    if (form.test(String.fromCharCode(code))) bits |= 1n << BigInt(code);
  }
  if (cachedSamples.size < 10_000) cachedSamples.set(flags + source, bits);
  return bits;
}

/**
 * An expression as a Glushkov automaton: a node for each place that accepts a character, an edge for each way in which
 * one place can follow another. Edges are counted, because two ways along the same edge are an ambiguity too. Place 0 is
 * before the first character.
 */
export interface PositionGraph {
  /** The characters that each place accepts (see `sampleOf`). */
  readonly samples: readonly bigint[];
  /** For each place, the places that can follow, with the number of ways. */
  readonly follow: readonly ReadonlyMap<number, number>[];
  /** Places at which a text may end. */
  readonly last: readonly number[];
  /** Single places that repeat without limit. */
  readonly endless: ReadonlySet<number>;
  /** The insides of lookaheads. */
  readonly assertions: readonly (Expression | undefined)[];
}

/** Number of repetitions from which a repetition counts as endless, because it already affects the time. */
const endlessRepeats = 8;
const maxPlaces = 500;

interface Piece {
  readonly first: readonly number[];
  readonly last: readonly number[];
  readonly empty: boolean;
}

const emptyPiece: Piece = { first: [], last: [], empty: true };

/** Builds the graph of an expression. @throws ExpressionProblem if the expression is too long to be analysed */
export function buildPositionGraph(
  tree: Expression,
  options: { readonly ignoreCase?: boolean } = {},
): PositionGraph {
  const samples: bigint[] = [];
  const follow: Map<number, number>[] = [];
  const endless = new Set<number>();
  const assertions: (Expression | undefined)[] = [];
  const addPlace = (sample: bigint): Piece => {
    if (samples.length > maxPlaces) throw new ExpressionProblem('is too long to be checked');
    follow.push(new Map());
    const places = [samples.push(sample) - 1];
    return { first: places, last: places, empty: false };
  };
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
    if (part.kind === 'sequence') return part.parts.map(build).reduce(chain, emptyPiece);
    if (part.kind === 'choice') return join(part.options.map(build));
    if (part.kind === 'repeat') return buildRepeat(part);
    if (part.kind === 'char') return addPlace(sampleOf(part.source, options));
    assertions.push(part.inner);
    return emptyPiece;
  };
  const buildRepeat = ({ body, min, max }: Extract<Expression, { kind: 'repeat' }>): Piece => {
    if (max >= endlessRepeats && (body.kind !== 'char' || min < max)) {
      const piece = build(body);
      link(piece.last, piece.first);
      if (max === Infinity && body.kind === 'char') for (const place of piece.first) endless.add(place);
      return { ...piece, empty: piece.empty || min === 0 };
    }
    return Array.from({ length: max }, (_, index) => {
      const piece = build(body);
      return index < min ? piece : { ...piece, empty: true };
    }).reduce(chain, emptyPiece);
  };
  const { last } = chain(addPlace(0n), build(tree));
  return { samples, follow, last, endless, assertions };
}

function join(pieces: readonly Piece[]): Piece {
  return {
    first: pieces.flatMap((piece) => piece.first),
    last: pieces.flatMap((piece) => piece.last),
    empty: pieces.some((piece) => piece.empty),
  };
}
