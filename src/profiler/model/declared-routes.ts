/** A route as declared by the application, with the name used in records. */
export interface DeclaredRoute {
  readonly name: string;
  readonly path: string;
}

/** An application's routes. */
export interface DeclaredRoutes {
  readonly routes: readonly DeclaredRoute[];
  /** False if the application has further routes, which are unknown or too many. */
  readonly isComplete: boolean;
}

/** The routes in a store, with the process (`host:pid`) that declared them last, and the time. */
export interface StoredRoutes extends DeclaredRoutes {
  readonly instance: string;
  readonly declaredAt: number;
}

const maxRoutes = 1000;
const maxLength = 300;

/** Limits declared routes to the number that a store keeps. */
export function boundedRoutes({ routes, isComplete }: DeclaredRoutes): DeclaredRoutes {
  return {
    routes: routes
      .slice(0, maxRoutes)
      .map(({ name, path }) => ({ name: name.slice(0, maxLength), path: path.slice(0, maxLength) })),
    isComplete: isComplete && routes.length <= maxRoutes,
  };
}

/** Reads a table as stored; undefined if it is not one. */
export function parseStoredRoutes(text: string): StoredRoutes | undefined {
  const read: unknown = JSON.parse(text);
  const isTable =
    typeof read === 'object' &&
    read !== null &&
    'routes' in read &&
    Array.isArray(read.routes) &&
    'instance' in read;
  return isTable ? (read as StoredRoutes) : undefined; // as `putRoutes` wrote it
}
