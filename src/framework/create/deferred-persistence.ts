import { addKernelListeners } from '#kernel';
import type { Extension } from '../app/extension.js';
import { noPersistence } from './no-persistence.js';

/** Milliseconds that closing waits for what is still being opened; a stop must not take as long as a slow start. */
const closeTimeoutMs = 2000;

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
          const stops = (standIn.listeners ?? []).map((listener) => listener.addTo(dispatcher));
          opening.then(
            ({ listeners = [] }) => {
              for (const stop of stops.splice(0)) stop();
              addKernelListeners(dispatcher, listeners);
            },
            () => {},
          );
          return () => stops.splice(0).forEach((stop) => stop());
        },
      },
    ],
    commands: async () => (await (await opening).commands?.()) ?? [],
    async close() {
      const opened = await within(
        closeTimeoutMs,
        opening.catch(() => undefined),
      );
      await opened?.close?.();
    },
  };
}

/** What the promise gives, or undefined where it takes longer. */
async function within<T>(milliseconds: number, promise: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => (timer = setTimeout(resolve, milliseconds, undefined)));
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
