import type { CompiledRoutes } from '../compile/compile-routes.js';
import { editDistance } from '../generate/find-nearest.js';
import type { MatchContext } from '../define/route.js';

/** A route whose path looks like the one asked for. */
export interface NearMiss {
  readonly name: string;
  readonly path: string;
  readonly methods: readonly string[];
  /** How much must be changed; 0 would be the same path. */
  readonly distance: number;
}

/** Longest part of a path, and most of its segments, that are looked at. */
const maxCharacters = 512;
const maxSegments = 16;

/** Paths that look like the one asked for, likest first: at most five. A variable stands for any segment. */
export function findNearMisses(compiled: CompiledRoutes, context: MatchContext): NearMiss[] {
  const asked = segmentsOf(context.path.slice(0, maxCharacters));
  const compare = createComparison();
  const found: NearMiss[] = [];
  for (const route of compiled.routes) {
    const distance = distanceOf(asked, segmentsOf(route.path), compare);
    if (distance === undefined) continue;
    found.push({ name: route.name, path: route.path, methods: route.methods, distance });
  }
  return found.sort((a, b) => a.distance - b.distance).slice(0, 5);
}

type Comparison = (segment: string, other: string) => number;

/** How much two segments differ, Infinity for more than half; routes share segments, so each pair is compared once. */
function createComparison(): Comparison {
  const known = new Map<string, Map<string, number>>();
  return (segment, other) => {
    const row = known.get(other) ?? new Map<string, number>();
    if (row.size === 0) known.set(other, row);
    const earlier = row.get(segment);
    if (earlier !== undefined) return earlier;
    const limit = Math.floor(Math.max(segment.length, other.length) / 2);
    const changes = editDistance(segment.toLowerCase(), other.toLowerCase(), limit);
    const distance = changes > limit ? Infinity : changes + (segment === other ? 0 : 0.25);
    row.set(segment, distance);
    return distance;
  };
}

/** Undefined when no segment is alike, or more differs than the longest segment is long. */
function distanceOf(
  asked: readonly string[],
  known: readonly string[],
  compare: Comparison,
): number | undefined {
  const surplus = Math.abs(known.length - asked.length);
  if (surplus > 1) return undefined;
  let distance = surplus * 2;
  let alike = 0;
  let longest = 3;
  for (const [index, segment] of known.entries()) {
    const other = asked[index];
    longest = Math.max(longest, segment.length);
    if (other === undefined) continue;
    const changes = segment.includes('{') ? 0.5 : compare(segment, other);
    if (!segment.includes('{') && changes < Infinity) alike += 1;
    distance += changes === Infinity ? segment.length : changes;
  }
  return alike > 0 && distance <= longest ? distance : undefined;
}

function segmentsOf(path: string): string[] {
  return path.split('/', maxSegments).filter((segment) => segment !== '');
}
