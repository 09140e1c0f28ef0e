/** What people wrote at a record. A record that has one outlives the retention. */
export interface RecordMark {
  /** Lower case, without spaces or commas; at most ten. */
  readonly tags: readonly string[];
  readonly note: string;
}

/** A saved list. */
export interface SavedFilter {
  readonly name: string;
  /** The query of the list's address. */
  readonly query: string;
}

/** Pins and filters of the people who use the store; the same for all of them. */
export interface RecordMarks {
  of(token: string): Promise<RecordMark | undefined>;
  /**
   * Marks a record, with a copy of it that no limit takes away; null takes mark and copy away. Rejects with
   * `PROFILER_MARKS_FULL`, `PROFILER_MARK_TOO_LARGE` or, where there is no such record, `PROFILER_MARK_OF_NOTHING`.
   */
  set(token: string, mark: RecordMark | null): Promise<void>;
  filters(): Promise<readonly SavedFilter[]>;
  /** Keeps a query under a name, or takes that away. Rejects with `PROFILER_MARKS_FULL`. */
  saveFilter(name: string, query: string | null): Promise<void>;
}
