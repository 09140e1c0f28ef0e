import type { CleanWords } from '../redact/clean-words.js';
import { dbLimits, type DbCallSite } from './db-section.js';

const longestName = 300;
const longestFile = 1000;

/** The frames of a message, whatever they are. */
export function readCallSite(callSite: unknown, words: CleanWords): DbCallSite[] {
  const frames: DbCallSite[] = [];
  if (!Array.isArray(callSite)) return frames;
  const given: readonly unknown[] = callSite;
  for (let at = 0; at < given.length && frames.length < dbLimits.frames; at++) {
    const call = given[at];
    if (typeof call !== 'object' || call === null) continue;
    const { file, name, line, column } = call as Readonly<Record<string, unknown>>; // read by name, each checked
    if (typeof file !== 'string') continue;
    frames.push({
      name: typeof name === 'string' ? words.take(name.slice(0, longestName)) : null,
      file: words.take(file.slice(0, longestFile)),
      line: countOf(line),
      column: countOf(column),
    });
  }
  return frames;
}

function countOf(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0;
}
