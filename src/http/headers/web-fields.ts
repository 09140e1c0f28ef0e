/** `Headers` of a runtime that says how many fields there are: Bun, where making a list takes longer than all the rest of reading them. */
export type CountedHeaders = Headers & { readonly count: number };

/** The fields of a web request, looked up by the runtime; the list of them is made on first use. */
export class WebFields {
  readonly #headers: CountedHeaders;
  readonly #url: string;
  readonly #host: string | null;
  #list: readonly string[] | undefined;

  /** `url`: the request's, which names the host where no field does. */
  constructor(headers: CountedHeaders, url: string) {
    this.#headers = headers;
    this.#url = url;
    this.#host = headers.get('host'); // kept, since each call of the runtime costs time and every request's host is read
  }

  get size(): number {
    return this.#headers.count + (this.#host === null ? 1 : 0);
  }

  get(name: string): string | undefined {
    if (name === 'host' && this.#host !== null) return this.#host;
    try {
      return this.#headers.get(name) ?? (name.toLowerCase() === 'host' ? new URL(this.#url).host : undefined);
    } catch {
      return undefined; // no name of a field
    }
  }

  /** Names and values in turn. Not to be changed, nor to be handed out. */
  list(): readonly string[] {
    return (this.#list ??= listFields(this.#headers, this.#url));
  }
}

/** Names and values in turn, the host first. */
export function listFields(headers: Headers, url: string): string[] {
  const list = headers.has('host') ? [] : ['host', new URL(url).host];
  // oxlint-disable-next-line unicorn/no-array-for-each -- an iterator makes an array of each field
  headers.forEach((value, name) => void list.push(name, value));
  return list;
}
