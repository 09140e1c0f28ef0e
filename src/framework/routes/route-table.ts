import type { CompiledRoutes, Route, RouteCollection } from '#routing';
import { compileRoutes } from '#routing';

/** The compiled form of a collection, or of some of its routes, made again only after the collection has changed. */
export function createRouteTable(
  routes: RouteCollection,
  only: (route: Route) => boolean = () => true,
): () => CompiledRoutes {
  let compiled: CompiledRoutes | undefined;
  let version = -1;
  return () => {
    if (compiled === undefined || version !== routes.version) {
      compiled = compileRoutes(routes, { only });
      version = routes.version;
    }
    return compiled;
  };
}
