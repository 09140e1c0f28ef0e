import { responseEvent } from '../exchange/kernel-events.js';
import { type KernelListener, kernelListener, kernelPriority } from '../kernel-listener.js';

/** Excludes responses from search engines: sets `X-Robots-Tag: noindex` unless the application has set the header. */
export const robotsListener: KernelListener = kernelListener(
  responseEvent,
  ({ response }) => {
    if (!response.headers.has('x-robots-tag')) response.headers.append('X-Robots-Tag', 'noindex');
  },
  { name: 'disallow robots', priority: kernelPriority.response.robots },
);
