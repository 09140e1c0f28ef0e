import type { DispatchFollower } from '#events';
import type { StackPlace } from '#errors';
import type { HttpRequest, HttpResponse } from '#http';
import { createScopeKey, type ScopeKey } from '#scope';
import type { Recording, SpanOutcome } from '../model/recording.js';

/** A change to a header. */
export interface HeaderWrite {
  /** Span id of the listener; undefined for headers that were set before any listener ran. */
  readonly by?: number | undefined;
  /** The calls that led to the change, innermost first; where it is known by them and not by the listener. */
  readonly sites?: () => readonly StackPlace[];
  readonly name: string;
  /** Undefined if the header was removed. */
  readonly value: string | undefined;
}

/** The changes to the headers of a request's response, in order. */
export const headerWrites: ScopeKey<HeaderWrite[]> = createScopeKey<HeaderWrite[]>('header writes');

const maxWrites = 200;

/** Records a change to a header of a server without listeners. Changes nothing if the header had this value already. */
export function noteHeaderWrite({ scope }: HttpRequest, write: HeaderWrite): void {
  const writes = scope.getOwn(headerWrites) ?? [];
  if (writes.length === 0) scope.set(headerWrites, writes);
  const name = write.name.toLowerCase();
  const before = writes.findLast((one) => one.name.toLowerCase() === name);
  if (writes.length < maxWrites && before?.value !== write.value) writes.push(write);
}

/** Follows a dispatch whose listeners change the response, and records after each listener which headers it changed. */
export class HeaderFollower implements DispatchFollower {
  readonly #recording: Recording;
  readonly #event: { readonly response: HttpResponse };
  readonly #writes: HeaderWrite[] = [];
  #before: readonly string[] = [];
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

  leave(place: number, outcome?: SpanOutcome): void {
    this.#recording.leave(place, outcome);
    this.#recordChanges();
  }

  lateError(thrown: unknown): void {
    this.#recording.lateError(thrown);
  }

  /** Records the differences to the previous call. */
  #recordChanges(): void {
    const { headers } = this.#event.response;
    const { flat } = headers;
    const before = this.#before;
    if (isSame(flat, before)) return;
    this.#before = flat.slice();
    for (let at = 0; at < flat.length; at += 2)
      if (!isIn(before, flat[at], flat[at + 1])) this.#add(flat[at], flat[at + 1]);
    for (let at = 0; at < before.length; at += 2)
      if (!headers.has(before[at] ?? '')) this.#add(before[at], undefined);
  }

  #add(name = '', value: string | undefined): void {
    if (this.#writes.length < maxWrites) this.#writes.push({ by: this.#listener, name, value });
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
