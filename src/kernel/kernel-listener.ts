import type { Dispatcher, EventType, Listener } from '#events';

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
  return { ...options, addTo: (dispatcher) => dispatcher.on(type, listener, options) };
}

export function addKernelListeners(dispatcher: Dispatcher, listeners: Iterable<KernelListener>): void {
  for (const listener of listeners) listener.addTo(dispatcher);
}
