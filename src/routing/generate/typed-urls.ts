import type { CompiledRoutes } from '../compile/compile-routes.js';
import { generateUrl, type UrlOptions } from './generate-url.js';
import type { GroupedDefinitions, RouteTable, UrlArguments } from '../define/path-types.js';
import type { GroupDefinition, RouteDefinition } from '../define/route.js';
import { groupDefinition } from '../define/route-group.js';

/** Generates URLs of known definitions: names and parameters are checked by the compiler. */
export type TypedUrl<Definitions extends readonly RouteDefinition[]> = <
  Name extends keyof RouteTable<Definitions> & string,
>(
  name: Name,
  ...parameters: UrlArguments<RouteTable<Definitions>[Name]>
) => string;

/** Definitions as they are, with the compiler keeping each name and path. */
export function defineRoutes<const Definitions extends readonly RouteDefinition[]>(
  definitions: Definitions,
): Definitions {
  return definitions;
}

/** Works a group into definitions, for the compiler too. */
export function groupRoutes<
  const Group extends GroupDefinition,
  const Definitions extends readonly RouteDefinition[],
>(group: Group, definitions: Definitions): GroupedDefinitions<Group, Definitions> {
  const grouped: readonly RouteDefinition[] = definitions.map((definition) =>
    groupDefinition(group, definition),
  );
  return grouped as GroupedDefinitions<Group, Definitions>; // as: the type says of each member what was just done to it
}

/** `definitions` are those from which the routes were created; only their types are used. */
export function createTypedUrl<const Definitions extends readonly RouteDefinition[]>(
  compiled: CompiledRoutes,
  definitions: Definitions,
  options: UrlOptions = {},
): TypedUrl<Definitions> {
  void definitions;
  return (name, ...[parameters]) => generateUrl(compiled, name, { ...parameters }, options);
}
