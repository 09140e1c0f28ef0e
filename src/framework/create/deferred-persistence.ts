import { addKernelListeners, kernelListener, kernelPriority, requestEvent } from '#kernel';
import type { Extension } from '../app/app-options.js';
import { waitAtMost } from '../serving/create-serving.js';

/**
 * Milliseconds that closing waits for persistence that is still being opened; a stop must not take as long as a slow
 * start.
 */
const closeTimeoutMs = 2000;

/**
 * Creates an extension for persistence that is still being opened when the application starts to listen:
 * `createApp({ persistence: latePersistence(open()) })`. Its hooks run once it is open. Controllers must await the same
 * promise before they use their entity manager, which works for a request even if the hooks did not run for it. If opening
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
    // Starts the timeout when the application begins to close, so that it runs while the other parts are closing.
    stopping: () => void waitForOpening(),
    async close() {
      await (await waitForOpening())?.close?.();
    },
  };
}

/** Creates the extension for an application without (opened) persistence: same-named listeners that do nothing. */
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
