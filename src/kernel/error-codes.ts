import type { ErrorCodes } from '#coded-error';
import { defineErrorCodes } from '#coded-error';

const table = {
  KERNEL_NO_RESPONSE: {
    message:
      'The controller {controller} returned {what}, which is no response and cannot be made one.{hint}',
    fix: 'Return an HttpResponse, a web Response, a string, an object (sent as JSON) or a stream.',
  },
} as const;

/** What can go wrong between a controller and its response. */
export const kernelErrors: ErrorCodes<typeof table> = defineErrorCodes(table);
