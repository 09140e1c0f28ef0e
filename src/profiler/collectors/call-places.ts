import type { CleanWords } from '../record/clean-words.js';
import { jsonLength } from '../record/json-length.js';
import { dbLimits, type DbCallSite } from './db-section.js';

/** The calls that led to a query, as they are kept. */
export interface CallPlace {
  readonly frames: readonly DbCallSite[];
  /** Characters as JSON. */
  readonly weight: number;
}

const longestName = 300;
const longestFile = 1000;
/** What JSON needs around the values of a frame. */
const frameWeight = 60;
const nowhere: CallPlace = { frames: [], weight: 0 };

/** Reads the frames of messages, whatever they are. Frozen ones, which stand for a place met before, are read once. */
export class CallPlaces {
  readonly #words: CleanWords;
  readonly #known = new WeakMap<object, CallPlace>();

  constructor(words: CleanWords) {
    this.#words = words;
  }

  take(callSite: unknown): CallPlace {
    if (!Array.isArray(callSite) || callSite.length === 0) return nowhere;
    const given: readonly unknown[] = callSite;
    let place = this.#known.get(given);
    if (place !== undefined) return place;
    place = this.#read(given);
    if (isFixed(given)) this.#known.set(given, place);
    return place;
  }

  #read(given: readonly unknown[]): CallPlace {
    const frames: DbCallSite[] = [];
    let weight = 0;
    for (let at = 0; at < given.length && frames.length < dbLimits.frames; at++) {
      const call = given[at];
      if (typeof call !== 'object' || call === null) continue;
      const { file, name, line, column } = call as Readonly<Record<string, unknown>>; // read by name, each checked
      if (typeof file !== 'string') continue;
      const frame = {
        name: typeof name === 'string' ? this.#words.take(name.slice(0, longestName)) : null,
        file: this.#words.take(file.slice(0, longestFile)),
        line: countOf(line),
        column: countOf(column),
      };
      frames.push(frame);
      weight += frameWeight + jsonLength(frame.file) + (frame.name === null ? 4 : jsonLength(frame.name));
    }
    return { frames, weight };
  }
}

/** Whether what was read of them will always be the same. */
function isFixed(given: readonly unknown[]): boolean {
  return Object.isFrozen(given) && given.every((call) => Object.isFrozen(call));
}

function countOf(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0;
}
