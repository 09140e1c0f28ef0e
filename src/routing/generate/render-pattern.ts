import { encodePath, scalarText } from './encode-url.js';
import { routingErrors } from '../pattern/error-codes.js';
import type { VariableToken } from '../pattern/parse-pattern.js';
import { requirementSource } from '../pattern/token-matcher.js';
import type { Route } from '../define/route.js';

/** Encoded path of a route with its variables filled in; the last ones are left out where they equal their defaults. */
export function renderPath(route: Route, values: ReadonlyMap<string, unknown>): string {
  let path = '';
  let open = true;
  for (const token of route.pattern.tokens.toReversed()) {
    if (token.kind === 'variable' && open && canLeaveOut(route, token, values)) continue;
    open = false;
    path = (token.kind === 'text' ? token.text : token.prefix + renderVariable(route, token, values)) + path;
  }
  const whole = path === '' ? '/' : path;
  const dots = /(?:^|\/)(\.\.?)(?:\/|$)/.exec(whole);
  if (dots === null) return encodePath(whole);
  const problem = `its path "${whole}" holds the segment "${dots[1] ?? ''}", which browsers resolve away`;
  throw routingErrors.create('ROUTING_UNSAFE_URL', { route: route.name, problem });
}

/** Host of a route with its variables filled in, in lower case; undefined for routes of every host. */
export function renderHost(route: Route, values: ReadonlyMap<string, unknown>): string | undefined {
  return route.hostPattern?.tokens
    .map((token) =>
      token.kind === 'text' ? token.text : token.prefix + renderVariable(route, token, values),
    )
    .join('')
    .toLowerCase();
}

function canLeaveOut(route: Route, token: VariableToken, values: ReadonlyMap<string, unknown>): boolean {
  if (token.always || !Object.hasOwn(route.defaults, token.name)) return false;
  const value = values.get(token.name) ?? null;
  const fallback = route.defaults[token.name] ?? null;
  return (
    value === fallback || value === null || textOf(route, token, value) === textOf(route, token, fallback)
  );
}

/** Text of a value; undefined for what no text can stand for. */
function textOf(route: Route, token: VariableToken, value: unknown): string | undefined {
  const converter = Object.hasOwn(route.converters, token.name) ? route.converters[token.name] : undefined;
  return converter === undefined || typeof value === 'string' ? scalarText(value) : converter.render(value);
}

function renderVariable(route: Route, token: VariableToken, values: ReadonlyMap<string, unknown>): string {
  const value = values.get(token.name);
  const text = textOf(route, token, value);
  const requirement = requirementSource(route, token);
  if (text !== undefined && !/[\p{Surrogate}\0]/u.test(text)) {
    const flags = route.hostPattern?.tokens.includes(token) === true ? 'siu' : 'su';
    if (new RegExp(`^(?:${requirement})$`, flags).test(text)) return text;
  }
  throw routingErrors.create('ROUTING_PARAMETER_MISMATCH', {
    route: route.name,
    variable: token.name,
    requirement,
    value: text === undefined ? `a value of type ${typeof value}` : `"${text.slice(0, 200)}"`,
  });
}
