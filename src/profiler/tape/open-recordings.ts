import type { RequestRecording } from './request-recording.js';

/**
 * In-flight requests, oldest first, as a linked list through the recordings. A `Map` would be slower: one that becomes
 * empty after each request is rehashed every time.
 */
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

  /** Removes a recording that is in the list. */
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
