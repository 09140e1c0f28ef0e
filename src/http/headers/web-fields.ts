/** Bun's `Headers`, which have a count of their fields. On Bun, listing the fields costs more than all other reads together. */
export type CountedHeaders = Headers & { readonly count: number };

/** The fields of a web request. The runtime looks fields up; the list is created on first use. */
export class WebFields {
  readonly #headers: CountedHeaders;
  readonly #url: string;
  readonly #host: string | null;
  #list: readonly string[] | undefined;

  /** `url` is the URL of the request; it supplies the host if there is no Host field. */
  constructor(headers: CountedHeaders, url: string) {
    this.#headers = headers;
    this.#url = url;
    this.#host = headers.get('host'); // cached: calls into the runtime are slow, and the host of every request is read
  }

  get size(): number {
    return this.#headers.count + (this.#host === null ? 1 : 0);
  }

  get(name: string): string | undefined {
    if (name === 'host' && this.#host !== null) return this.#host;
    try {
      return this.#headers.get(name) ?? (name.toLowerCase() === 'host' ? new URL(this.#url).host : undefined);
    } catch {
      return undefined; // not a valid field name
    }
  }

  /** Returns alternating names and values. Callers must neither modify the list nor pass it on. */
  list(): readonly string[] {
    return (this.#list ??= listFields(this.#headers, this.#url));
  }
}

/** Lists alternating names and values. Adds the host of the URL first if there is no Host field. */
export function listFields(headers: Headers, url: string): string[] {
  const list = headers.has('host') ? [] : ['host', new URL(url).host];
  // oxlint-disable-next-line unicorn/no-array-for-each -- an iterator allocates an array for each field
  headers.forEach((value, name) => void list.push(name, value));
  return list;
}
