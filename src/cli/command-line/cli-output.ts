/** The output of a command. Both functions take whole lines. */
export interface CliOutput {
  out(text: string): void;
  err(text: string): void;
  /** Whether `out` is a terminal that shows colours, and colours are not turned off. */
  readonly isColored?: boolean;
}
