import type { CompiledRoutes } from './compile-routes.js';
import { editDistance } from './find-nearest.js';
import type { MatchContext, Route } from './route.js';

/** A route whose path looks like the one asked for. */
export interface NearMiss {
  readonly name: string;
  readonly path: string;
  readonly methods: readonly string[];
  /** How much must be changed; 0 would be the same path. */
  readonly distance: number;
}

/** Paths that look like the one asked for, likest first: at most five. A variable stands for any segment. */
export function findNearMisses(compiled: CompiledRoutes, context: MatchContext): NearMiss[] {
  const asked = segmentsOf(context.path.slice(0, 512));
  const found: NearMiss[] = [];
  for (const route of compiled.routes) {
    const distance = distanceOf(asked, route);
    if (distance === undefined) continue;
    found.push({ name: route.name, path: route.path, methods: route.methods, distance });
  }
  return found.sort((a, b) => a.distance - b.distance).slice(0, 5);
}

/** Undefined when less than half of the path is alike. */
function distanceOf(asked: readonly string[], route: Route): number | undefined {
  const known = segmentsOf(route.path);
  if (Math.abs(known.length - asked.length) > 1) return undefined;
  let distance = Math.abs(known.length - asked.length) * 2;
  let alike = 0;
  for (const [index, segment] of known.entries()) {
    const other = asked[index];
    if (other === undefined) continue;
    if (segment.includes('{')) {
      distance += 0.5;
      continue;
    }
    const limit = Math.floor(Math.max(segment.length, other.length) / 2);
    const changes = editDistance(segment.toLowerCase(), other.toLowerCase(), limit);
    if (changes <= limit) alike += 1;
    distance += changes <= limit ? changes + (segment === other ? 0 : 0.25) : segment.length;
  }
  const longest = Math.max(...known.map((segment) => segment.length), 3);
  return alike > 0 && distance <= longest ? distance : undefined;
}

function segmentsOf(path: string): string[] {
  return path.split('/', 16).filter((segment) => segment !== '');
}
