import type { ControllerTarget, ValueResolver } from '#controller';

/** What the framework puts into `Route.target`: the controller and where its arguments come from. */
export class RouteTarget {
  readonly controller: ControllerTarget;
  readonly arguments: readonly ValueResolver[] | undefined;

  constructor(controller: ControllerTarget, values: readonly ValueResolver[] | undefined) {
    this.controller = controller;
    this.arguments = values;
  }
}
