import { validateRequest } from '#http';
import { requestEvent } from '../exchange/kernel-events.js';
import { type KernelListener, kernelListener, kernelPriority } from '../kernel-listener.js';
import { routingOutcome } from '../exchange/routing-outcome.js';

/** Marks an invalid request, so that it is rejected after the remaining request listeners have run. */
export const validateRequestListener: KernelListener = kernelListener(
  requestEvent,
  ({ request }) => {
    try {
      validateRequest(request);
    } catch (error) {
      request.scope.set(routingOutcome, { kind: 'bad-request', error });
    }
  },
  { name: 'validate request', priority: kernelPriority.request.validate },
);
