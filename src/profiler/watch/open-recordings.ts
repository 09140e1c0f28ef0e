import type { RequestRecording } from './request-recording.js';

/**
 * Requests under way, the oldest first: a chain through the recordings themselves. A `Map` that is emptied and filled
 * again with each request is made smaller each time, which takes longer than all that is done here.
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

  /** Takes out one that is in. */
  remove(recording: RequestRecording): void {
    const { older, newer } = recording;
    if (older === undefined) this.#oldest = newer;
    else older.newer = newer;
    if (newer === undefined) this.#newest = older;
    else newer.older = older;
    recording.older = recording.newer = undefined;
    this.size--;
  }

  find(key: number): RequestRecording | undefined {
    let found = this.#newest;
    while (found !== undefined && found.key !== key) found = found.older;
    return found;
  }
}
