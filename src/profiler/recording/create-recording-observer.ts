import type { DispatchFollower, DispatchObserver, EventType, ListenerLocation } from '#core/events';
import { captureCallSites, type StackPlace, type CapturedSites } from '#core/errors';
import type { HttpRequest, HttpResponse } from '#core/http';
import { createScopeKey, type ScopeKey } from '#core/scope';
import type { Recording, SpanOutcome } from '../model/recording.js';
import { registerSpan, spanNameOf, spanPlaceOf } from './span-list.js';
import { requestRecording } from './current-recording.js';

/** Number of texts that describe one header write, each followed by `separator`. */
export const textsOfWrite = 5;
export const separator = '\0';
/** Marks a removed header; not a valid header value. */
export const removed = '\x01';
const maxWrites = 200;

/**
 * Header writes, in order, packed into one text. Each write has five texts: the listener or package that made
 * it (empty for the application), name, value (`removed` if the header was removed), source location as
 * `file:line:column name` (may be empty), and a non-empty text if that location comes from an earlier call.
 */
export class HeaderWrites {
  text = '';
  #count = 0;

  /** `end` contains the last two texts. */
  add(by: string, name: string, value: string = removed, end: string = noLocation): void {
    if (this.#count++ < maxWrites) this.text += by + separator + name + separator + value + end;
  }
}

const noLocation = separator.repeat(3);

/** The code that set a header on a server without listeners. */
export interface HeaderCaller {
  /** The innermost call's package; null for the application. */
  readonly by: string | null;
  /** Innermost application call, or else the innermost call, as `file:line:column name`; null if unknown. */
  readonly location: string | null;
}

/** Returns the code that set a header, given the call stack (innermost first). */
export function headerCallerOf(calls: readonly StackPlace[]): HeaderCaller {
  const location = calls.find(({ file }) => packageOf(file) === null) ?? calls[0];
  return {
    by: packageOf(calls[0]?.file ?? ''),
    location: location === undefined ? null : locationText(location),
  };
}

function locationText({ file, line, column, name = '' }: StackPlace): string {
  return `${file}:${line}:${column} ${name}`;
}

/** Returns the name of the package that contains a file; null for application files. */
function packageOf(file: string): string | null {
  const inner = file.split(/[\\/]node_modules[\\/]/);
  return inner.length < 2 ? null : (/^(?:@[^\\/]+[\\/])?[^\\/]+/.exec(inner.at(-1) ?? '')?.[0] ?? null);
}

/** Header writes to a request's response. */
export const headerWrites: ScopeKey<HeaderWrites> = createScopeKey<HeaderWrites>('header writes');

/**
 * Records a header write on a server without listeners. Writes that change nothing are filtered out later.
 */
export function noteHeaderWrite(
  { scope }: HttpRequest,
  { name, value }: { readonly name: string; readonly value: string | undefined },
  { sites: [caller], isRemembered }: CapturedSites<HeaderCaller>,
): void {
  let writes = scope.getOwn(headerWrites);
  if (writes === undefined) scope.set(headerWrites, (writes = new HeaderWrites()));
  const end = ['', caller?.location ?? '', isRemembered ? 'remembered' : '', ''].join(separator);
  writes.add(caller?.by ?? '', name, value, end);
}

/**
 * Observes a dispatch whose listeners may change the response, and records the headers that each listener
 * changed.
 */
export class HeaderFollower implements DispatchFollower {
  readonly #recording: Recording;
  readonly #event: { readonly response: HttpResponse };
  readonly #writes = new HeaderWrites();
  /** Headers before the current listener ran. */
  readonly #before: string[] = [];
  #listener: number | undefined;

  constructor(recording: Recording, event: { readonly response: HttpResponse }) {
    this.#recording = recording;
    this.#event = event;
    this.#recordChanges();
    recording.request.scope.set(headerWrites, this.#writes);
  }

  enter(id: number): number {
    this.#listener = id;
    return this.#recording.enter(id);
  }

  leave(index: number, outcome?: SpanOutcome): void {
    this.#recording.leave(index, outcome);
    this.#recordChanges();
  }

  lateError(thrown: unknown): void {
    this.#recording.lateError(thrown);
  }

  #recordChanges(): void {
    const { headers } = this.#event.response;
    const { flat } = headers;
    const before = this.#before;
    if (isSame(flat, before)) return;
    for (let at = 0; at < flat.length; at += 2)
      if (!isIn(before, flat[at], flat[at + 1])) this.#add(flat[at], flat[at + 1]);
    for (let at = 0; at < before.length; at += 2)
      if (!headers.has(before[at] ?? '')) this.#add(before[at], undefined);
    for (let at = 0; at < flat.length; at++) before[at] = flat[at] ?? ''; // reused, because a copy per change would be garbage
    if (before.length > flat.length) before.length = flat.length; // V8 is slow even when the length stays the same
  }

  #add(name = '', value: string | undefined): void {
    this.#writes.add(this.#listener === undefined ? '' : spanNameOf(this.#listener), name, value);
  }
}

function isSame(flat: readonly string[], before: readonly string[]): boolean {
  if (flat.length !== before.length) return false;
  for (let at = 0; at < flat.length; at++) if (flat[at] !== before[at]) return false;
  return true;
}

function isIn(flat: readonly string[], name: string | undefined, value: string | undefined): boolean {
  for (let at = 0; at < flat.length; at += 2) if (flat[at] === name && flat[at + 1] === value) return true;
  return false;
}

/** Captures where the application called `on`. The depth of 4 also covers two framework frames. */
function addedFrom(): () => ListenerLocation | undefined {
  const sites = captureCallSites(addedFrom, { depth: 4, limit: 1 });
  return () => sites()[0];
}

/**
 * Creates an observer for a dispatcher. It records each dispatch as a stage, with the listeners called, their
 * times, and whether they stopped the dispatch or threw. `watched` returns the event if the response headers
 * should be compared around each listener. Requests without a recording cost only one scope lookup.
 */
export function createRecordingObserver(
  watched?: (type: EventType<never>, event: unknown) => { readonly response: HttpResponse } | undefined,
): DispatchObserver {
  return {
    stage: (event) => registerSpan({ name: event, category: 'stage' }),
    listener(event, { name, priority }, noted = addedFrom()) {
      const { file, line, column } = noted() ?? {};
      const location = file === undefined ? '' : `${file}:${line}:${column}`;
      return registerSpan({ name, priority, event, location, category: 'listener' });
    },
    locationOf(id) {
      const [, file, line, column] = /^(.+):(\d+):(\d+)$/.exec(spanPlaceOf(id)) ?? [];
      return file === undefined ? undefined : { file, line: Number(line), column: Number(column) };
    },
    follower(type, event) {
      const { request } = event as { readonly request?: HttpRequest }; // events are objects; other modules' events may have no request
      const recording = request?.scope.get(requestRecording);
      const response = recording === undefined ? undefined : watched?.(type, event);
      return recording === undefined || response === undefined
        ? recording
        : new HeaderFollower(recording, response);
    },
  };
}
