import {
  type Around,
  type ControllerTarget,
  type RouteOperation,
  type RouteSchemas,
  type ValueResolver,
  controllerFunction,
  schemasOf,
  takesUpgrades,
} from '#controller';
import { attributesOf } from '#attributes';
import type { Route } from '#routing';
import type { RoutePlace } from '../app/route-attribute.js';

interface RouteTargetOptions {
  readonly around?: readonly Around[];
  readonly operation?: RouteOperation | false | undefined;
  readonly place?: RoutePlace | undefined;
}

/** The `Route.target` of the framework's routes: the controller with its arguments, layers and description. */
export class RouteTarget {
  readonly controller: ControllerTarget;
  readonly arguments: readonly ValueResolver[] | undefined;
  readonly around: readonly Around[];
  /** Location of the declaration; outside of debug only known for decorators. */
  readonly place: RoutePlace | undefined;
  /** Schemas declared by the controller. */
  readonly schemas: RouteSchemas | undefined;
  /** Description for OpenAPI and other descriptions; false excludes the route. */
  readonly operation: RouteOperation | false;

  constructor(
    controller: ControllerTarget,
    values?: readonly ValueResolver[],
    { around = [], operation = {}, place }: RouteTargetOptions = {},
  ) {
    this.controller = controller;
    this.arguments = values;
    this.around = around;
    this.place = place;
    this.operation = operation;
    this.schemas = schemasOf(controller);
  }
}

/** Returns the schemas of a route, for code that describes the application: OpenAPI, a typed client, a page. */
export function findRouteSchemas({ target }: Pick<Route, 'target'>): RouteSchemas | undefined {
  return target instanceof RouteTarget ? target.schemas : undefined;
}

/** Returns whether the route switches to another protocol, such as WebSocket. */
export function isUpgrading({ target }: Pick<Route, 'target'>): boolean {
  const declaredOn = target instanceof RouteTarget ? controllerFunction(target.controller) : undefined;
  return declaredOn !== undefined && attributesOf(takesUpgrades, declaredOn).length > 0;
}
