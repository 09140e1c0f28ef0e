import type { Around, ControllerTarget, RouteOperation, RouteSchemas, ValueResolver } from '#controller';
import { attributesOf } from '#attributes';
import { controllerFunction, schemasOf, takesUpgrades } from '#controller';
import type { Route } from '#routing';
import type { RoutePlace } from '../app/route-attribute.js';

interface RouteTargetOptions {
  readonly around?: readonly Around[];
  readonly operation?: RouteOperation | false | undefined;
  readonly place?: RoutePlace | undefined;
}

/** What the framework puts into `Route.target`: the controller and where its arguments come from. */
export class RouteTarget {
  readonly controller: ControllerTarget;
  readonly arguments: readonly ValueResolver[] | undefined;
  readonly around: readonly Around[];
  /** Where the route was declared; absent outside debug, but for decorators. */
  readonly place: RoutePlace | undefined;
  /** What the controller takes and gives, where it says so. */
  readonly schemas: RouteSchemas | undefined;
  /** What descriptions say about it; false keeps it out of them. */
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

/** The schemas of a route, for code that describes the application: OpenAPI, a typed client, a page. */
export function findRouteSchemas({ target }: Pick<Route, 'target'>): RouteSchemas | undefined {
  return target instanceof RouteTarget ? target.schemas : undefined;
}

/** Whether the route answers by another protocol, such as WebSocket. */
export function isUpgrading({ target }: Pick<Route, 'target'>): boolean {
  const declaredOn = target instanceof RouteTarget ? controllerFunction(target.controller) : undefined;
  return declaredOn !== undefined && attributesOf(takesUpgrades, declaredOn).length > 0;
}
