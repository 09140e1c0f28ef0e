import { addKernelListeners } from '#kernel';
import type { Extension } from './extension.js';
import { noPersistence } from './no-persistence.js';

/**
 * A persistence that is still being opened when the application begins to listen: `createApp({ persistence:
 * latePersistence(open()) })`. Its hooks run from the moment it is there. Controllers await the same promise before
 * they ask for their entity manager, which knows the request also where its hooks came too late. A failure to open is
 * for those who await it.
 */
export function latePersistence(opening: Promise<Extension>): Extension {
  const standIn = noPersistence();
  return {
    name: standIn.name,
    listeners: [
      {
        name: 'late persistence',
        priority: 0,
        addTo(dispatcher) {
          const stops = standIn.listeners.map((listener) => listener.addTo(dispatcher));
          opening.then(
            ({ listeners }) => {
              for (const stop of stops.splice(0)) stop();
              addKernelListeners(dispatcher, listeners);
            },
            () => {},
          );
          return () => stops.splice(0).forEach((stop) => stop());
        },
      },
    ],
    async close() {
      const opened = await opening.catch(() => undefined);
      await opened?.close?.();
    },
  };
}
