/** Tags and note that people put on a record. The retention does not remove a marked record. */
export interface RecordMark {
  /** Lower case, without spaces or commas; at most ten. */
  readonly tags: readonly string[];
  readonly note: string;
}
