import type { CompiledRoutes, RouteCollection } from '#routing';
import { compileRoutes } from '#routing';

/** The compiled form of a collection, made again only after the collection has changed. */
export function createRouteTable(routes: RouteCollection): () => CompiledRoutes {
  let compiled: CompiledRoutes | undefined;
  let version = -1;
  return () => {
    if (compiled === undefined || version !== routes.version) {
      compiled = compileRoutes(routes);
      version = routes.version;
    }
    return compiled;
  };
}
