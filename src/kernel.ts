/**
 * The lifecycle of a request: request, controller, controller arguments, (view,) response, finish request, and after
 * the last byte terminate. Applications and the houses above listen to the events; nothing of them is known here.
 */
export { createKernel } from './kernel/create-kernel.js';
export type { Kernel, KernelOptions } from './kernel/create-kernel.js';
export { kernelPriority } from './kernel/kernel-priority.js';
export { routeFinder } from './kernel/route-finder.js';
export type { RouteFinder } from './kernel/route-finder.js';
export { routingOutcome } from './kernel/exchange/routing-outcome.js';
export type { RoutingOutcome } from './kernel/exchange/routing-outcome.js';
export type { KernelListener } from './kernel/kernel-listener.js';
export { addKernelListeners, kernelListener, onOwnEvents } from './kernel/kernel-listener.js';
export { requestEvent } from './kernel/events/request-event.js';
export type { RequestEvent } from './kernel/events/request-event.js';
export { controllerEvent } from './kernel/events/controller-event.js';
export type { ControllerEvent } from './kernel/events/controller-event.js';
export { controllerArgumentsEvent } from './kernel/events/controller-arguments-event.js';
export type { ControllerArgumentsEvent } from './kernel/events/controller-arguments-event.js';
export { viewEvent } from './kernel/events/view-event.js';
export type { ViewEvent } from './kernel/events/view-event.js';
export { responseEvent } from './kernel/events/response-event.js';
export type { ResponseEvent } from './kernel/events/response-event.js';
export { finishRequestEvent } from './kernel/events/finish-request-event.js';
export type { FinishRequestEvent } from './kernel/events/finish-request-event.js';
export { exceptionEvent } from './kernel/events/exception-event.js';
export type { ExceptionEvent } from './kernel/events/exception-event.js';
export { terminateEvent } from './kernel/events/terminate-event.js';
export type { TerminateEvent } from './kernel/events/terminate-event.js';
export { createRouterListener } from './kernel/listeners/router-listener.js';
export { createErrorListener } from './kernel/listeners/error-listener.js';
export type { ErrorRenderer } from './kernel/listeners/error-listener.js';
export { robotsListener } from './kernel/listeners/robots-listener.js';
export { validateRequestListener } from './kernel/listeners/validate-request-listener.js';
export { viewListener } from './kernel/listeners/view-listener.js';
