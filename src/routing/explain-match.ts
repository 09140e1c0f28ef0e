import { acceptsHost, acceptsMethod, acceptsScheme } from './accept-request.js';
import type { CompiledRoutes } from './compile-routes.js';
import { matchRoute } from './match-route.js';
import { findNearMisses, type NearMiss } from './near-misses.js';
import { countRequired, type VariableToken } from './parse-pattern.js';
import { buildShape, expressionSource, requirementSource } from './path-shape.js';
import { compileRoute, type CompiledRoute } from './compile-route.js';
import { readParameters, readValues } from './read-parameters.js';
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
  const taken = outcome.kind === 'match' || outcome.kind === 'redirect' ? outcome.route : undefined;
  const end = outcome.kind === 'match' ? compiled.routes.indexOf(outcome.route) + 1 : compiled.routes.length;
  const rows = compiled.routes.slice(0, end).map((route) => {
    const row = explainRoute(route, context);
    return row.level === 'no' && route === taken && outcome.kind === 'redirect'
      ? {
          ...row,
          level: 'almost' as const,
          reason: `redirects to ${outcome.scheme ?? ''} ${outcome.path}`.replace('  ', ' '),
        }
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

function explainRoute(route: Route, context: MatchContext): TraceRow {
  const row = { name: route.name, path: route.path };
  const owner = compileRoute(route);
  const required = countRequired(route.pattern.tokens, route.defaults);
  for (let count = required; count <= route.pattern.tokens.length; count += 1) {
    const shape = buildShape(route, count);
    const values = readValues(shape, context.path);
    if (values === undefined) continue;
    const ending = { order: 0, shape, owner };
    const parameters = readParameters(ending, { path: context.path, host: hostOf(context) }, values);
    if (parameters === undefined) return { ...row, level: 'almost', reason: 'a converter refused its value' };
    const reason = whyNot(
      owner,
      context,
      () => route.condition?.(context, context.request, parameters) ?? true,
    );
    return { ...row, level: reason === undefined ? 'match' : 'almost', reason: reason ?? 'matches' };
  }
  return { ...row, ...explainPath(route, context.path) };
}

function whyNot(owner: CompiledRoute, context: MatchContext, agrees: () => boolean): string | undefined {
  const { route } = owner;
  if (!acceptsHost(owner, hostOf(context))) return `host "${hostOf(context)}" is not "${route.host ?? ''}"`;
  if (!agrees()) return 'its condition does not agree';
  const scheme = context.scheme ?? 'http';
  if (!acceptsScheme(owner, scheme)) return `scheme "${scheme}" is not one of ${route.schemes.join(', ')}`;
  const method = context.method.toUpperCase();
  if (!acceptsMethod(owner, method)) return `method "${method}" is not one of ${route.methods.join(', ')}`;
  return undefined;
}

/** A path that would fit if requirements were ignored, or its last slash. */
function explainPath(route: Route, path: string): { level: 'no' | 'almost'; reason: string } {
  const { tokens } = route.pattern;
  const loose = tokens.map((token) => (token.kind === 'text' ? token : { ...token, name: '', stops: '/' }));
  const found = new RegExp(`^${expressionSource(route, loose)}$`, 'su').exec(path);
  const variables = tokens.filter((token): token is VariableToken => token.kind === 'variable');
  const wrong = variables.find((token, index) => {
    const value = found?.[index + 1];
    return value !== undefined && !new RegExp(`^(?:${requirementSource(route, token)})$`, 'su').test(value);
  });
  if (wrong !== undefined) {
    return {
      level: 'almost',
      reason: `requirement of "${wrong.name}" is ${requirementSource(route, wrong)}`,
    };
  }
  const other = path.endsWith('/') ? path.replace(/\/+$/, '') : `${path}/`;
  const strict = new RegExp(`^${expressionSource(route, tokens)}$`, 'su');
  if (path !== '/' && strict.test(other)) return { level: 'almost', reason: 'the slash at the end differs' };
  return { level: 'no', reason: 'path does not match' };
}

function hostOf(context: MatchContext): string {
  return (context.host ?? 'localhost').toLowerCase();
}
