import type { Converter } from './writer-options.js';

/** Loads the code that converts records. */
export async function loadConverter(): Promise<Converter> {
  return (await import('./converter.js')).converter;
}
