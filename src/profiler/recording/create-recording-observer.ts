import type { DispatchFollower, DispatchObserver, EventType, ListenerLocation } from '#core/events';
import { captureCallSites, type StackPlace, type CapturedSites } from '#core/errors';
import type { HttpRequest, HttpResponse } from '#core/http';
import { createScopeKey, type ScopeKey } from '#core/scope';
import type { Recording, SpanOutcome } from '../model/recording.js';
import { registerSpan, spanNameOf, spanPlaceOf } from './span-list.js';
import { requestRecording } from './current-recording.js';

/** Texts of a write of a header, and what ends each of them. */
export const textsOfWrite = 5;
export const separator = '\0';
/** No header has this value. */
export const removed = '\x01';
const maxWrites = 200;

/**
 * Writes of headers, in order, as one text. Each is five texts: the listener or package that did it (empty for the application),
 * name, value (`removed` if the header was), the place as `file:line:column name` or nothing, and a text if that is the place
 * of an earlier time.
 */
export class HeaderWrites {
  text = '';
  #count = 0;

  /** `end`: the last two texts. */
  add(by: string, name: string, value: string = removed, end: string = noLocation): void {
    if (this.#count++ < maxWrites) this.text += by + separator + name + separator + value + end;
  }
}

const noLocation = separator.repeat(3);

/** Who set a header of a server without listeners. */
export interface HeaderCaller {
  /** The package of the innermost call; null for the application. */
  readonly by: string | null;
  /** The innermost call of the application, else that of the package, as `file:line:column name`; null if unknown. */
  readonly location: string | null;
}

/** Returns who set a header by the calls that led to it, innermost first. */
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

/** Returns the name of the package that a file belongs to; null for files of the application. */
function packageOf(file: string): string | null {
  const inner = file.split(/[\\/]node_modules[\\/]/);
  return inner.length < 2 ? null : (/^(?:@[^\\/]+[\\/])?[^\\/]+/.exec(inner.at(-1) ?? '')?.[0] ?? null);
}

/** The writes of the headers of a request's response. */
export const headerWrites: ScopeKey<HeaderWrites> = createScopeKey<HeaderWrites>('header writes');

/** Records a write of a header of a server without listeners. Those that change nothing are left out later. */
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

/** Follows a dispatch whose listeners change the response, and records after each listener which headers it changed. */
export class HeaderFollower implements DispatchFollower {
  readonly #recording: Recording;
  readonly #event: { readonly response: HttpResponse };
  readonly #writes = new HeaderWrites();
  /** The headers at the previous call. */
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
    for (let at = 0; at < flat.length; at++) before[at] = flat[at] ?? ''; // a copy for each change would be garbage
    if (before.length > flat.length) before.length = flat.length; // even to set the same length takes V8 a while
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

/** Captures the place of the call to `on` in the application. The depth of 4 also covers two frames of the framework. */
function addedFrom(): () => ListenerLocation | undefined {
  const sites = captureCallSites(addedFrom, { depth: 4, limit: 1 });
  return () => sites()[0];
}

/**
 * Creates an observer for a dispatcher. It records each dispatch as a stage, with the listeners that were called, their times,
 * and whether they stopped the dispatch or threw. `watched` returns the event if the response headers should be watched
 * while its listeners run. For requests without a recording, it costs only one scope lookup.
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
      const { request } = event as { readonly request?: HttpRequest }; // events are objects; those of other modules have no request
      const recording = request?.scope.get(requestRecording);
      const response = recording === undefined ? undefined : watched?.(type, event);
      return recording === undefined || response === undefined
        ? recording
        : new HeaderFollower(recording, response);
    },
  };
}
