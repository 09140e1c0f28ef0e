import { attributesOf } from '#attributes';
import type { Controller, ControllerClass } from '#controller';
import { frameworkErrors } from '../configuration/error-codes.js';
import type { AppRoute, RouteDeclaration, RouteGroup } from '../app/route-attribute.js';
import { routeAttribute } from '../app/route-attribute.js';

/** The routes that a class declares, and their shared options. */
export interface ControllerRoutes {
  readonly group: RouteGroup;
  readonly routes: readonly AppRoute[];
}

/**
 * Reads the routes of a controller class. A route without a name is named after its class and method:
 * `ArticleController.show` → `article_show`. Throws `FRAMEWORK_NO_ROUTES_DECLARED` for a class without any.
 */
export function controllerRoutes(owner: ControllerClass): ControllerRoutes {
  const routes = methodsOf(owner).flatMap(([method, target]) =>
    attributesOf(routeAttribute, target).map((declaration, index): AppRoute => ({
      ...declaration,
      name: declaration.name ?? defaultName(owner, method, index),
      controller: [owner, method],
    })),
  );
  const shared = attributesOf(routeAttribute, owner).at(-1);
  if (routes.length > 0) return { group: shared === undefined ? {} : groupOf(shared), routes };
  const prototype = owner.prototype as object; // a class always has a prototype
  if (shared === undefined || !Reflect.has(prototype, 'handle')) {
    throw frameworkErrors.create('FRAMEWORK_NO_ROUTES_DECLARED', { class: owner.name });
  }
  return {
    group: {},
    routes: [{ ...shared, name: shared.name ?? snakeCase(owner.name), controller: owner }],
  };
}

function methodsOf(owner: ControllerClass): [string, Controller][] {
  const methods: [string, Controller][] = [];
  for (const name of Object.getOwnPropertyNames(owner.prototype)) {
    const value: unknown = Object.getOwnPropertyDescriptor(owner.prototype, name)?.value;
    if (name !== 'constructor' && typeof value === 'function') methods.push([name, value as Controller]); // typeof has just checked it
  }
  return methods;
}

function groupOf({ arguments: _values, place: _place, ...shared }: RouteDeclaration): RouteGroup {
  return shared;
}

function defaultName(owner: ControllerClass, method: string, index: number): string {
  const name = `${snakeCase(owner.name.replace(/Controller$/, ''))}_${snakeCase(method)}`;
  return index === 0 ? name : `${name}_${index}`;
}

function snakeCase(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase();
}
