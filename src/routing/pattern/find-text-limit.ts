import { fullSample, buildPositionGraph, type PositionGraph } from './position-graph.js';
import { ExpressionProblem, type Expression } from './parse-expression.js';

/** Approximate maximum of steps for one match; in the worst case, a backtracking engine takes some milliseconds for them. */
const maxSteps = 2 ** 17;

/** Longest possible path: Node's limit on the head of a request. */
const maxPathLength = 16_384;

/** An upper bound of the steps for a text of length n: `factor` × n to the power of `degree`. */
interface Work {
  readonly degree: number;
  readonly factor: number;
}

/**
 * Returns the length of the longest text that a backtracking engine can match within a bounded number of steps; Infinity
 * for most expressions. It uses an upper bound of the steps, so a refused expression may be harmless.
 * @throws ExpressionProblem if a repetition can match a text in several ways, because the time would be exponential
 */
export function findTextLimit(
  tree: Expression,
  options: { readonly ignoreCase?: boolean; readonly maxSteps?: number } = {},
): number {
  const { degree, factor } = workOf(tree, options);
  const room = (options.maxSteps ?? maxSteps) / factor;
  const limit = room > 1 ? Math.floor(room ** (1 / degree)) : 0;
  return limit > maxPathLength ? Infinity : limit;
}

/** Estimates the work of an expression. A lookahead may be tried at every step, so its work is multiplied. */
function workOf(tree: Expression, options: { readonly ignoreCase?: boolean }): Work {
  const graph = buildPositionGraph(tree, options);
  const work = new WorkEstimate(graph).ofPlace(0);
  const tail = work.degree === 0 ? 1 : work.factor * longestOverlap(graph);
  const inner = graph.assertions.flatMap((one) => (one === undefined ? [] : [workOf(one, options)]));
  return {
    degree: inner.reduce((degree, one) => Math.max(degree, work.degree + one.degree), work.degree),
    factor: inner.reduce((factor, one) => factor * one.factor, Math.max(work.factor, tail)),
  };
}

/** Adds up, from the end of a graph to its start, the number of ways to match a text. */
class WorkEstimate {
  readonly #graph: PositionGraph;
  readonly #reach: readonly ReadonlySet<number>[];
  readonly #known = new Map<number, Work>();

  constructor(graph: PositionGraph) {
    this.#graph = graph;
    this.#reach = reachable(graph);
  }

  /** Returns the work from a place, or from the loop that contains it, to the end. */
  ofPlace(place: number): Work {
    const earlier = this.#known.get(place);
    if (earlier !== undefined) return earlier;
    const isLoop = this.#isWithin(place, place);
    const members = isLoop
      ? [...(this.#reach[place] ?? [])].filter((one) => this.#isWithin(place, one))
      : [place];
    const works = members.map((one) => this.#ofExits(one, members));
    const degrees = works.map(({ degree }) => degree);
    const work = {
      degree: Math.max(isLoop && !this.#takesAll(place) ? 1 : 0, ...degrees),
      factor: Math.max(...works.map(({ factor }) => factor)),
    };
    for (const one of members) this.#known.set(one, work);
    return work;
  }

  /** Returns the work after the loop of a place. A loop that can be left at many positions multiplies it by the text's length. */
  #ofExits(place: number, members: readonly number[]): Work {
    const edges = [...(this.#graph.follow[place] ?? [])];
    const inside = edges.filter(([next]) => this.#isWithin(place, next) && members.includes(next));
    assertOneWay(this.#graph, inside);
    const exits = edges
      .filter((edge) => !inside.includes(edge))
      .map(([next, ways]) => ({ next, ways, work: this.ofPlace(next) }));
    let work: Work = { degree: 0, factor: 1 };
    for (const { next, work: after } of exits) {
      const slides = after.degree > 0 && inside.some(([one]) => overlap(this.#graph, one, next));
      const alike = exits.filter((one) => overlap(this.#graph, one.next, next));
      work = {
        degree: Math.max(work.degree, after.degree + (slides ? 1 : 0)),
        factor: Math.max(
          work.factor,
          alike.reduce((sum, one) => sum + one.ways * one.work.factor, 0),
        ),
      };
    }
    return work;
  }

  #isWithin(place: number, other: number): boolean {
    return this.#reach[place]?.has(other) === true && this.#reach[other]?.has(place) === true;
  }

  /** Whether nothing after the place can fail, so that matching never backtracks into it. */
  #takesAll(place: number): boolean {
    const { samples, follow, last, endless, assertions } = this.#graph;
    return (
      endless.has(place) &&
      samples[place] === fullSample &&
      last.includes(place) &&
      follow[place]?.size === 1 &&
      assertions.length === 0
    );
  }
}

/** Throws unless each character within a loop leads to only one place, so that there is only one way to match a text. */
function assertOneWay(graph: PositionGraph, inside: readonly (readonly [number, number])[]): void {
  for (const [index, [place, ways]] of inside.entries()) {
    const isAlike = inside.slice(0, index).some(([other]) => overlap(graph, place, other));
    if (ways > 1 || isAlike) {
      throw new ExpressionProblem(
        'can take exponential time: a text can run through one of its repetitions in several ways',
      );
    }
  }
}

/** Returns the largest number of places outside of loops that accept the same character: so many can follow a loop at once. */
function longestOverlap(graph: PositionGraph): number {
  const once = [...graph.samples.keys()].filter((place) => graph.follow[place]?.has(place) !== true);
  const counts = once.map((place) => once.filter((other) => overlap(graph, place, other)).length);
  return Math.max(1, ...counts);
}

function overlap({ samples }: PositionGraph, place: number, other: number): boolean {
  return ((samples[place] ?? 0n) & (samples[other] ?? 0n)) !== 0n;
}

/** Returns, for each place, the places that can be reached from it. */
function reachable({ follow }: PositionGraph): Set<number>[] {
  return follow.map((_, place) => {
    const seen = new Set<number>();
    const open = [place];
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      const fresh = [...(follow[at]?.keys() ?? [])].filter((next) => !seen.has(next));
      for (const next of fresh) seen.add(next);
      open.push(...fresh);
    }
    return seen;
  });
}
