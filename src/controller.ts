/** Which function answers a request, and with which arguments. */
export { resolveController } from './controller/resolve-controller.js';
export type { ControllerOptions } from './controller/resolve-controller.js';
export type {
  Controller,
  ControllerClass,
  ControllerTarget,
  ResolvedController,
} from './controller/controller-target.js';
export { resolveArguments } from './controller/resolve-arguments.js';
export type { ValueResolver } from './controller/value-resolver.js';
export { ControllerContext } from './controller/controller-context.js';
export type { ContextServices } from './controller/controller-context.js';
export { controllerArguments } from './controller/controller-arguments.js';
