import type { RequestRecording } from './request-recording.js';

/** The requests under way, as a chain: adding and removing one touches only its neighbours. */
export class OpenRecordings {
  #newest: RequestRecording | undefined;
  #oldest: RequestRecording | undefined;
  size = 0;

  get oldest(): RequestRecording | undefined {
    return this.#oldest;
  }

  add(recording: RequestRecording): void {
    recording.older = this.#newest;
    if (this.#newest !== undefined) this.#newest.newer = recording;
    this.#newest = recording;
    this.#oldest ??= recording;
    this.size++;
  }

  remove(recording: RequestRecording): void {
    const { newer, older } = recording;
    if (newer === undefined) this.#newest = older;
    else newer.older = older;
    if (older === undefined) this.#oldest = newer;
    else older.newer = newer;
    recording.newer = undefined;
    recording.older = undefined;
    this.size--;
  }

  find(key: number): RequestRecording | undefined {
    for (let at = this.#newest; at !== undefined; at = at.older) if (at.key === key) return at;
    return undefined;
  }
}
