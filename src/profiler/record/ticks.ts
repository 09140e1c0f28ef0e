const ticksPerMs = 10_000;

/** Milliseconds as the whole number by which a record keeps them: tenths of a microsecond. */
export function toTicks(milliseconds: number): number {
  // Where it fits into 32 bits it is made an integer, which unlike another number needs no object.
  return milliseconds < 200_000
    ? (milliseconds * ticksPerMs + 0.5) | 0
    : Math.round(milliseconds * ticksPerMs);
}

/** The same of nanoseconds. */
export function nanosToTicks(nanoseconds: number): number {
  return nanoseconds < 2e11 ? (nanoseconds * 0.01 + 0.5) | 0 : Math.round(nanoseconds / 100);
}

export function fromTicks(ticks: number): number {
  return ticks / ticksPerMs;
}
