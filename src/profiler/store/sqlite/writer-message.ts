import type { RecordBucket } from '../../model/profile-record.js';
import type { Lease, Segment } from '../../model/profile-store.js';
import type { FileEvents } from './reopening-writer.js';
import type { FileTally } from './sqlite-writer.js';

/** What the writer's thread is asked. */
export type WriterOrder =
  | { readonly kind: 'write'; readonly segments: readonly Segment[] }
  | { readonly kind: 'prune'; readonly bucket: RecordBucket | undefined }
  | { readonly kind: 'lease'; readonly amount: number }
  | { readonly kind: 'tally' }
  | { readonly kind: 'close' };

export interface WriterRequest {
  readonly id: number;
  readonly order: WriterOrder;
}

/** A coded error on its way between threads. */
export interface SentError {
  readonly code: string;
  readonly message: string;
  readonly fix: string | undefined;
}

export interface WriterReply {
  readonly id: number;
  readonly news: FileEvents;
  readonly tally?: FileTally;
  readonly lease?: Lease;
  readonly error?: SentError;
}
