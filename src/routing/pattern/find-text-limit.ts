import { fullSample, buildPositionGraph, type PositionGraph } from './position-graph.js';
import { ExpressionProblem, type Expression } from './parse-expression.js';

/** Steps that a match may take, about; a backtracking engine takes some milliseconds for so many at worst. */
const maxSteps = 2 ** 17;

/** Servers take no longer ones: Node's limit of a request's head. */
const maxPathLength = 16_384;

interface Work {
  /** The steps grow with this power of the text's length … */
  readonly degree: number;
  /** … times this. */
  readonly factor: number;
}

/**
 * The longest text that a backtracking engine can try an expression on within a bounded number of steps; Infinity for
 * most expressions. An upper bound of the work, not the work: what is refused may be harmless.
 * @throws ExpressionProblem when a repetition can run through one text in several ways: the time would be exponential
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

/** A lookahead may be tried at every step. */
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

/** Adds up, from the last places of a graph to the first, in how many ways a text can be run through. */
class WorkEstimate {
  readonly #graph: PositionGraph;
  readonly #reach: readonly ReadonlySet<number>[];
  readonly #known = new Map<number, Work>();

  constructor(graph: PositionGraph) {
    this.#graph = graph;
    this.#reach = reachable(graph);
  }

  /** The work from a place, or from the loop that it belongs to, to the end. */
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

  /** What follows a place outside of its loop. A loop that can be left at many places of a text multiplies by its length. */
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

  /** Nothing behind it can fail, so matching never backtracks into it. */
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

/** Within a loop each character leads to one place, so that a text runs through it in one way. */
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

/** How many places outside of loops take one character, at most: so many can be tried at once behind a loop. */
function longestOverlap(graph: PositionGraph): number {
  const once = [...graph.samples.keys()].filter((place) => graph.follow[place]?.has(place) !== true);
  const counts = once.map((place) => once.filter((other) => overlap(graph, place, other)).length);
  return Math.max(1, ...counts);
}

function overlap({ samples }: PositionGraph, place: number, other: number): boolean {
  return ((samples[place] ?? 0n) & (samples[other] ?? 0n)) !== 0n;
}

/** For each place the places that some text leads to. */
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
