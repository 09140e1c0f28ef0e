const ticksPerMs = 10_000;

/** Converts milliseconds to ticks of 0.1 µs, the integer unit of all times in a record. */
export function toTicks(milliseconds: number): number {
  return Math.round(milliseconds * ticksPerMs);
}

export function fromTicks(ticks: number): number {
  return ticks / ticksPerMs;
}
