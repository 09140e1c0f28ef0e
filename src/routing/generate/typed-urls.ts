import type { CompiledRoutes } from '../compile/compile-routes.js';
import { generateUrl, type UrlOptions } from './generate-url.js';
import type { GroupedDefinitions, RouteTable, UrlArguments } from '../define/path-types.js';
import type { GroupDefinition, RouteDefinition } from '../define/route.js';
import { groupDefinition } from '../define/route-group.js';

/** Generates URLs of known definitions. The compiler checks names and parameters. */
export type TypedUrl<Definitions extends readonly RouteDefinition[]> = <
  Name extends keyof RouteTable<Definitions> & string,
>(
  name: Name,
  ...parameters: UrlArguments<RouteTable<Definitions>[Name]>
) => string;

/** Returns the definitions unchanged, with their literal names and paths in the type. */
export function defineRoutes<const Definitions extends readonly RouteDefinition[]>(
  definitions: Definitions,
): Definitions {
  return definitions;
}

/** Applies a group to definitions, also in the type. */
export function groupRoutes<
  const Group extends GroupDefinition,
  const Definitions extends readonly RouteDefinition[],
>(group: Group, definitions: Definitions): GroupedDefinitions<Group, Definitions> {
  const grouped: readonly RouteDefinition[] = definitions.map((definition) =>
    groupDefinition(group, definition),
  );
  return grouped as GroupedDefinitions<Group, Definitions>; // as: the type describes the mapping of each member
}

/** Creates the function that generates typed URLs. `definitions` must be those of the compiled routes; only their types are used. */
export function createTypedUrl<const Definitions extends readonly RouteDefinition[]>(
  compiled: CompiledRoutes,
  definitions: Definitions,
  options: UrlOptions = {},
): TypedUrl<Definitions> {
  void definitions;
  return (name, ...[parameters]) => generateUrl(compiled, name, { ...parameters }, options);
}
