import type { Picture } from '#dump';
import type { ErrorReport } from '#errors';
import type { MatchTrace } from '#routing';
import type { ProfileRecord, RecordBucket, RecordedLimit, TimelineEntry } from '../model/profile-record.js';

/** A captured value: a primitive as itself (absent if undefined), anything else as its picture. */
export type TakenValue = string | number | boolean | null | undefined | Picture;

/** A captured value with its name. */
export interface TakenNamed {
  readonly name: string;
  readonly value: TakenValue;
}

/** The beginning of a body. */
export interface RawBody {
  /** Text as it is; bytes as base64. */
  readonly content: string;
  readonly isBytes?: true | undefined;
  /** Total number of bytes that were seen. */
  readonly bytes: number;
  readonly isUnread?: true | undefined;
}

/**
 * The context of a log line as it was when it was logged: the values of a plain object of primitives, with their secrets, as
 * most are, or the picture of anything else, without them.
 */
export type TakenContext = readonly TakenNamed[] | Picture;

/** A log line; `level` is its place in `logLevels`. */
export type RawLog = readonly [
  level: number,
  channel: string,
  message: string,
  offsetMs: number,
  context?: TakenContext | undefined,
];

/** State of the process when it was last sampled. */
export interface ProcessSample {
  readonly runtime: Pick<ProfileRecord['runtime'], 'memory' | 'eventLoop'>;
  /** When the sample was taken, on the monotonic clock. */
  readonly at: number;
  /** Offset from the monotonic clock to milliseconds since the epoch. */
  readonly epoch: number;
}

/** A section of a collector that the application added: copied, bounded and without secrets. */
export interface CustomSection {
  readonly name: string;
  readonly data: unknown;
  /** Its numbers for lists, by column. */
  readonly numbers?: Readonly<Record<string, number>> | undefined;
  readonly timeline?: readonly TimelineEntry[] | undefined;
}

/** Raw records as `RawRecords` writes them, and the process meanwhile. */
export interface RawBatch {
  /** Handed over to the writer's thread without a copy. */
  readonly data: Uint8Array;
  readonly sample: ProcessSample;
}

/**
 * What the thread that answered a request wrote down about it. It is raw: bounded by length alone, with its secrets, and
 * nothing in it is computed. `toRecords` makes the record of it, in the writer's thread; until then it leaves the process's
 * memory in no way. What is usual is absent: null, nothing, none.
 */
export interface RawRecord {
  readonly id: number;
  readonly sequence: number;
  readonly bucket: RecordBucket;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** Duration in ticks. */
  readonly end: number;
  readonly method: string;
  readonly target: string;
  /** Scheme and host. */
  readonly origin: string;
  readonly clientAddress: string;
  readonly peer: readonly [address: string, port: number];
  readonly httpVersion: string;
  /** Header fields of the request: names and values, alternating. */
  readonly received: readonly string[];
  /** Their names as one text, a line each, where it is at hand: hardly any request has other names than those before. */
  readonly receivedNames?: string | undefined;
  /** The response's, which may be the head as it was written (`fieldsOfHead`). */
  readonly answered: readonly string[] | string;
  readonly locale?: string | undefined;
  readonly user?: string | undefined;
  /** Id of the trace that the request belongs to. */
  readonly trace?: string | undefined;
  readonly body?: RawBody | undefined;
  readonly rawHead?: string | undefined;
  /** Absent if nothing has been sent. */
  readonly sent?:
    | {
        readonly status: number;
        readonly bodyBytes: number;
        readonly completed: boolean;
        readonly body?: RawBody | undefined;
      }
    | undefined;
  readonly route?:
    | {
        readonly name: string | null;
        readonly path: string | null;
        readonly parameters: readonly TakenNamed[];
        readonly trace?: MatchTrace | undefined;
        /** The trace was omitted because the time for traces was used up. */
        readonly isUntraced?: true | undefined;
        readonly allow?: readonly string[] | undefined;
      }
    | undefined;
  readonly controller?:
    | {
        readonly name: string;
        readonly file?: string | undefined;
        readonly line?: number | undefined;
        readonly arguments: readonly TakenNamed[];
      }
    | undefined;
  readonly spans: readonly number[];
  readonly logs?:
    | {
        readonly lines: readonly RawLog[];
        /** If lines were omitted: how many, after which one, and the number of all lines per level (`logLevels`). */
        readonly more?:
          | { readonly omitted: number; readonly omittedAfter: number; readonly byLevel: readonly number[] }
          | undefined;
      }
    | undefined;
  readonly exception?: ErrorReport | undefined;
  /** Sections of the collectors of this package, whose `parts` complete them. */
  readonly sections?: readonly (readonly [name: string, data: unknown])[] | undefined;
  readonly custom?: readonly CustomSection[] | undefined;
  readonly limits?: readonly RecordedLimit[] | undefined;
}

export function isNamed(context: TakenContext): context is readonly TakenNamed[] {
  return Array.isArray(context);
}

/** Returns the object that a context was taken of, for its picture. */
export function objectOf(named: readonly TakenNamed[]): Record<string, TakenValue> {
  return Object.fromEntries(named.map(({ name, value }) => [name, value]));
}

/** Returns a taken value as its picture. */
export function toPicture(value: TakenValue): Picture {
  if (value === undefined) return { type: 'undefined', text: 'undefined' };
  if (value === null) return { type: 'null', text: 'null' };
  if (typeof value === 'string') return { type: 'string', text: value };
  if (typeof value === 'boolean') return { type: 'boolean', text: String(value) };
  return typeof value === 'number' ? { type: 'number', text: String(value) } : value;
}
