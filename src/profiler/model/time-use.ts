/** A period within a request in which something happened for `ms` milliseconds. `startMs` is relative to the request's start. */
export interface CountedTime {
  readonly startMs: number;
  readonly durationMs: number;
  readonly ms: number;
}

/** Known times of a request's code; part of the `loop` section. */
export interface KnownTimes {
  /** When its code ran; absent if unknown. */
  readonly runs?: readonly CountedTime[];
  /** When code ran that belongs to no known request. */
  readonly outside?: readonly CountedTime[];
  /** When the profiler worked for it; these times lie within `runs`. */
  readonly own?: readonly CountedTime[];
  /** When the process was ready to run but not scheduled. */
  readonly stops?: readonly CountedTime[];
}

/** Milliseconds of a period by use; they add up to its length. */
export interface UsedTime {
  /** The request's code ran. */
  readonly ranMs: number;
  /** The loop was free or ran other requests' code, so the request waited. */
  readonly waitedMs: number;
  /** Code ran that belongs to no known request. */
  readonly unknownMs: number;
  readonly profilerMs: number;
  /** The machine was busy with other processes. */
  readonly busyMs: number;
}

const kinds = ['runs', 'outside', 'own', 'stops'] as const;

interface Cell {
  readonly from: number;
  readonly to: number;
  readonly shares: readonly [runs: number, outside: number, own: number, stops: number];
}

/** Divides periods of a request's time by use. */
export class TimeUse {
  /** Whether it is known when the request's code ran. */
  readonly isKnown: boolean;
  readonly #cells: readonly Cell[];

  constructor(known: KnownTimes | undefined) {
    this.isKnown = known?.runs !== undefined;
    this.#cells = cellsOf(known ?? {});
  }

  /** Divides the time from `from` to `to`. If it is unknown when the code ran, it counts as waiting. */
  between(from: number, to: number): UsedTime {
    const sum = { ranMs: 0, waitedMs: 0, unknownMs: 0, profilerMs: 0, busyMs: 0 };
    let counted = 0;
    for (const cell of this.#cells) {
      const length = Math.min(cell.to, to) - Math.max(cell.from, from);
      if (length <= 0) continue;
      counted += length;
      const [runs, outside, own, stops] = cell.shares;
      // Machine time is deducted from all parts in proportion.
      const rest = length * (1 - stops);
      const ran = Math.max(0, runs - own);
      const unknown = Math.min(outside, 1 - ran - own);
      sum.busyMs += length - rest;
      sum.profilerMs += rest * own;
      sum.ranMs += rest * ran;
      sum.unknownMs += rest * unknown;
      sum.waitedMs += rest * Math.max(0, 1 - ran - own - unknown);
    }
    sum.waitedMs += Math.max(0, to - from - counted);
    return sum;
  }
}

/** Returns the time use of a record. */
export function timeUseOf({ sections }: { readonly sections?: Readonly<Record<string, unknown>> }): TimeUse {
  const loop = sections?.['loop'];
  return new TimeUse(typeof loop === 'object' && loop !== null ? loop : undefined);
}

/** Cuts the time into cells in which the share of each kind is constant. */
function cellsOf(known: KnownTimes): Cell[] {
  const edges: { at: number; kind: number; share: number }[] = [];
  for (const [kind, name] of kinds.entries())
    for (const { startMs, durationMs, ms } of known[name] ?? []) {
      if (!(durationMs > 0 && ms > 0)) continue;
      const share = Math.min(1, ms / durationMs);
      edges.push({ at: startMs, kind, share }, { at: startMs + durationMs, kind, share: -share });
    }
  edges.sort((a, b) => a.at - b.at);
  const cells: Cell[] = [];
  const shares: [number, number, number, number] = [0, 0, 0, 0];
  let from = 0;
  for (const { at, kind, share } of edges) {
    if (at > from && shares.some((one) => one > 1e-9)) {
      const [runs, outside, own, stops] = shares.map((one) => Math.min(1, Math.max(0, one)));
      cells.push({ from, to: at, shares: [runs ?? 0, outside ?? 0, own ?? 0, stops ?? 0] });
    }
    shares[kind] = (shares[kind] ?? 0) + share;
    from = Math.max(from, at);
  }
  return cells;
}
