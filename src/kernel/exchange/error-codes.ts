import type { ErrorCodes } from '#coded-error';
import { defineErrorCodes } from '#coded-error';

const table = {
  KERNEL_NO_RESPONSE: {
    message:
      'The controller {controller} returned {what}, which is no response and cannot be made one.{hint}',
    fix: 'Return an HttpResponse, a web Response, a string, an object (sent as JSON) or a stream.',
  },
  KERNEL_NEXT_TWICE: {
    message: 'The layer {name} called next() twice for one request.',
    fix: 'Keep what the first call gave.',
  },
  KERNEL_AROUND_RESULT: {
    message: 'The layer {name} returned {what}, and a layer gives an HttpResponse.',
    fix: 'Return what next() gave, or a response of your own. Is a return statement missing?',
  },
  KERNEL_OTHER_COPY: {
    message: 'The listener "{name}" of the event "{event}" was made with another copy of lookback.',
    fix: 'Keep one copy: "npm ls lookback" shows where there are two; "npm dedupe", or one version everywhere, leaves one.',
  },
} as const;

/** What can go wrong between a controller and its response. */
export const kernelErrors: ErrorCodes<typeof table> = defineErrorCodes(table);
