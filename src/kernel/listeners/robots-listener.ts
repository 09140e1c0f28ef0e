import { responseEvent } from '../events/response-event.js';
import type { KernelListener } from '../kernel-listener.js';
import { kernelListener } from '../kernel-listener.js';
import { kernelPriority } from '../kernel-priority.js';

/** Keeps search robots out: `X-Robots-Tag: noindex` unless the application said something of its own. */
export const robotsListener: KernelListener = kernelListener(
  responseEvent,
  ({ response }) => {
    if (!response.headers.has('x-robots-tag')) response.headers.append('X-Robots-Tag', 'noindex');
  },
  { name: 'disallow robots', priority: kernelPriority.response.robots },
);
