import { attributesOf } from '#attributes';
import { controllerArguments } from './controller-arguments.js';
import type { Controller, ControllerClass, ResolvedController } from './controller-target.js';
import { controllerErrors } from './error-codes.js';
import type { ValueResolver } from './value-resolver.js';

export interface ControllerOptions {
  /** Name of the route, for messages. */
  readonly route: string;
  /** Arguments declared beside the route; else those declared on the controller; else the one context. */
  readonly arguments?: readonly ValueResolver[] | undefined;
  /** The argument of controllers that declare none. */
  readonly context: ValueResolver;
  /** Makes or finds the instance of a class controller. */
  readonly instantiate: (owner: ControllerClass) => object;
}

/**
 * Makes a route's target callable. Throws `CONTROLLER_NOT_CALLABLE` or `CONTROLLER_NO_METHOD` where it cannot be
 * called, so that a wrong route is found at start and not by a visitor.
 */
export function resolveController(target: unknown, options: ControllerOptions): ResolvedController {
  if (Array.isArray(target) && target.length === 2 && isClass(target[0]) && typeof target[1] === 'string') {
    return resolveMethod(target[0], target[1], options);
  }
  if (isClass(target)) return resolveMethod(target, 'handle', options);
  if (typeof target !== 'function') {
    throw controllerErrors.create('CONTROLLER_NOT_CALLABLE', {
      route: options.route,
      what: target === null ? 'null' : typeof target,
    });
  }
  const call = target as (...args: unknown[]) => unknown; // the resolvers give what its declaration asks for
  return {
    name: target.name || options.route,
    call,
    target: call,
    owner: undefined,
    arguments: declaredArguments(call, options),
  };
}

function resolveMethod(owner: ControllerClass, name: string, options: ControllerOptions): ResolvedController {
  const method: unknown = Reflect.get(owner.prototype as object, name); // a class always has a prototype object
  if (typeof method !== 'function' || name === 'constructor') throw noSuchMethod(owner, name);
  const target = method as Controller; // just found to be a function
  const instance = options.instantiate(owner);
  const call = (method as (...args: unknown[]) => unknown).bind(instance); // the resolvers give what its declaration asks for
  return {
    name: `${owner.name}.${name}`,
    call,
    target,
    owner,
    arguments: declaredArguments(target, options),
  };
}

function declaredArguments(target: Controller, options: ControllerOptions): readonly ValueResolver[] {
  return options.arguments ?? attributesOf(controllerArguments, target).at(-1) ?? [options.context];
}

function noSuchMethod(owner: ControllerClass, name: string): Error {
  const methods = Object.getOwnPropertyNames(owner.prototype).filter((method) => method !== 'constructor');
  const near = methods.find((method) => method.toLowerCase() === name.toLowerCase());
  return controllerErrors.create('CONTROLLER_NO_METHOD', {
    class: owner.name,
    method: name,
    hint: near === undefined ? '' : ` Did you mean "${near}"?`,
    methods: methods.join(', ') || '(it has none)',
  });
}

/** Told by the source text: calling it to find out would run it, and both are functions to the language. */
function isClass(value: unknown): value is ControllerClass {
  return typeof value === 'function' && /^class[\s{]/.test(Function.prototype.toString.call(value));
}
