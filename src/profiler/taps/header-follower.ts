import type { DispatchFollower } from '#events';
import type { HttpResponse } from '#http';
import { createScopeKey, type ScopeKey } from '#scope';
import type { Recording, SpanOutcome } from '../model/recording.js';

/** What one listener did to one header. */
export interface HeaderWrite {
  /** Number of the listener's span; undefined for what was there before any listener. */
  readonly by: number | undefined;
  readonly name: string;
  /** Undefined where it was taken away. */
  readonly value: string | undefined;
}

/** The writes to the headers of a request's response, in their order. */
export const headerWrites: ScopeKey<HeaderWrite[]> = createScopeKey<HeaderWrite[]>('header writes');

const maxWrites = 200;

/** Follows the dispatch in which listeners change the response: notes behind each which headers it has changed. */
export class HeaderFollower implements DispatchFollower {
  readonly #recording: Recording;
  readonly #event: { readonly response: HttpResponse };
  readonly #writes: HeaderWrite[] = [];
  #before: readonly string[] = [];
  #listener: number | undefined;

  constructor(recording: Recording, event: { readonly response: HttpResponse }) {
    this.#recording = recording;
    this.#event = event;
    this.#note();
    recording.request.scope.set(headerWrites, this.#writes);
  }

  enter(number: number): number {
    this.#listener = number;
    return this.#recording.enter(number);
  }

  leave(place: number, outcome?: SpanOutcome): void {
    this.#recording.leave(place, outcome);
    this.#note();
  }

  lateError(thrown: unknown): void {
    this.#recording.lateError(thrown);
  }

  /** Notes what differs from the last look. */
  #note(): void {
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
