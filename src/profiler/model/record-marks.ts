/** Tags and note that people put on a record. The retention does not remove a marked record. */
export interface RecordMark {
  /** Lower case, without spaces or commas; at most ten. */
  readonly tags: readonly string[];
  readonly note: string;
}

/** A saved filter of the list. */
export interface SavedFilter {
  readonly name: string;
  /** The query of the list's address. */
  readonly query: string;
}

/** Marks and saved filters; shared by all people who use the store. */
export interface RecordMarks {
  of(token: string): Promise<RecordMark | undefined>;
  /**
   * Marks a record and keeps a copy of it that no limit removes; null removes the mark and the copy. Rejects with
   * `PROFILER_MARKS_FULL`, `PROFILER_MARK_TOO_LARGE` or, if the record does not exist, `PROFILER_MARK_OF_NOTHING`.
   */
  set(token: string, mark: RecordMark | null): Promise<void>;
  filters(): Promise<readonly SavedFilter[]>;
  /** Saves a query under a name; null removes it. Rejects with `PROFILER_MARKS_FULL`. */
  saveFilter(name: string, query: string | null): Promise<void>;
}
