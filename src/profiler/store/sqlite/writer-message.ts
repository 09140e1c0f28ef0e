import type { RecordBucket } from '../../model/profile-record.js';
import type { Lease, ProcessCounts, Segment } from '../../model/profile-store.js';
import type { ThreadAnswer } from '../thread/thread-caller.js';
import type { FileEvents } from './reopening-writer.js';
import type { FileTally, GivenNote } from './sqlite-writer.js';

/** What the writer's thread is asked. */
export type WriterOrder =
  | {
      readonly kind: 'write';
      readonly segments: readonly Segment[];
      readonly counts: ProcessCounts | undefined;
    }
  | { readonly kind: 'prune'; readonly bucket: RecordBucket | undefined }
  | { readonly kind: 'lease'; readonly amount: number }
  | { readonly kind: 'note'; readonly note: GivenNote }
  | { readonly kind: 'tally' }
  | { readonly kind: 'close' };

export interface WriterRequest {
  readonly id: number;
  readonly order: WriterOrder;
}

export interface WriterReply extends ThreadAnswer {
  readonly news: FileEvents;
  readonly tally?: FileTally;
  readonly lease?: Lease;
}
