import type { HttpRequest } from '#http';
import type { MatchResult } from '#routing';
import type { ScopeKey } from '#scope';
import { createScopeKey } from '#scope';

/** Where a request would go if its path were another one; `path` is decoded. */
export type RouteFinder = (request: HttpRequest, path: string) => MatchResult;

/** Left by the router for listeners after it, on a miss: the locale rewrite asks it for the prefixed path. */
export const routeFinder: ScopeKey<RouteFinder> = createScopeKey<RouteFinder>('route finder');
