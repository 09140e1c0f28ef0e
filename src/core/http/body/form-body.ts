import { badRequest, payloadTooLarge, httpErrors } from '../failures/error-codes.js';

/** A file in a form. The client supplies its name and type; they are not verified. */
export interface UploadedFile {
  readonly field: string;
  /** Last path segment of the client's file name; may be empty. */
  readonly filename: string;
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

/** A nested form value: text, file, or a list or null-prototype record of these. */
type FormValue = string | UploadedFile | FormValue[] | FormRecord;
/** Null-prototype record of one level's fields: `a[b]=1` is the field `b` of the record `a`. */
export interface FormRecord {
  [key: string]: FormValue;
}

const forbiddenKeys: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** A form's fields and files, in the body's order. */
export class FormBody {
  readonly entries: readonly (readonly [name: string, value: string | UploadedFile])[];
  readonly #maxDepth: number;

  constructor(entries: readonly (readonly [string, string | UploadedFile])[], maxDepth: number) {
    this.entries = entries;
    this.#maxDepth = maxDepth;
  }

  /** Returns the first text value of the field. */
  get(name: string): string | undefined {
    return this.getAll(name)[0];
  }

  getAll(name: string): string[] {
    return this.entries.flatMap(([other, value]) =>
      other === name && typeof value === 'string' ? [value] : [],
    );
  }

  has(name: string): boolean {
    return this.entries.some(([other]) => other === name);
  }

  /** Returns the field's first file; an empty file field counts as none. */
  file(name: string): UploadedFile | undefined {
    return this.files(name)[0];
  }

  files(name?: string): UploadedFile[] {
    return this.entries.flatMap(([other, value]) =>
      typeof value !== 'string' && (name === undefined || other === name) ? [value] : [],
    );
  }

  /** Returns the field's value in this form's record; a list for a name with an open index (`a[]`). */
  static valueIn(record: unknown, name: string): unknown {
    let found = record;
    for (const key of parseName(name, Infinity)) {
      if (key === undefined || typeof found !== 'object' || found === null) return found;
      found = Object.hasOwn(found, key) ? Reflect.get(found, key) : undefined;
    }
    return found;
  }

  /**
   * Returns the form as one record: `a[b]` nests, `a[]` and a repeated `a` create lists, and `a[1]` is the element with
   * this index, regardless of the order in the body; missing indexes leave no holes. Throws 413 (`HTTP_FORM_TOO_LARGE`)
   * if names nest deeper than the limit and 400 (`HTTP_FORM_FORBIDDEN_KEY`) for prototype keys.
   */
  toRecord(): FormRecord {
    const fields = new FieldLevel();
    for (const [name, value] of this.entries) location(fields, parseName(name, this.#maxDepth), value);
    return formRecordOf(fields);
  }
}

/** Splits `a[b][]` into `a`, `b` and undefined, the next index of a list. A name with malformed brackets is one key. */
function parseName(name: string, maxDepth: number): (string | undefined)[] {
  const open = name.indexOf('[');
  if (open <= 0 || !name.endsWith(']')) return [assertKey(name)];
  const keys = [name.slice(0, open), ...name.slice(open + 1, -1).split('][')];
  if (keys.length > maxDepth)
    throw payloadTooLarge(httpErrors.create('HTTP_FORM_TOO_LARGE', { limit: maxDepth, what: 'levels' }));
  return keys.some((key) => key.includes('[') || key.includes(']'))
    ? [assertKey(name)]
    : keys.map((key) => (key === '' ? undefined : assertKey(key)));
}

function assertKey(key: string): string {
  if (forbiddenKeys.has(key)) throw badRequest(httpErrors.create('HTTP_FORM_FORBIDDEN_KEY', { key }));
  return key;
}

/** The lists created from repeated names without brackets: `a=0&a=1`. */
const repetitions = new WeakSet<readonly FormValue[]>(); // a marker on the lists themselves would be part of the data

/**
 * Returns the last value of a list created from a repeated name, if texts precede it: for a hidden field and its
 * checkbox (`agreed=0&agreed=1`), the checkbox. Undefined for any other value.
 */
export function lastOfRepeated(value: unknown): FormValue | undefined {
  if (!Array.isArray(value)) return undefined;
  const list = value as readonly FormValue[]; // a form list, if it is in the set
  if (!repetitions.has(list)) return undefined;
  return list.slice(0, -1).every((each) => typeof each === 'string') ? list.at(-1) : undefined;
}

/** One level of nested names while reading a form. It becomes a list if all of its keys are indexes. */
class FieldLevel {
  readonly values = new Map<string, string | UploadedFile | FieldLevel>();
  isList = true;
  /** Whether all values have the same name without brackets. */
  isRepeated = false;
  #next = 0;

  /** Sets a key's value; without a key, adds it after the highest index. */
  put(key: string | undefined, value: string | UploadedFile | FieldLevel): void {
    if (key === undefined) while (this.values.has(String(this.#next))) this.#next++;
    else if (indexPattern.test(key)) this.#next = Math.max(this.#next, Number(key) + 1);
    else this.isList = false;
    this.values.set(key ?? String(this.#next++), value);
  }
}

/** A list index. Larger numbers are names, so that a name cannot make a list longer than its values. */
const indexPattern = /^(?:0|[1-9]\d{0,2})$/;

function location(
  level: FieldLevel,
  [key, ...inner]: readonly (string | undefined)[],
  value: string | UploadedFile,
): void {
  const present = key === undefined ? undefined : level.values.get(key);
  if (present instanceof FieldLevel) {
    if (inner.length > 0) present.isRepeated = false;
    return location(present, inner.length === 0 ? [undefined] : inner, value);
  }
  let added: string | UploadedFile | FieldLevel = value;
  if (inner.length > 0) location((added = new FieldLevel()), inner, value);
  if (present === undefined) return level.put(key, added);
  const both = new FieldLevel(); // the same name again, or a value and fields: `a=1&a[b]=2`
  both.isRepeated = inner.length === 0;
  both.put(undefined, present);
  both.put(undefined, added);
  level.put(key, both);
}

function formRecordOf({ values }: FieldLevel): FormRecord {
  const record = Object.create(null) as FormRecord; // empty, so it satisfies any record type
  for (const [key, value] of values) record[key] = formValueOf(value);
  return record;
}

function formValueOf(value: string | UploadedFile | FieldLevel): FormValue {
  if (!(value instanceof FieldLevel)) return value;
  if (!value.isList) return formRecordOf(value);
  const list = [...value.values]
    .sort(([one], [other]) => Number(one) - Number(other))
    .map(([, item]) => formValueOf(item));
  if (value.isRepeated) repetitions.add(list);
  return list;
}
