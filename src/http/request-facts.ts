import type { ScopeKey } from '#scope';
import { createScopeKey } from '#scope';

/** Who asks, as far as houses beside security need to know. */
export interface RequestUser {
  /** What the person signs in with; unique among users. */
  readonly identifier: string;
  readonly roles: readonly string[];
}

/** Which route answers. */
export interface RouteFacts {
  readonly name: string;
  /** The route's path as declared. */
  readonly path: string;
  /** Null-prototype record of the parameters. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** The locale of the request (BCP 47), set by the locale step; the default one before that. */
export const requestLocale: ScopeKey<string> = createScopeKey<string>('locale');

/** The user of the request; absent for strangers. A function, since a firewall may be lazy. */
export const requestUser: ScopeKey<() => RequestUser | undefined> =
  createScopeKey<() => RequestUser | undefined>('user');

/** The route that matched; absent where none did. */
export const requestRoute: ScopeKey<RouteFacts> = createScopeKey<RouteFacts>('route');
