import type { ProfileRecord } from '../model/profile-record.js';
import type { SpanKind } from '../record/spans.js';
import type { LateNotes } from '../record/late-notes.js';
import type { Retention, StoreTally } from '../tables/record-store.js';
import type { Batch } from '../tape/tape.js';
import type { SourceSettings, WriterCounts } from './writer-options.js';
import type { Writer } from './writer.js';

/** The questions to a writer. */
export type Question = 'find' | 'list' | 'totals' | 'update' | 'flush' | 'close';

/** What the thread of a writer is started with. */
export interface WriterThreadData {
  readonly address: string;
  readonly retention: Retention;
}

/** A message to the thread of a writer. */
export type WriterMessage =
  | { readonly kind: 'source'; readonly source: number; readonly settings: SourceSettings }
  /** `kinds`: the kinds of spans that were registered since the last message. */
  | {
      readonly kind: 'batch';
      readonly source: number;
      readonly batch: Batch;
      readonly kinds: readonly SpanKind[];
    }
  | { readonly kind: 'late'; readonly id: number; readonly late: LateNotes }
  | { readonly kind: 'reserve'; readonly amount: number }
  | {
      readonly kind: 'question';
      readonly number: number;
      readonly method: Question;
      readonly args: readonly unknown[];
      readonly kinds: readonly SpanKind[];
    }
  /** The process may end: it waits, with its event loop blocked, until `done` is 1. */
  | { readonly kind: 'save'; readonly isLast: boolean; readonly done: Int32Array<SharedArrayBuffer> };

/** An error as it crosses threads. */
export interface SentError {
  readonly code: string | null;
  readonly message: string;
  readonly fix?: string | undefined;
}

/** A message of the thread of a writer. */
export type WriterReport =
  | {
      readonly kind: 'answer';
      readonly number: number;
      readonly result?: unknown;
      readonly error?: SentError;
    }
  | {
      readonly kind: 'wrote';
      readonly counts: WriterCounts;
      readonly tally: StoreTally | undefined;
      readonly error: SentError | undefined;
    }
  | { readonly kind: 'reserved'; readonly from: number; readonly to: number }
  | { readonly kind: 'finished'; readonly source: number; readonly records: readonly ProfileRecord[] }
  | { readonly kind: 'failed'; readonly error: SentError };

export type WriterMethods = Pick<Writer, Question>;
