import type { PositionGraph } from './position-graph.js';

/** How badly a backtracking matcher can go wrong on an expression: not at all, by a power of the length, or endlessly. */
export type Ambiguity = 'none' | 'polynomial' | 'exponential';

/** More places than these, or more steps from one to another, are not looked at: such an expression counts as ambiguous. */
const mostPlaces = 150;
const mostPairs = 100_000;
const mostTriples = 4_000;

/**
 * Exponential: some text leads from a place back to itself in two ways, so that each repetition doubles the ways.
 * Polynomial: some text leads from one loop to itself, from there to another loop, and from that to itself.
 */
export function findAmbiguity(graph: PositionGraph): Ambiguity {
  if (graph.samples.length > mostPlaces) return 'exponential';
  const reach = reachable(graph);
  const reaches = (a: number, b: number): boolean => reach[a]?.has(b) === true;
  const loops = [...graph.samples.keys()].filter((place) => reaches(place, place));
  const pairBudget = { left: mostPairs };
  for (const place of loops) {
    const inLoop = (other: number): boolean => reaches(place, other) && reaches(other, place);
    for (const [next, ways] of graph.follow[place] ?? []) if (ways > 1 && inLoop(next)) return 'exponential';
    if (returnsTwice(graph, place, { inLoop, budget: pairBudget })) return 'exponential';
  }
  const budget = { left: mostTriples };
  const slides = loops.some((a) =>
    loops.some((b) => a !== b && reaches(a, b) && overlaps(graph, a, b) && slidesOver(graph, [a, b], budget)),
  );
  return slides ? 'polynomial' : 'none';
}

/** Walks pairs of places from (place, place), by the same characters, and asks for a way back that parted once. */
function returnsTwice(
  graph: PositionGraph,
  place: number,
  options: { inLoop: (place: number) => boolean; budget: { left: number } },
): boolean {
  const { inLoop, budget } = options;
  return walkTuples([place, place, 0], [place, place, 1], budget, ([a, b, parted]) => {
    const steps: Tuple[] = [];
    for (const x of successors(graph, a)) {
      for (const y of inLoop(x) ? successors(graph, b) : []) {
        if (inLoop(y) && overlaps(graph, x, y)) steps.push([x, y, parted === 1 || x !== y ? 1 : 0]);
      }
    }
    return steps;
  });
}

/** Walks triples from (a, a, b) to (a, b, b), by the same characters. */
function slidesOver(
  graph: PositionGraph,
  [a, b]: readonly [number, number],
  budget: { left: number },
): boolean {
  return walkTuples([a, a, b], [a, b, b], budget, ([p, q, r]) => {
    const steps: Tuple[] = [];
    for (const x of successors(graph, p)) {
      const pairs = [...successors(graph, q)].filter((y) => overlaps(graph, x, y));
      for (const y of pairs) {
        const triples = [...successors(graph, r)].filter((z) => overlaps(graph, x, y, z));
        steps.push(...triples.map((z): Tuple => [x, y, z]));
      }
    }
    return steps;
  });
}

type Tuple = readonly [number, number, number];

/** True when the goal is reached, or when the budget of steps did not suffice to tell. */
function walkTuples(
  start: Tuple,
  goal: Tuple,
  budget: { left: number },
  next: (tuple: Tuple) => Tuple[],
): boolean {
  const keyOf = ([a, b, c]: Tuple): number => (a * 1_000 + b) * 1_000 + c;
  const seen = new Set<number>();
  const open = [start];
  for (let tuple = open.pop(); tuple !== undefined; tuple = open.pop()) {
    const steps = next(tuple).filter((step) => !seen.has(keyOf(step)));
    budget.left -= steps.length + 1;
    if (budget.left < 0 || steps.some((step) => keyOf(step) === keyOf(goal))) return true;
    for (const step of steps) seen.add(keyOf(step));
    open.push(...steps);
  }
  return false;
}

function successors(graph: PositionGraph, place: number): Iterable<number> {
  return graph.follow[place]?.keys() ?? [];
}

function overlaps(graph: PositionGraph, ...places: readonly number[]): boolean {
  return places.reduce((bits, place) => bits & (graph.samples[place] ?? 0n), -1n) !== 0n;
}

/** For each place the places that some text leads to. */
function reachable(graph: PositionGraph): Set<number>[] {
  return graph.samples.map((_, place) => {
    const seen = new Set<number>();
    const open = [place];
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      const fresh = [...successors(graph, at)].filter((next) => !seen.has(next));
      for (const next of fresh) seen.add(next);
      open.push(...fresh);
    }
    return seen;
  });
}
