/** What a record is found by. */
export interface RowFacts {
  readonly method: string;
  readonly status: number;
  readonly route: string | null;
  readonly address: string;
  readonly thrown: boolean;
}

const most = 1000;

/**
 * Lines that tell whether any record of a segment can match a query, so that a search looks into few segments: one line
 * for each method, status, route and client address in it. Empty text: there were too many, look into it.
 */
export class SegmentFacts {
  readonly #lines = new Set<string>();

  add({ method, status, route, address, thrown }: RowFacts): void {
    if (this.#lines.size > most) return;
    this.#lines.add(`m${oneLine(method).toUpperCase()}`);
    this.#lines.add(`s${status}`);
    this.#lines.add(`i${oneLine(address)}`);
    if (route !== null) this.#lines.add(`r${oneLine(route)}`);
    if (thrown) this.#lines.add('x');
  }

  render(): string {
    return this.#lines.size > most ? '' : `\n${[...this.#lines].join('\n')}\n`;
  }
}

export const exceptionFact = '\nx\n';

export function methodFact(wanted: string): string {
  return `\nm${oneLine(wanted).toUpperCase()}\n`;
}

/** For a name, or for the beginning of one before a `*`. */
export function routeFact(wanted: string): string {
  return wanted.endsWith('*') ? `\nr${oneLine(wanted.slice(0, -1))}` : `\nr${oneLine(wanted)}\n`;
}

/** For `404`, or for the beginning of it in `4xx`. */
export function statusFact(wanted: string): string {
  const digits = wanted.toLowerCase().replace(/x+$/, '');
  return digits.length === wanted.length ? `\ns${digits}\n` : `\ns${digits}`;
}

function oneLine(text: string): string {
  return text.includes('\n') ? text.replaceAll('\n', ' ') : text;
}
