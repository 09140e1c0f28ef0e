/** A request's lifecycle, from the request event to the terminate event. Higher modules listen to its events; it imports none of them. */
export { createKernel, type Kernel } from './kernel/create-kernel.js';
export type { KernelOptions } from './kernel/exchange/kernel-exchange.js';
export { kernelPriority, addKernelListeners, kernelListener, onOwnEvents } from './kernel/kernel-listener.js';
export { createRouterListener, matchContext, routeFinder } from './kernel/listeners/built-in-listeners.js';
export { createErrorListener, robotsListener } from './kernel/listeners/built-in-listeners.js';
export { viewListener, validateRequestListener } from './kernel/listeners/built-in-listeners.js';
export type { RouteFinder, ErrorRenderer } from './kernel/listeners/built-in-listeners.js';
export {
  errorHandling,
  isLoginChallenge,
  localeRewrite,
  ownGuard,
} from './kernel/exchange/kernel-exchange.js';
export { routingOutcome, type RoutingOutcome } from './kernel/exchange/kernel-exchange.js';
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
} from './kernel/exchange/kernel-exchange.js';
export type {
  RequestEvent,
  ControllerEvent,
  ControllerArgumentsEvent,
  ViewEvent,
  ResponseEvent,
  ExceptionEvent,
  FinishRequestEvent,
  TerminateEvent,
} from './kernel/exchange/kernel-exchange.js';
