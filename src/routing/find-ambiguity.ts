import type { PositionGraph } from './position-graph.js';

/** How badly a backtracking matcher can go wrong on an expression: not at all, by a power of the length, or endlessly. */
export type Ambiguity = 'none' | 'polynomial' | 'exponential';

/** More places, or more pairs and triples of them, are not looked at: such an expression counts as ambiguous. */
const mostPlaces = 150;
const mostSteps = 200_000;

/**
 * Exponential: some text leads from a place back to itself in two ways, so that each repetition doubles the ways.
 * Polynomial: some text leads from one loop to itself, from there to another loop, and from that to itself.
 */
export function findAmbiguity(graph: PositionGraph): Ambiguity {
  if (graph.samples.length > mostPlaces) return 'exponential';
  const reach = reachable(graph);
  const loops = [...graph.samples.keys()].filter((place) => reach[place]?.has(place) === true);
  if (loops.length === 0) return 'none';
  const sameLoop = (a: number, b: number): boolean => reach[a]?.has(b) === true && reach[b]?.has(a) === true;
  for (const place of loops) {
    for (const [next, ways] of graph.follow[place] ?? [])
      if (ways > 1 && sameLoop(place, next)) return 'exponential';
    if (returnsTwice(graph, place, sameLoop)) return 'exponential';
  }
  const pairs = loops.flatMap((a) =>
    loops.filter((b) => a !== b && reach[a]?.has(b) === true).map((b) => [a, b] as const),
  );
  return pairs.some(([a, b]) => slidesOver(graph, a, b)) ? 'polynomial' : 'none';
}

/** Walks pairs of places from (place, place), by the same characters, and asks for a way back that parted once. */
function returnsTwice(
  graph: PositionGraph,
  place: number,
  sameLoop: (a: number, b: number) => boolean,
): boolean {
  const start = [place, place, 0];
  const goal = [place, place, 1].join();
  return walkTuples(start, goal, ([a = 0, b = 0, parted = 0]) => {
    const steps: number[][] = [];
    for (const x of successors(graph, a)) {
      for (const y of successors(graph, b)) {
        const shared = overlaps(graph, x, y) && sameLoop(place, x) && sameLoop(place, y);
        if (shared) steps.push([x, y, parted === 1 || x !== y ? 1 : 0]);
      }
    }
    return steps;
  });
}

/** Walks triples from (a, a, b) to (a, b, b), by the same characters. */
function slidesOver(graph: PositionGraph, a: number, b: number): boolean {
  return walkTuples([a, a, b], [a, b, b].join(), ([p = 0, q = 0, r = 0]) => {
    const steps: number[][] = [];
    for (const x of successors(graph, p)) {
      const pairs = [...successors(graph, q)].filter((y) => overlaps(graph, x, y));
      for (const y of pairs) {
        steps.push(
          ...[...successors(graph, r)].filter((z) => overlaps(graph, x, y, z)).map((z) => [x, y, z]),
        );
      }
    }
    return steps;
  });
}

/** True when the goal is reached, or when the search grew too long to tell. */
function walkTuples(start: number[], goal: string, next: (tuple: number[]) => number[][]): boolean {
  const seen = new Set<string>();
  const open = [start];
  for (let steps = 0; open.length > 0; steps += 1) {
    if (steps > mostSteps) return true;
    for (const tuple of next(open.pop() ?? start)) {
      const key = tuple.join();
      if (key === goal) return true;
      if (seen.has(key)) continue;
      seen.add(key);
      open.push(tuple);
    }
  }
  return false;
}

function successors(graph: PositionGraph, place: number): Iterable<number> {
  return graph.follow[place]?.keys() ?? [];
}

function overlaps(graph: PositionGraph, ...places: number[]): boolean {
  return places.reduce((bits, place) => bits & (graph.samples[place] ?? 0n), -1n) !== 0n;
}

/** For each place the places that some text leads to. */
function reachable(graph: PositionGraph): Set<number>[] {
  return graph.samples.map((_, place) => {
    const seen = new Set<number>();
    const open = [place];
    while (open.length > 0) {
      for (const next of successors(graph, open.pop() ?? place)) {
        if (!seen.has(next)) open.push(next);
        seen.add(next);
      }
    }
    return seen;
  });
}
