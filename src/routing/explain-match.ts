import { acceptsHost, acceptsMethod, acceptsScheme } from './accept-request.js';
import type { CompiledRoute, RouteEnding } from './compile-route.js';
import type { CompiledRoutes } from './compile-routes.js';
import { matchRoute } from './match-route.js';
import { findNearMisses, type NearMiss } from './near-misses.js';
import type { PatternToken } from './parse-pattern.js';
import { createTokenMatcher, createValueMatcher, requirementSource } from './token-matcher.js';
import { followSteps, hasShape, readParameters } from './read-parameters.js';
import type { MatchContext, MatchResult, Route } from './route.js';

/** What became of one route: it does not have the path, it has it but for `reason`, or it takes the request. */
export interface TraceRow {
  readonly name: string;
  readonly path: string;
  readonly level: 'no' | 'almost' | 'match';
  readonly reason: string;
}

/** Why a request went where it went. Plain data. */
export interface MatchTrace {
  readonly method: string;
  /** Decoded. */
  readonly path: string;
  readonly host: string;
  readonly scheme: string;
  readonly outcome: MatchResult['kind'];
  /** The routes in the order in which they were tried, up to the one that matched; at most `limit`, the telling ones first kept. */
  readonly rows: readonly TraceRow[];
  /** How many more rows there would be. */
  readonly omitted: number;
  /** For misses: paths that exist and look alike, likest first. */
  readonly nearMisses: readonly NearMiss[];
}

/** Tries every route and says what stood against it. Asks conditions again; costs about a microsecond per route. */
export function explainMatch(
  compiled: CompiledRoutes,
  context: MatchContext,
  options: { limit?: number } = {},
): MatchTrace {
  const outcome = matchRoute(compiled, context);
  const end = outcome.kind === 'match' ? compiled.routes.indexOf(outcome.route) + 1 : compiled.routes.length;
  const rows = compiled.endings.slice(0, end).map((endings, order): TraceRow => {
    const row = explainRoute(endings, context);
    const redirects = outcome.kind === 'redirect' && outcome.route === compiled.routes[order];
    return redirects
      ? { ...row, level: 'almost', reason: `${row.reason}; redirects to ${outcome.path}` }
      : row;
  });
  const kept = keepTelling(rows, options.limit ?? 200);
  return {
    method: context.method,
    path: context.path,
    host: context.host ?? 'localhost',
    scheme: context.scheme ?? 'http',
    outcome: outcome.kind,
    rows: kept,
    omitted: rows.length - kept.length,
    nearMisses: outcome.kind === 'not-found' ? findNearMisses(compiled, context) : [],
  };
}

/** Rows that almost matched go last when rows must go. */
function keepTelling(rows: readonly TraceRow[], limit: number): TraceRow[] {
  let room = Math.max(0, limit - rows.filter((row) => row.level !== 'no').length);
  return rows.filter((row) => row.level !== 'no' || room-- > 0).slice(0, limit);
}

function explainRoute(endings: readonly RouteEnding[], context: MatchContext): TraceRow {
  const { owner } = endings[0] ?? {};
  if (owner === undefined) return { name: '', path: '', level: 'no', reason: 'it has no path' };
  const { route } = owner;
  const row = { name: route.name, path: route.path };
  const near = endings.flatMap((ending) => {
    const steps = followSteps(ending.shape, context.path);
    return steps === undefined ? [] : [{ ending, segments: steps.last }];
  });
  const found = near.find(({ ending, segments }) => hasShape(ending.shape, context.path, segments));
  if (near.length === 0) return { ...row, level: 'no', reason: 'path does not match' };
  if (found === undefined)
    return {
      ...row,
      ...explainPath(
        near.map((one) => one.ending),
        context.path,
      ),
    };
  const parameters = readParameters(found.ending, found.segments, { path: context.path, context });
  if (parameters === undefined) return { ...row, level: 'almost', reason: 'a converter refused its value' };
  const reason = whyNot(
    owner,
    context,
    () => route.condition?.(context, context.request, parameters) ?? true,
  );
  return { ...row, level: reason === undefined ? 'match' : 'almost', reason: reason ?? 'matches' };
}

function whyNot(owner: CompiledRoute, context: MatchContext, agrees: () => boolean): string | undefined {
  const { route } = owner;
  if (!acceptsHost(owner, context.host)) return `host "${hostOf(context)}" is not "${route.host ?? ''}"`;
  if (!agrees()) return 'its condition does not agree';
  if (!acceptsScheme(owner, context.scheme))
    return `scheme "${context.scheme ?? 'http'}" is not one of ${route.schemes.join(', ')}`;
  const method = context.method.toUpperCase();
  if (!acceptsMethod(owner, method)) return `method "${method}" is not one of ${route.methods.join(', ')}`;
  return undefined;
}

/** The steps lead to the route, but a requirement or the last slash stands against it. */
function explainPath(
  endings: readonly RouteEnding[],
  path: string,
): { level: 'no' | 'almost'; reason: string } {
  const other = path.endsWith('/') ? path.replace(/\/+$/, '') : `${path}/`;
  for (const candidate of [path, other]) {
    for (const { owner, shape } of endings) {
      const tokens = owner.route.pattern.tokens.filter(
        (token) => token.kind === 'text' || shape.variables.includes(token.name),
      );
      const values = captureLoosely(owner.route, tokens, candidate);
      if (values === null) continue;
      const variables = tokens.filter((token) => token.kind === 'variable');
      const wrong = variables.find(
        (token, index) => !createValueMatcher(owner.route, token).test(values[index] ?? ''),
      );
      const reason = wrong && `requirement of "${wrong.name}" is ${requirementSource(owner.route, wrong)}`;
      if (reason !== undefined) return { level: 'almost', reason };
      if (candidate === other) return { level: 'almost', reason: 'the slash at the end differs' };
    }
  }
  return { level: 'no', reason: 'path does not match' };
}

/** Values as if nothing were required of them. */
function captureLoosely(
  route: Route,
  tokens: readonly PatternToken[],
  path: string,
): readonly (string | undefined)[] | null {
  const loose = tokens.map((token) => (token.kind === 'text' ? token : { ...token, stops: '/' }));
  return createTokenMatcher({ ...route, requirements: {} }, loose).capture(path);
}

function hostOf(context: MatchContext): string {
  return (context.host ?? 'localhost').toLowerCase();
}
