import { type ErrorCodes, defineErrorCodes } from '#core/coded-error';

const table = {
  KERNEL_NO_RESPONSE: {
    message:
      'The controller {controller} returned {what}, which is not a response and cannot be turned into one.{hint}',
    fix: 'Return an HttpResponse, a web Response, a string, an object (sent as JSON) or a stream.',
  },
  KERNEL_LISTENER_CONTROLLER: {
    message: 'A listener set event.controller to {what}, which is no resolved controller.',
    fix: 'Set a copy of event.controller with call and arguments of its own, or answer with event.response in a listener of the request event.',
  },
  KERNEL_LISTENER_RESPONSE: {
    message: 'A listener set event.response to {what}, which is no HttpResponse.',
    fix: 'Create one with HttpResponse.text(), .html() or .json(); HttpResponse.fromWeb() converts a web Response.',
  },
  KERNEL_NEXT_TWICE: {
    message: 'The layer {name} called next() twice for one request.',
    fix: 'Keep the result of the first call.',
  },
  KERNEL_AROUND_RESULT: {
    message: 'The layer {name} returned {what}, but a layer must return an HttpResponse.',
    fix: 'Return the result of next(), or a response of your own. Is a return statement missing?',
  },
  KERNEL_OTHER_COPY: {
    message: 'The listener "{name}" of the event "{event}" was created with another copy of lookback.',
    fix: 'Keep one copy: "npm ls lookback" shows all copies; "npm dedupe", or the same version everywhere, leaves one.',
  },
} as const;

/** Errors between a controller and its response, and of listeners created with another copy of the package. */
export const kernelErrors: ErrorCodes<typeof table> = defineErrorCodes(table);
