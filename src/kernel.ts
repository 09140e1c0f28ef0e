/**
 * The lifecycle of a request: request, controller, controller arguments, (view,) response, finish request and, after the
 * last byte, terminate. Applications and higher houses listen to these events; the kernel does not depend on them.
 */
export { createKernel, type Kernel } from './kernel/create-kernel.js';
export type { KernelOptions } from './kernel/exchange/kernel-exchange.js';
export { kernelPriority, addKernelListeners, kernelListener, onOwnEvents } from './kernel/kernel-listener.js';
export { createRouterListener, matchContext, routeFinder } from './kernel/listeners/router-listener.js';
export type { RouteFinder } from './kernel/listeners/router-listener.js';
export { routingOutcome, type RoutingOutcome } from './kernel/exchange/routing-outcome.js';
export type { KernelListener } from './kernel/kernel-listener.js';
export {
  requestEvent,
  controllerEvent,
  controllerArgumentsEvent,
  viewEvent,
  responseEvent,
  exceptionEvent,
  finishRequestEvent,
  terminateEvent,
} from './kernel/exchange/kernel-events.js';
export type {
  RequestEvent,
  ControllerEvent,
  ControllerArgumentsEvent,
  ViewEvent,
  ResponseEvent,
  ExceptionEvent,
  FinishRequestEvent,
  TerminateEvent,
} from './kernel/exchange/kernel-events.js';
export { createErrorListener, type ErrorRenderer } from './kernel/listeners/error-listener.js';
export { robotsListener } from './kernel/listeners/robots-listener.js';
export { viewListener } from './kernel/listeners/view-listener.js';
export { validateRequestListener } from './kernel/listeners/validate-request-listener.js';
