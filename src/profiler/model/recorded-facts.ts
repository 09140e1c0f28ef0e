import { type HttpRequest, requestLocale, type SentResponse } from '#core/http';
import type { Redactor } from '#core/dump';
import type { DataOf, Shape } from './shape.js';
import { traceIdOf } from './request-trace.js';

/** Input from which a finished request's facts are read. */
export interface RecordedExchange {
  readonly request: HttpRequest;
  readonly userName: string | undefined;
  readonly firstByteMs: number | undefined;
}

/** A value that crosses to the writer thread; undefined if there is none. */
export type FactValue = string | number | boolean | undefined;

/** A simple fact. Its type, schema, validation, encoding, redaction and panel row follow from this entry. */
interface Fact {
  /** Text, count, number or flag. A missing value is null (`?`), absent (a name with `?`), or empty. */
  readonly shape: 'text' | readonly ['?', 'text'] | 'count' | 'number' | 'flag';
  /** Reads the value on the main thread, once per request: must be fast and have no side effects. */
  readonly of: (exchange: RecordedExchange, sent: SentResponse) => FactValue;
  /** Its row title in the request panel; without one, there is no row. */
  readonly label?: string;
  /** Whether the panel shows it as code. */
  readonly isCode?: true;
}

// Short, so that most facts fit on one line.
type Seen = RecordedExchange;
type Sent = SentResponse;
type Text = string | undefined;

const maxRawHeadLength = 4096;

/** Facts in a record's `request`. Add one here, and nowhere else. */
export const requestFacts = {
  httpVersion: {
    shape: 'text',
    of: (r: Seen): string => r.request.source.httpVersion,
    label: 'HTTP version',
  },
  // The client's address: the peer, or the address reported by a trusted proxy.
  clientAddress: {
    shape: 'text',
    of: (r: Seen): Text => addressOf(r.request),
    label: 'Client',
    isCode: true,
  },
  locale: {
    shape: ['?', 'text'],
    of: (r: Seen): Text => r.request.scope.get(requestLocale),
    label: 'Locale',
  },
  // The signed-in user's identifier.
  user: { shape: ['?', 'text'], of: (r: Seen): Text => r.userName, label: 'User' },
  // The request's trace id (W3C Trace Context).
  'trace?': { shape: 'text', of: (r: Seen): Text => traceIdOf(r.request) },
  // Beginning of the raw bytes, if they were not a valid request.
  'rawHead?': { shape: 'text', of: (r: Seen): Text => r.request.source.rawHead?.slice(0, maxRawHeadLength) },
} as const;

/** Facts in a record's `response`, if anything was sent. */
export const responseFacts = {
  status: { shape: 'count', of: (_: Seen, { status }: Sent): number => status },
  // Body bytes sent.
  bodyBytes: { shape: 'count', of: (_: Seen, { bodyBytes }: Sent): number => bodyBytes },
  // False if the client disconnected or the stream failed before the end.
  completed: { shape: 'flag', of: (_: Seen, { completed }: Sent): boolean => completed },
  // Milliseconds until the first byte of a streamed body.
  'firstByteMs?': { shape: 'number', of: (r: Seen): number | undefined => r.firstByteMs },
} as const;

/** The getter may throw for an invalid request. */
function addressOf(request: HttpRequest): string | undefined {
  try {
    return request.clientAddress;
  } catch {
    return request.source.peer.address;
  }
}

export type FactShapes<Facts> = {
  readonly [Name in keyof Facts]: Facts[Name] extends { readonly shape: infer Shape } ? Shape : never;
};

export function shapesOf<Facts extends Readonly<Record<string, Fact>>>(facts: Facts): FactShapes<Facts> {
  const shapes = Object.entries(facts).map(([name, { shape }]) => [name, shape]);
  return Object.fromEntries(shapes) as FactShapes<Facts>; // every name, with its shape
}

const absentValues = { text: '', count: 0, number: 0, flag: false } as const;

/** The facts in encoding order. */
export class FactList<Facts = unknown> {
  readonly #facts: readonly (Fact & { readonly name: string; readonly isOptional: boolean })[];
  /** Whether each fact is encoded as text; otherwise as a number. */
  readonly areTexts: readonly boolean[];
  readonly #readers: readonly Fact['of'][];
  readonly #absent: readonly FactValue[];

  constructor(declared: Readonly<Record<string, Fact>>) {
    const facts = Object.entries(declared);
    const nameOf = (name: string) => ({ name: name.replace('?', ''), isOptional: name.endsWith('?') });
    this.#facts = facts.map(([name, fact]) => ({ ...fact, ...nameOf(name) }));
    this.areTexts = facts.map(([, { shape }]) => shape === 'text' || Array.isArray(shape));
    this.#readers = facts.map(([, { of }]) => of);
    this.#absent = facts.map(() => undefined);
  }

  /**
   * Reads the facts. One that cannot be read is reported and left absent, because the others are still worth recording.
   */
  read(exchange: RecordedExchange, sent: SentResponse, failed: (error: unknown) => void): FactValue[] {
    const readers = this.#readers;
    const values = this.#absent.slice();
    for (let at = 0; at < readers.length; at++) {
      try {
        values[at] = readers[at]?.(exchange, sent);
      } catch (error) {
        failed(error);
      }
    }
    return values;
  }

  /** Returns the facts as a record's redacted fields. */
  fieldsOf(values: readonly FactValue[], redactor: Redactor): DataOf<FactShapes<Facts>> {
    const fields: Record<string, unknown> = {};
    for (const [at, { name, shape, isOptional }] of this.#facts.entries()) {
      const value = values[at];
      if (typeof value === 'string') fields[name] = redactor.text(value);
      else if (value !== undefined) fields[name] = shape === 'flag' ? value === 1 : value;
      else if (!isOptional) fields[name] = typeof shape === 'string' ? absentValues[shape] : null;
    }
    return fields as DataOf<FactShapes<Facts>>; // each with its shape
  }

  /** Returns the labelled facts in a part of a record, for its panel. */
  labelled(part: Readonly<Record<string, unknown>>): { label: string; isCode: boolean; text: string }[] {
    return this.#facts.flatMap(({ name, label, isCode = false }) => {
      const value = part[name];
      const isText = typeof value === 'string' || typeof value === 'number';
      if (label === undefined || !(isText || typeof value === 'boolean')) return [];
      return [{ label, isCode, text: isText ? String(value) : value ? 'yes' : 'no' }];
    });
  }
}

type Sound<Facts> = {
  readonly [Name in keyof Facts]: Facts[Name] extends { readonly shape: infer S extends Shape }
    ? Fact & { of(exchange: RecordedExchange, sent: SentResponse): NonNullable<DataOf<S>> | undefined }
    : never;
};

export const requestFactList: FactList<typeof requestFacts> = new FactList(
  requestFacts satisfies Sound<typeof requestFacts>,
);
export const responseFactList: FactList<typeof responseFacts> = new FactList(
  responseFacts satisfies Sound<typeof responseFacts>,
);
