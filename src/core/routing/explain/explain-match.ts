import { findLeaves, type PlacedLeaf } from '../compile/path-trie.js';
import type { CompiledRoutes } from '../compile/compile-routes.js';
import { findObstacle, hostOf, matchRoute } from '../match/match-route.js';
import type { PatternToken } from '../pattern/parse-pattern.js';
import { createTokenMatcher, createValueMatcher, requirementSource } from '../pattern/requirement.js';
import type { MatchContext, MatchResult, Route } from '../define/route.js';
import { editDistance } from '#core/coded-error';

/** The result for one route: a different path (`no`), a match except for `reason` (`almost`), or a match. */
export interface TraceRow {
  readonly name: string;
  readonly path: string;
  readonly level: 'no' | 'almost' | 'match';
  readonly reason: string;
}

/** Explains why a request matched a route, or did not. Plain data. */
export interface MatchTrace {
  readonly method: string;
  /** Decoded. */
  readonly path: string;
  readonly host: string;
  readonly outcome: MatchResult['kind'];
  /**
   * The routes in the order they were tried, up to the match. At most `limit`; rows with the level `no` are omitted
   * first.
   */
  readonly rows: readonly TraceRow[];
  readonly omitted: number;
  /** If there is no match: similar existing paths, the most similar first. */
  readonly nearMisses: readonly NearMiss[];
}

/**
 * Tries every route, including its condition, and reports why it does not match; takes about a microsecond per route.
 * Routes that `counts` refuses are omitted unless they match or nearly match.
 */
export function explainMatch(
  compiled: CompiledRoutes,
  context: MatchContext,
  options: { limit?: number; counts?: (route: Route) => boolean } = {},
): MatchTrace {
  const { limit = 200, counts = () => true } = options;
  const outcome = matchRoute(compiled, context);
  const end = outcome.kind === 'match' ? compiled.routes.indexOf(outcome.route) + 1 : compiled.routes.length;
  const reached = new Map<Route, PlacedLeaf[]>();
  for (const placed of findLeaves(compiled.trie, context.path))
    reached.set(placed.leaf.route, [...(reached.get(placed.leaf.route) ?? []), placed]);
  const all = compiled.routes.slice(0, end).flatMap((route): TraceRow[] => {
    const verdict = explainRoute(route, reached.get(route) ?? [], context);
    const row = { name: route.name, path: route.path, ...verdict };
    if (outcome.kind === 'redirect' && outcome.route === route)
      return [{ ...row, level: 'almost', reason: `${row.reason}; redirects to ${outcome.path}` }];
    return row.level === 'no' && !counts(route) ? [] : [row];
  });
  let room = limit - all.filter(({ level }) => level !== 'no').length;
  const kept = all.filter(({ level }) => level !== 'no' || room-- > 0);
  const rows = kept.slice(Math.max(0, kept.length - limit));
  return {
    method: context.method,
    path: context.path,
    host: context.host ?? 'localhost',
    outcome: outcome.kind,
    rows,
    omitted: all.length - rows.length,
    nearMisses: outcome.kind === 'not-found' ? findNearMisses(compiled, context) : [],
  };
}

type Verdict = Pick<TraceRow, 'level' | 'reason'>;

/** Explains one route. `near` has its leaves that the trie finds for the path. */
function explainRoute(route: Route, near: readonly PlacedLeaf[], context: MatchContext): Verdict {
  const { path, method } = context;
  const reasons = {
    host: `host "${hostOf(context)}" is not "${route.host ?? ''}"`,
    condition: 'its condition returned false',
    method: `method "${method}" is not one of ${route.methods.join(', ')}`,
  };
  for (const placed of near) {
    const obstacle = findObstacle(placed, context, path);
    if (obstacle === undefined) return { level: 'match', reason: 'matches' };
    if (obstacle !== 'path') return { level: 'almost', reason: reasons[obstacle] };
  }
  return explainPath(near, path);
}

/** Explains why a route that the trie finds does not match: a requirement or the trailing slash. */
function explainPath(near: readonly PlacedLeaf[], path: string): Verdict {
  const other = path.endsWith('/') ? path.replace(/(?<!\/)\/+$/, '') : `${path}/`;
  for (const candidate of [path, other]) {
    for (const { leaf } of near) {
      const { route, variables: present } = leaf;
      const tokens = route.pattern.tokens.filter(
        (token) => token.kind === 'text' || present.includes(token.name),
      );
      const values = captureLoosely(route, tokens, candidate);
      if (values === null) continue;
      const variables = tokens.filter((token) => token.kind === 'variable');
      const wrong = variables.find(
        (token, index) => !createValueMatcher(route, token).test(values[index] ?? ''),
      );
      const reason = wrong && `"${wrong.name}" must match ${requirementSource(route, wrong)}`;
      if (reason !== undefined) return { level: 'almost', reason };
      if (candidate === other) return { level: 'almost', reason: 'the trailing slash differs' };
    }
  }
  return { level: 'no', reason: 'path does not match' };
}

/** Captures the variables as if they had no requirements. */
function captureLoosely(
  route: Route,
  tokens: readonly PatternToken[],
  path: string,
): readonly (string | undefined)[] | null {
  const loose = tokens.map((token) => (token.kind === 'text' ? token : { ...token, stops: '/' }));
  const { name } = route;
  return createTokenMatcher({ name, requirements: {} }, loose).capture(path);
}

/** A route whose path is similar to the requested one. */
export interface NearMiss {
  readonly name: string;
  readonly path: string;
  readonly methods: readonly string[];
  /** Edit distance; 0 would be the same path. */
  readonly distance: number;
}

/** Returns at most five paths similar to the requested one, the most similar first. A variable matches any segment. */
function findNearMisses({ routes }: CompiledRoutes, { path }: MatchContext): NearMiss[] {
  const requested = path.toLowerCase().split('/');
  const found: NearMiss[] = [];
  for (const route of routes) {
    const segments = route.path.toLowerCase().split('/');
    const fixed = segments.filter((segment) => !segment.includes('{')).join('/');
    if (!/[^/]/.test(fixed)) continue;
    const known = segments.map((segment, at) => (segment.includes('{') ? (requested[at] ?? '') : segment));
    const distance = editDistance(requested.join('/'), known.join('/'), maxDistance);
    if (distance > Math.min(maxDistance, path.length / 2, fixed.length / 2)) continue;
    if (found.some((other) => other.path === route.path)) continue; // same path, different method
    found.push({ name: route.name, path: route.path, methods: route.methods, distance });
  }
  return found.sort((a, b) => a.distance - b.distance).slice(0, 5);
}

/** Maximum edit distance that counts as a typo. */
const maxDistance = 4;
