import type { RecordedCallSite } from '../../collectors/message-reader.js';
import type { Block, Value } from '../blocks/block.js';
import { formatMilliseconds, shortPath } from '../../words/format.js';
import type { PanelContext } from '../panel.js';

export type Pair = readonly [key: string, value: Value];

/** What a panel says where nothing was told: which taps there are, and how they are opened. */
export function nothingRecorded(what: string, taps: string): readonly Block[] {
  return [{ kind: 'note', tone: 'neutral', text: `No ${what} in this record. ${taps} See docs/taps.md.` }];
}

/** Where the application asked from: each place opens in the editor. */
export function callSitePairs(
  callSite: readonly RecordedCallSite[],
  { editor }: PanelContext,
): readonly Pair[] {
  return callSite.map((site, index) => {
    const { name, file, line, column } = site;
    const place = `${shortPath(file)}:${line}`;
    const href = editor(file, line, column)?.href;
    const text = name === null ? place : `${name} (${place})`;
    return [
      index === 0 ? 'From' : 'called by',
      { text, mono: true, ...(href === undefined ? {} : { href }) },
    ];
  });
}

/** A pair where there is something to say. */
export function pairOf(
  key: string,
  value: string | null,
  how: Omit<Exclude<Value, string | number>, 'text'> = {},
): readonly Pair[] {
  return value === null || value === '' ? [] : [[key, { text: value, ...how }]];
}

export function timeCell(milliseconds: number): Value {
  return { text: formatMilliseconds(milliseconds), mono: true };
}
