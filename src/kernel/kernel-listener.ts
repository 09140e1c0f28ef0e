import type { Dispatcher, EventType, Listener } from '#events';
import { noteCallSites } from '#errors';
import { isOwnEventType } from '#events';
import { kernelErrors } from './exchange/error-codes.js';

/** A listener with its place, as a house hands it to the framework. */
export interface KernelListener {
  readonly name: string;
  readonly priority: number;
  /** Adds itself to a dispatcher; gives back what removes it. */
  addTo(dispatcher: Dispatcher): () => void;
}

/** Declares a listener of one event with its name and priority. */
export function kernelListener<Event>(
  type: EventType<Event>,
  listener: Listener<Event>,
  options: { name: string; priority: number },
): KernelListener {
  const sites = noteCallSites(kernelListener, { depth: 1, limit: 1 });
  const place = (): ReturnType<typeof sites>[number] | undefined => sites()[0];
  return { ...options, addTo: (dispatcher) => dispatcher.on(type, listener, { ...options, place }) };
}

/** `dispatcher.on` that throws `KERNEL_OTHER_COPY` for an event of another copy of the package: its slot is another event's here. */
export function onOwnEvents(dispatcher: Dispatcher): Dispatcher['on'] {
  return (type, listener, options) => {
    if (isOwnEventType(type)) return dispatcher.on(type, listener, options);
    throw kernelErrors.create('KERNEL_OTHER_COPY', {
      name: options?.name ?? listener.name,
      event: type.name,
    });
  };
}

/** Throws `KERNEL_OTHER_COPY` for a listener that was made with another copy of the package. */
export function addKernelListeners(dispatcher: Dispatcher, listeners: Iterable<KernelListener>): void {
  const checked: Dispatcher = { ...dispatcher, on: onOwnEvents(dispatcher) };
  for (const listener of listeners) listener.addTo(checked);
}
