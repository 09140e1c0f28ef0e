import { validateRequest } from '#http';
import { requestEvent } from '../exchange/kernel-events.js';
import { type KernelListener, kernelListener, kernelPriority } from '../kernel-listener.js';
import { routingOutcome } from '../exchange/routing-outcome.js';

/** Notes a request that is none, so that it is refused once the remaining request listeners had their turn. */
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
