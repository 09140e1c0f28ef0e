/** Where a command writes. Both take whole lines. */
export interface CliOutput {
  out(text: string): void;
  err(text: string): void;
  /** Whether `out` leads to a terminal that shows colours, and nobody wants none. */
  readonly isColored?: boolean;
}
