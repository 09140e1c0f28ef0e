import type { HttpRequest, HttpResponse, SentResponse } from '#core/http';
import { declarationOf, type RequestEnd, type Section } from '../sections/section.js';
import type { RecordOrigin } from '../model/profile-record.js';
import type { BeginOptions } from '../model/profiler.js';
import type { Recording } from '../model/recording.js';
import { collectedName, numbersOf } from '../sections/section.js';
import { refusePromise, wrongResult } from '../sections/refuse-promise.js';
import { sectionError } from '../sections/section-failure.js';
import { RecordEncoder } from '../encoding/record-format.js';
import type { EncodedBatch, EncodedSection } from '../encoding/encoded-record.js';
import { fromTicks } from '../encoding/spans.js';
import { CpuProfiler } from './cpu-profiler.js';
import { runTimes } from './loop-watch.js';
import type { RecorderServices } from './recorder-services.js';
import { RequestRecording } from './request-recording.js';
import { isProfiled } from './sampling.js';
import { maxSpans } from './span-list.js';
import type { Unlocated } from './batch-buffer.js';
import { type Closing, composeEncodedRecord, nothingSent } from './compose-encoded-record.js';

export const maxOpen = 20_000;
/** Maximum number of findings per custom section. */
const maxFindings = 10;
/** Requests slower than this, in milliseconds, are written first. */
const slowMs = 1000;

/** Opens recordings and encodes them when their requests end. */
export class Recorder {
  readonly #open = new OpenRecordings();
  readonly #cpu = new CpuProfiler();
  readonly #services: RecorderServices;
  #sequence = 0;
  made = 0;
  /** Time spent encoding records, in milliseconds. */
  spentMs = 0;
  unrecordable = 0;
  sampledOut = 0;

  constructor(services: RecorderServices) {
    this.#services = services;
  }

  get openCount(): number {
    return this.#open.size;
  }

