import type { CompiledRoute, RouteEnding } from './compile-route.js';
import { endsInSlash, segmentEnd, type WildSegment } from './path-segments.js';
import type { PathShape } from './path-shape.js';
import type { MatchContext, RouteParameters } from './route.js';

/** What the way through the trie leaves open: requirements, the last slash, variables that are no whole segments. */
export function hasShape(shape: PathShape, path: string, segments: WildSegment | undefined): boolean {
  if (shape.expression !== undefined) return shape.expression.test(path);
  if (shape.slash !== endsInSlash(path)) return false;
  return shape.tests === undefined || passesTests(shape.tests, path, segments);
}

const noParameters: RouteParameters = Object.freeze(Object.create(null) as RouteParameters); // as: a bare object

function passesTests(
  tests: NonNullable<PathShape['tests']>,
  path: string,
  last: WildSegment | undefined,
): boolean {
  let segment = last;
  for (let index = tests.length - 1; segment !== undefined; index -= 1, segment = segment.before) {
    if (tests[index]?.test(path.slice(segment.start, segment.end)) === false) return false;
  }
  return true;
}

/**
 * Follows the steps of one shape, as the trie does for all of them at once: its segments where the path leads to its
 * end, undefined where it does not.
 */
export function followSteps(shape: PathShape, path: string): { last: WildSegment | undefined } | undefined {
  const end = endsInSlash(path) ? path.length - 1 : path.length;
  let last: WildSegment | undefined;
  let at = 0;
  for (const step of shape.steps) {
    if (step === 'rest') return { last };
    if (step === 'wild') {
      last = { start: at, end: segmentEnd(path, at), before: last };
      if (last.end === at) return undefined;
      at = last.end;
    } else {
      if (!path.startsWith(step.text, at)) return undefined;
      at += step.text.length;
    }
  }
  return at === end ? { last } : undefined;
}

/** Variables of a path that has the ending's shape, over defaults, converted. Undefined when a converter refuses. */
export function readParameters(
  ending: RouteEnding,
  segments: WildSegment | undefined,
  request: { readonly path: string; readonly context: MatchContext },
): RouteParameters | undefined {
  const { shape, owner } = ending;
  if (ending.quick && segments === undefined) return noParameters;
  const parameters = Object.create(null) as Record<string, unknown>; // as: a bare object
  if (ending.quick && segments !== undefined) {
    addSegments(ending.variables, ending.variables.length - 1, request.path, segments, parameters);
    return parameters;
  }
  const { path, context } = request;
  for (const [name, value] of owner.defaults) parameters[name] = value;
  if (owner.hostVariables.length > 0) addHostVariables(owner, context.host ?? 'localhost', parameters);
  if (shape.expression !== undefined) addCaptures(shape, shape.expression.capture(path) ?? [], parameters);
  else if (segments !== undefined)
    addSegments(shape.variables, shape.variables.length - 1, path, segments, parameters);
  for (const [name, converter] of owner.converters) {
    const text = parameters[name];
    if (typeof text !== 'string') continue; // a default that is a value already
    const value = converter.parse(text);
    if (value === undefined) return undefined;
    parameters[name] = value;
  }
  return parameters;
}

function addSegments(
  names: readonly string[],
  index: number,
  path: string,
  segment: WildSegment,
  parameters: Record<string, unknown>,
): void {
  if (segment.before !== undefined) addSegments(names, index - 1, path, segment.before, parameters);
  parameters[names[index] ?? ''] = path.slice(segment.start, segment.end);
}

function addCaptures(
  shape: PathShape,
  captures: readonly (string | undefined)[],
  parameters: Record<string, unknown>,
): void {
  for (const [index, name] of shape.variables.entries()) {
    const value = captures[index];
    if (value !== undefined) parameters[name] = value;
  }
}

function addHostVariables(owner: CompiledRoute, host: string, parameters: Record<string, unknown>): void {
  const captures = typeof owner.host === 'object' ? owner.host.capture(host.toLowerCase()) : null;
  for (const [index, name] of owner.hostVariables.entries()) parameters[name] = captures?.[index];
}
