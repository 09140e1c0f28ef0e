import { addKernelListeners, kernelListener, kernelPriority, requestEvent } from '#kernel';
import type { Extension } from '../app/extension.js';
import { waitAtMost } from '../serving/create-serving.js';

/** Milliseconds that a stop waits for what is still being opened; it must not take as long as a slow start. */
const closeTimeoutMs = 2000;

/**
 * A persistence that is still being opened when the application starts to listen:
 * `createApp({ persistence: latePersistence(open()) })`. Its hooks run once it is open. Controllers await the same
 * promise before they use their entity manager, which knows the request even if its hooks came too late. If opening
 * fails, that promise rejects.
 */
export function latePersistence(opening: Promise<Extension>): Extension {
  const standIn = noPersistence();
  let openedInTime: Promise<Extension | undefined> | undefined;
  const waitForOpening = (): Promise<Extension | undefined> =>
    (openedInTime ??= waitAtMost(
      closeTimeoutMs,
      opening.catch(() => undefined),
    ));
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
    // The wait begins with the stop, so that it does not come on top of the time that the other parts take to close.
    stopping: () => void waitForOpening(),
    async close() {
      await (await waitForOpening())?.close?.();
    },
  };
}

/** The hooks' places where there is no persistence (yet): called on each request, with nothing to do. */
export function noPersistence(): Extension {
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
