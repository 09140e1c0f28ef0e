/** A part of a request in which something happened for `ms` of its milliseconds. `startMs`: since the request began. */
export interface CountedTime {
  readonly startMs: number;
  readonly durationMs: number;
  readonly ms: number;
}

/** What is known of when a request's code ran; part of the section `loop`. */
export interface KnownTimes {
  /** When its code ran. Absent where that is not known. */
  readonly runs?: readonly CountedTime[];
  /** When code ran of which it is not known for which request. */
  readonly outside?: readonly CountedTime[];
  /** When the profiler worked for it, while its code is said to run. */
  readonly own?: readonly CountedTime[];
  /** When the process was ready to run and had no processor. */
  readonly stops?: readonly CountedTime[];
}

/** Milliseconds of a stretch of a request; together they are its length. */
export interface UsedTime {
  /** The code of the request ran. */
  readonly ranMs: number;
  /** The loop was free, or ran the code of other requests: the request waited. */
  readonly waitedMs: number;
  /** Code ran of which it is not known for which request. */
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

/** Divides stretches of a request's time by what is known of them. */
export class TimeUse {
  /** Whether it is known when the code of the request ran. */
  readonly isKnown: boolean;
  readonly #cells: readonly Cell[];

  constructor(known: KnownTimes | undefined) {
    this.isKnown = known?.runs !== undefined;
    this.#cells = cellsOf(known ?? {});
  }

  /** Divides the time from `from` to `to`. Where it is not known when the code ran, it counts as waiting. */
  between(from: number, to: number): UsedTime {
    const sum = { ranMs: 0, waitedMs: 0, unknownMs: 0, profilerMs: 0, busyMs: 0 };
    let counted = 0;
    for (const cell of this.#cells) {
      const length = Math.min(cell.to, to) - Math.max(cell.from, from);
      if (length <= 0) continue;
      counted += length;
      const [runs, outside, own, stops] = cell.shares;
      // What the machine took is taken from all parts alike.
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

/** Returns what is known of the time of a record. */
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
