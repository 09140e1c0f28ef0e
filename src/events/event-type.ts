/** Names one kind of event and carries the type that its listeners receive. */
export interface EventType<Event> {
  readonly name: string;
  /** Place of its listeners in every dispatcher; unique in the process. */
  readonly slot: number;
  /** True once an event needs no further listener (a response was set, say). */
  readonly isStopped?: (event: Event) => boolean;
}

let slots = 0; // events declared by now
const declared = new WeakSet<EventType<never>>();

/** Declares an event. Call it once, at module level; listeners are found by the object, not by the name. */
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

/** Whether it was declared with this copy of the code: the slots of another copy's events are those of others here. */
export function isOwnEventType(type: EventType<never>): boolean {
  return declared.has(type);
}
