import type { HttpRequest } from '#http';

export type ClearSiteData = 'cache' | 'cookies' | 'storage' | 'executionContexts' | '*';

export interface LogoutOptions {
  /** Where the logout is posted to. Default `/logout`. No route is needed. */
  readonly path?: string | ((request: HttpRequest) => boolean);
  /** Default `POST`: by GET, any page could log its visitors out with an image. */
  readonly methods?: readonly string[];
  /** Where it leads. Default `/`. */
  readonly target?: string | ((request: HttpRequest) => string);
  /** What the browser has to forget. Default `cookies` and `storage`; an empty list sends no header. */
  readonly clearSiteData?: readonly ClearSiteData[];
  /** Ends the whole session, or only this firewall's part of it. Default true. */
  readonly invalidateSession?: boolean;
  /** Other cookies to remove. */
  readonly deleteCookies?: readonly string[];
}

/** How a firewall lets its users go. */
export interface Logout {
  matches(request: HttpRequest): boolean;
  readonly target: (request: HttpRequest) => string;
  readonly clearSiteData: readonly ClearSiteData[];
  readonly invalidateSession: boolean;
  readonly deleteCookies: readonly string[];
}

export function compileLogout(options: LogoutOptions): Logout {
  const { path = '/logout', target = '/' } = options;
  const methods = new Set(options.methods ?? ['POST']);
  return {
    matches: (request) =>
      methods.has(request.method) && (typeof path === 'string' ? request.path === path : path(request)),
    target: (request) => (typeof target === 'string' ? target : target(request)),
    clearSiteData: options.clearSiteData ?? ['cookies', 'storage'],
    invalidateSession: options.invalidateSession ?? true,
    deleteCookies: options.deleteCookies ?? [],
  };
}
