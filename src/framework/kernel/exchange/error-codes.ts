import { type ErrorCodes, defineErrorCodes } from '#core/coded-error';

const table = {
  KERNEL_NO_RESPONSE: {
    message: 'The controller "{controller}" returned {what}.{hint}',
    fix: 'Return an HttpResponse, a web Response, a string, an object (sent as JSON) or a stream.',
  },
  KERNEL_LISTENER_CONTROLLER: {
    message: 'A listener set event.controller to {what}, which is not a resolved controller.',
    fix: 'Assign a copy of event.controller with its own call and arguments, or set event.response in a request listener.',
  },
  KERNEL_LISTENER_RESPONSE: {
    message: 'A listener set event.response to {what}, which is not an HttpResponse.',
    fix: 'Create one with HttpResponse.text(), .html() or .json(). To convert a web Response, use HttpResponse.fromWeb().',
  },
  KERNEL_NEXT_TWICE: {
    message: 'The layer {name} called next() twice for one request.',
    fix: 'Call next() once and reuse its result.',
  },
  KERNEL_AROUND_RESULT: {
    message: 'The layer {name} returned {what}, but a layer must return an HttpResponse.',
    fix: 'Return the result of next(), or your own response. Is a return statement missing?',
  },
  KERNEL_OTHER_COPY: {
    message: 'The listener "{name}" of the event "{event}" was created with another copy of lookback.',
    fix: 'Keep a single copy: "npm ls lookback" lists them all. Remove the others with "npm dedupe", or by using the same version everywhere.',
  },
} as const;

/** Errors between a controller and its response, and for listeners created with another copy of the package. */
export const kernelErrors: ErrorCodes<typeof table> = defineErrorCodes(table);
