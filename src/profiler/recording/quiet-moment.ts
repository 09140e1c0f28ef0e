import { clearTimeout as clearTimer, setImmediate as later, setTimeout as setTimer } from 'node:timers';
import { runOutsideRequests } from '#core/scope';
import { guardTimer } from './failure-notes.js';

/** How long no request may begin or end for the process to count as quiet, in milliseconds. */
const quietMs = 40;
/** The moment comes at the latest this long after the start, or after `hurry`, however many requests there are. */
const latestMs = { start: 500, hurry: 100 };
/** After this much postponed work, the moment comes at once. */
const maxPostponed = 16;

interface Observed {
  /** A number that changes with each request that begins or ends. */
  readonly activity: () => number;
  readonly openCount: () => number;
  readonly failed: (error: unknown) => void;
}

/**
 * The first moment without requests. What recording needs only after a response (a thread, the inspector) takes several
 * times as long as the first request itself, so it waits for that moment; tests in particular send their requests as
 * soon as they listen, and many such processes end before.
 */
export class QuietMoment {
  readonly #observed: Observed;
  #preparations: (() => void)[] = [];
  #postponed: (() => void)[] = [];
  #timer: NodeJS.Timeout | undefined;
  #latest = Number.POSITIVE_INFINITY;
  #seen = -1;
  #isOver = false;

  constructor(observed: Observed) {
    this.#observed = observed;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Begins to wait for the moment. Further calls do nothing. */
  start(): void {
    if (this.#latest !== Number.POSITIVE_INFINITY) return;
    this.#waitAtMost(latestMs.start);
  }

  /** Shortens the wait, because something important is postponed. */
  hurry(): void {
    this.#waitAtMost(latestMs.hurry);
  }

  /** Runs work before all that is postponed; never if the process or the profiler ends first. */
  prepare(work: () => void): void {
    if (this.#isOver) this.#run(work);
    else this.#preparations.push(work);
  }

  /** Runs work in the order of the calls: in the moment, or at once if it is over. */
  postpone(work: () => void): void {
    if (this.#isOver) return work();
    this.#postponed.push(work);
    if (this.#postponed.length > maxPostponed) this.come();
  }

  /** Makes it come now, because someone reads, or with `isLast` because the process or the profiler ends. */
  come({ isLast }: { readonly isLast: boolean } = { isLast: false }): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimer(this.#timer);
    const [preparations, postponed] = [this.#preparations, this.#postponed];
    this.#preparations = this.#postponed = [];
    runOutsideRequests(() => {
      for (const work of isLast ? postponed : [...preparations, ...postponed]) this.#run(work);
    });
  }

  #run(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#observed.failed(error);
    }
  }

  #waitAtMost(milliseconds: number): void {
    if (this.#isOver) return;
    this.#latest = Math.min(this.#latest, performance.now() + milliseconds);
    this.#look();
  }

  #look(): void {
    const now = performance.now();
    const { activity, openCount, failed } = this.#observed;
    const seen = activity();
    if (now >= this.#latest || (seen === this.#seen && openCount() === 0)) return this.come();
    this.#seen = seen;
    clearTimer(this.#timer);
    // In a later phase of the loop: on a busy machine, requests may have arrived since the timer was due. Node would not
    // wake for an immediate without a reference.
    const look = guardTimer(() => void later(guardTimer(() => this.#look(), failed)), failed);
    const milliseconds = Math.max(1, Math.min(quietMs, this.#latest - now));
    this.#timer = runOutsideRequests(() => setTimer(look, milliseconds)).unref();
  }
}
