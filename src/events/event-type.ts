/** Identifies one kind of event and carries the type of its event objects. */
export interface EventType<Event> {
  readonly name: string;
  /** Index of the event's listeners in every dispatcher; unique within this copy of the code. */
  readonly slot: number;
  /** Returns true once the remaining listeners are to be skipped, e.g. because a response was set. */
  readonly isStopped?: (event: Event) => boolean;
}

let slots = 0; // number of events declared so far
const declared = new WeakSet<EventType<never>>();

/** Declares an event. Call it once, at module level: events are identified by the returned object, not by the name. */
export function defineEvent<Event>(
  name: string,
  options: { isStopped?: (event: Event) => boolean } = {},
): EventType<Event> {
  const slot = slots++;
  const type: EventType<Event> =
    options.isStopped === undefined ? { name, slot } : { name, slot, isStopped: options.isStopped };
  declared.add(type);
  return type;
}

/**
 * Returns whether the event was declared with this copy of the code. A second copy of the package counts its slots on its
 * own, so that its events would share slots with unrelated events here.
 */
export function isOwnEventType(type: EventType<never>): boolean {
  return declared.has(type);
}
