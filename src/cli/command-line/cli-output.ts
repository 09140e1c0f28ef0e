/** Where a command writes. Both take whole lines. */
export interface CliOutput {
  out(text: string): void;
  err(text: string): void;
}
