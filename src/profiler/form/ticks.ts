const ticksPerMs = 10_000;

/** Milliseconds as the whole number in which all times of a record are kept: tenths of a microsecond. */
export function toTicks(milliseconds: number): number {
  return Math.round(milliseconds * ticksPerMs);
}

export function fromTicks(ticks: number): number {
  return ticks / ticksPerMs;
}