  begin(request: HttpRequest, options: BeginOptions): RequestRecording {
    const { origin = 'app', isTailSampled = false } = options;
    const { id, token } = this.#services.nextName();
    this.#cpu.begin(token, request.scope, { isWanted: isProfiled(request, options) });
    const identity = { id, token, origin, isTailSampled };
    const recording = new RequestRecording(identity, request, this.#services);
    request.scope.set(runTimes, recording.spans.times);
    this.#open.add(recording);
    const { oldest, size } = this.#open;
    // A caller leaks recordings: drop the oldest.
    if (size > maxOpen && oldest !== undefined) this.finish(oldest, undefined, nothingSent);
    return recording;
  }

  /** Closes one of this recorder's recordings; `sent` is undefined if nothing was sent. */
  readonly finish = (
    recording: Recording,
    response: HttpResponse | undefined,
    sent: SentResponse | undefined,
  ): void => {
    if (!(recording instanceof RequestRecording) || recording.isClosed) return;
    if (recording.isTailSampled && !this.#isWorthKeeping(recording, sent)) {
      this.sampledOut++;
      this.#end(recording);
      return;
    }
    const end = recording.spans.now();
    this.#cpu.end(recording.token);
    this.made++;
    const { exception, loggedError } = recording;
    if (exception === undefined && loggedError !== undefined && (sent?.status ?? 0) >= 500)
      recording.error(loggedError);
    try {
      this.#collectAll(recording, end, sent ?? nothingSent);
      const sample = this.#services.sample();
      const locate = this.#services.locatesLater() ? recording.controllerNote?.location : undefined;
      const isUnlocated = locate !== undefined;
      // One literal: a copy with another field (`{ ...closing, isUnlocated }`) cost the main thread a fifth of a recorded request.
      const sequence = ++this.#sequence;
      this.#write(recording, { response, sent, end, sample, sequence, isUnlocated }, locate);
    } catch (error) {
      this.unrecordable++;
      this.#services.failed(error);
    }
    this.#end(recording);
  };

  #write(recording: RequestRecording, closing: Closing, locate: Unlocated['locate'] | undefined): void {
    const { end, sent, sample } = closing;
    const durationMs = fromTicks(end);
    const begun = recording.startedAt + durationMs;
    const record = composeEncodedRecord(recording, closing, this.#services);
    this.spentMs += this.#services.buffer.add(record, {
      locate,
      hasFailed: recording.exception !== undefined || (sent?.status ?? 500) >= 500,
      wasSlow: (recording.firstByteMs ?? durationMs) >= slowMs,
      sample,
      begun,
    });
  }

  /**
   * Decides whether to keep a tail-sampled recording. An exception with a status below 400 also counts as a
   * failure: for example, a stream that broke.
   */
  #isWorthKeeping(
    { exception, startedAt, firstByteMs }: RequestRecording,
    sent: SentResponse | undefined,
  ): boolean {
    const { status } = sent ?? nothingSent;
    const failed = status >= 500 || (exception !== undefined && status < 400);
    return this.#services.sampler.keeps({ failed, durationMs: firstByteMs ?? performance.now() - startedAt });
  }

  #end(recording: RequestRecording): void {
    this.#open.remove(recording);
    recording.isClosed = true;
    recording.spans.release();
  }

  isOpen(id: number): boolean {
    return this.#open.find(id) !== undefined;
  }

  /** Encodes an in-flight request as if it ended now, including collected data; undefined on failure. */
  snapshotOf(id: number): EncodedBatch | undefined {
    const recording = this.#open.find(id);
    if (recording === undefined) return undefined;
    const { sections, limits } = recording; // restored below, because data collected now is not part of the final record
    recording.sections = sections && [...sections];
    recording.limits = limits && [...limits];
    try {
      const [end, sample, sequence] = [recording.spans.now(), this.#services.sample(), this.#sequence + 1];
      this.#collectAll(recording, end);
      const seen = { response: undefined, sent: undefined, end, sample, sequence, isUnlocated: false };
      const records = new RecordEncoder();
      records.add(composeEncodedRecord(recording, seen, this.#services));
      return { data: records.take(), sample };
    } catch (error) {
      this.#services.failed(error);
      return undefined;
    } finally {
      Object.assign(recording, { sections, limits });
    }
  }

  /** Returns the ids of requests that have been in flight for at least `ms` milliseconds, newest first. */
  inFlight(origin: RecordOrigin, { ms, limit }: { readonly ms: number; readonly limit: number }): number[] {
    const ids: number[] = [];
    const before = performance.now() - ms;
    let one = this.#open.oldest;
    for (; one !== undefined && one.startedAt <= before; one = one.newer)
      if (one.origin === origin) ids.push(one.id);
    return ids.slice(-limit).reverse();
  }

  /** Closes every in-flight request as unfinished. */
  abandon(): void {
    for (let { oldest } = this.#open; oldest !== undefined; oldest = this.#open.oldest)
      this.finish(oldest, undefined, undefined);
  }

  #collectAll(recording: RequestRecording, end: number, sent?: SentResponse): void {
    const over = sent === undefined ? undefined : this.#endOf(recording, end, sent);
    for (const section of this.#services.sections) {
      try {
        const data: unknown = refusePromise(section.collect?.(recording, over));
        if (data === undefined) continue;
        recording.setSection(
          'definition' in section
            ? { name: section.definition.id, data, isCustom: false }
            : this.#ownSection(section, recording.copied(section.id, data), recording),
        );
      } catch (error) {
        this.#services.failed('definition' in section ? error : sectionError(section.id, 'collect', error));
      }
    }
  }

  /** Evaluates a custom section on the copy of its data. */
  #ownSection(section: Section, data: unknown, recording: RequestRecording): EncodedSection {
    const failedIn = (member: string) => (error: unknown) =>
      this.#services.failed(sectionError(section.id, member, error));
    const listOf = <Item extends object>(
      member: 'timeline' | 'findings',
      max: number,
      make: () => readonly Item[] | undefined,
    ): readonly Item[] | undefined => {
      try {
        const made = refusePromise(make());
        if (made === undefined) return made;
        if (!Array.isArray(made)) throw wrongResult('It did not return a list');
        // Copied here, because reading a foreign item may throw, which would lose the record.
        const copies = recording.copied(section.id, made.slice(0, max)) as readonly Item[]; // of the items, or null
        const items = copies.filter((one) => typeof one === 'object' && one !== null);
        if (items.length < copies.length) failedIn(member)(wrongResult('An item is no object'));
        return items;
      } catch (error) {
        failedIn(member)(error);
        return undefined;
      }
    };
    return {
      name: section.id,
      data,
      numbers: section.numbers === undefined ? undefined : numbersOf(section, data, failedIn('numbers')),
      timeline: listOf('timeline', maxSpans, () => section.timeline?.(data)),
      findings: listOf('findings', maxFindings, () => section.findings?.(data)),
      isCustom: true,
    };
  }

  #endOf(recording: RequestRecording, end: number, sent: SentResponse): RequestEnd {
    const { sections, failed } = this.#services;
    return {
      route: recording.routed?.name ?? null,
      durationMs: fromTicks(end),
      bytes: sent.bodyBytes,
      number(column) {
        const declared = sections
          .map(declarationOf)
          .find(({ id }) => column.startsWith(collectedName(id, '')));
        const section = recording.sections?.find(({ name }) => name === declared?.id);
        if (declared === undefined || section === undefined) return 0;
        return numbersOf(declared, section.data, failed)[column] ?? 0;
      },
    };
  }
}

/** Linked list of in-flight requests, oldest first. A `Map` would be rehashed each time it empties. */
export class OpenRecordings {
  #oldest: RequestRecording | undefined;
  #newest: RequestRecording | undefined;
  size = 0;

  get oldest(): RequestRecording | undefined {
    return this.#oldest;
  }

  add(recording: RequestRecording): void {
    recording.older = this.#newest;
    if (this.#newest === undefined) this.#oldest = recording;
    else this.#newest.newer = recording;
    this.#newest = recording;
    this.size++;
  }

  remove(recording: RequestRecording): void {
    const { older, newer } = recording;
    if (older === undefined) this.#oldest = newer;
    else older.newer = newer;
    if (newer === undefined) this.#newest = older;
    else newer.older = older;
    recording.older = recording.newer = undefined;
    this.size--;
  }

  find(id: number): RequestRecording | undefined {
    let found = this.#newest;
    while (found !== undefined && found.id !== id) found = found.older;
    return found;
  }
}
