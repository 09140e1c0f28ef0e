import type { FindFindings } from './writer-options.js';

/** Loaded with the first record: until then a process may only reserve ids, or have nothing to write. */
export async function loadFinders(): Promise<FindFindings> {
  return (await import('../../sections/find-findings.js')).findFindings;
}
