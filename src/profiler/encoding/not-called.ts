import type { RecordedEvent, RecordedListener } from '../model/profile-record.js';
import type { SpanKind } from './spans.js';

type NotCalled = NonNullable<RecordedEvent['notCalled']>[number];

/** Facts about a request in addition to its events. */
interface RequestOutcome {
  /** Span ids of the registered listeners, by event in call order. */
  readonly registered: readonly number[];
  readonly kinds: readonly SpanKind[];
  readonly hasFailed: boolean;
  readonly hasController: boolean;
}

/** Events whose dispatches are all recorded. For other events, it is unknown whether they were dispatched. */
const recorded = new Set([
  'request',
  'controller',
  'controller_arguments',
  'view',
  'response',
  'exception',
  'finish_request',
  'terminate',
]);

export const maxNotCalled = 200;

/**
 * Adds the listeners that were not called, with the reason: to each dispatch the ones it did not reach, and to the last
 * dispatch the ones for events that were never dispatched. Returns their total number, of which `maxNotCalled` are
 * kept.
 */
export function addNotCalled(
  events: readonly RecordedEvent[],
  outcome: RequestOutcome,
): { readonly events: readonly RecordedEvent[]; readonly total: number } {
  const byEvent = listenersByEvent(outcome);
  let total = 0;
  const kept = (found: readonly NotCalled[]): readonly NotCalled[] => {
    const room = Math.max(0, maxNotCalled - total);
    total += found.length;
    return found.slice(0, room);
  };
  const added = events.map((event, at) => {
    const found = [
      ...skippedIn(event, byEvent.get(event.event) ?? []),
      ...(at === events.length - 1 ? undispatched(events, byEvent, outcome) : []),
    ];
    const notCalled = kept(found);
    return notCalled.length === 0 ? event : { ...event, notCalled };
  });
  return { events: added, total };
}

type Registered = Omit<NotCalled, 'why'>;

function listenersByEvent({ registered, kinds }: RequestOutcome): ReadonlyMap<string, readonly Registered[]> {
  const byEvent = new Map<string, Registered[]>();
  for (const id of registered) {
    const kind = kinds[id];
    if (kind?.category !== 'listener') continue; // beyond the kind limit, the last ones are unknown
    const { name, event = '', priority = 0, location = '' } = kind;
    const [, file, line, column] = /^(.+):(\d+):(\d+)$/.exec(location) ?? [];
    const found = {
      event,
      name,
      ...(file === undefined ? {} : { location: { file, line: Number(line), column: Number(column) } }),
      priority,
    };
    byEvent.set(event, [...(byEvent.get(event) ?? []), found]);
  }
  return byEvent;
}

/** Returns the listeners after the listener that ended a dispatch. */
function skippedIn({ listeners }: RecordedEvent, all: readonly Registered[]): NotCalled[] {
  const last = listeners.at(-1);
  // If no listener ended it, the missing ones were added later, or exceed a record's limit.
  if (last === undefined || !(last.stopped || last.failed)) return [];
  const called = listeners.map(keyOf);
  const skipped = all.filter((one) => {
    const at = called.indexOf(keyOf(one));
    if (at !== -1) called.splice(at, 1); // two may be equal
    return at === -1;
  });
  const why = last.failed ? `“${last.name}” threw` : `“${last.name}” ended the event`;
  return skipped.map((one) => ({ ...one, why }));
}

function keyOf({ name, priority, location }: Registered | RecordedListener): string {
  return [name, priority, location?.file, location?.line, location?.column].join('\0');
}

function undispatched(
  events: readonly RecordedEvent[],
  byEvent: ReadonlyMap<string, readonly Registered[]>,
  outcome: RequestOutcome,
): NotCalled[] {
  const dispatched = new Set(events.map(({ event }) => event));
  const answeredBy = events
    .find(({ event }) => event === 'request')
    ?.listeners.find(({ stopped }) => stopped)?.name;
  return [...byEvent].flatMap(([event, listeners]) => {
    const isKnown = recorded.has(event) || event.startsWith('security.');
    if (!isKnown || dispatched.has(event)) return [];
    const why = reasonOf(event, outcome, answeredBy);
    return listeners.map((one) => ({ ...one, why }));
  });
}

function reasonOf(
  event: string,
  { hasFailed, hasController }: RequestOutcome,
  answeredBy: string | undefined,
): string {
  if (event === 'exception' && !hasFailed) return 'nothing was thrown';
  if (event === 'view' && hasController && !hasFailed) return 'the controller returned a response';
  if (event === 'controller' || event === 'controller_arguments' || event === 'view')
    if (answeredBy !== undefined) return `“${answeredBy}” answered the request before`;
  return `the event ${event} was not dispatched`;
}
