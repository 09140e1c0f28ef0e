import type { RecordSources } from './find/record-reader.js';
import type { SegmentQueue } from './store/segment-queue.js';
import type { Recorder } from './watch/recorder.js';

type NearRecords = Pick<
  RecordSources,
  'isOpen' | 'snapshot' | 'inFlight' | 'unstored' | 'unstoredOf' | 'wasDropped'
>;

/** Records that are not stored yet: under way, written down, or on their way to the store. */
export function nearRecords(recorder: Recorder, queue: SegmentQueue): NearRecords {
  return {
    isOpen: (key) => recorder.isOpen(key),
    snapshot: (key) => recorder.snapshotOf(key),
    inFlight: (bucket, olderThan) => recorder.inFlight(bucket, olderThan),
    unstored(bucket) {
      const pending = recorder.pending(bucket);
      const queued = queue.segments.filter((segment) => segment.bucket === bucket);
      return pending === undefined ? queued : [pending, ...queued];
    },
    unstoredOf: (key) => recorder.pendingOf(key) ?? queue.find(key),
    wasDropped: (key) => queue.hasDropped(key),
  };
}
