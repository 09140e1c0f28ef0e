import { kernelListener, kernelPriority, requestEvent } from '#kernel';
import { createLocale } from '#locale';
import { createSecurity } from '#security';
import type { AppOptions } from './app-options.js';
import type { Extension } from './extension.js';

/** The extensions of an application: those it was given, and what stands in for those it was not. */
export function appExtensions(options: AppOptions): readonly Extension[] {
  return [
    options.persistence ?? noPersistence(),
    options.locale ?? createLocale({ enabled: ['en'] }),
    options.security ?? createSecurity({ sessions: false }),
    ...(options.extensions ?? []),
  ];
}

/** The hooks' places where no persistence is configured: called on each request, with nobody to tell. */
function noPersistence(): Extension {
  const { persistenceBefore, persistenceAfter } = kernelPriority.request;
  return {
    name: 'persistence',
    listeners: [
      kernelListener(requestEvent, () => {}, {
        name: 'persistence before routing',
        priority: persistenceBefore,
      }),
      kernelListener(requestEvent, () => {}, {
        name: 'persistence after routing',
        priority: persistenceAfter,
      }),
    ],
  };
}
