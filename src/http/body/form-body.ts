import { badRequest, payloadTooLarge } from '../failures/bad-request.js';
import { httpErrors } from '../failures/error-codes.js';

/** A file of a form. Its name and type are what the client claims; they are not verified. */
export interface UploadedFile {
  /** Name of the form field. */
  readonly field: string;
  /** Last path segment of the name that the client gave; may be empty. */
  readonly filename: string;
  /** Media type that the client gave. */
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

/** A nested form value: text, file, or a list or null-prototype record of these. */
export type FormValue = string | UploadedFile | FormValue[] | FormRecord;
/** Null-prototype record of the fields of one level: `a[b]=1` is the field `b` of the record `a`. */
export interface FormRecord {
  [key: string]: FormValue;
}

const forbiddenKeys: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);
const maxIndex = 1000;

/** The fields and files of a form, in the order of the body. */
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

  /** Returns the first file of the field; a file field that was left empty counts as none. */
  file(name: string): UploadedFile | undefined {
    return this.files(name)[0];
  }

  files(name?: string): UploadedFile[] {
    return this.entries.flatMap(([other, value]) =>
      typeof value !== 'string' && (name === undefined || other === name) ? [value] : [],
    );
  }

  /**
   * Returns the form as one record: `a[b]` nests, `a[]` and a repeated `a` make lists, `a[0]` is a list element. Throws 413
   * (`HTTP_FORM_TOO_LARGE`) if names nest deeper than the limit and 400 (`HTTP_FORM_FORBIDDEN_KEY`) for prototype keys.
   */
  toRecord(): FormRecord {
    const record = emptyRecord();
    for (const [name, value] of this.entries) place(record, parseName(name, this.#maxDepth), value);
    return record;
  }
}

function emptyRecord(): FormRecord {
  return Object.create(null) as FormRecord; // empty, so it satisfies any record type
}

/** Splits `a[b][]` into `a`, `b` and `''`. A name with malformed brackets is one key. */
function parseName(name: string, maxDepth: number): string[] {
  const open = name.indexOf('[');
  if (open <= 0 || !name.endsWith(']')) return [assertKey(name)];
  const keys = [name.slice(0, open), ...name.slice(open + 1, -1).split('][')];
  if (keys.length > maxDepth)
    throw payloadTooLarge(httpErrors.create('HTTP_FORM_TOO_LARGE', { limit: maxDepth, what: 'levels' }));
  return keys.some((key) => key.includes('[') || key.includes(']')) ? [assertKey(name)] : keys.map(assertKey);
}

function assertKey(key: string): string {
  if (forbiddenKeys.has(key)) throw badRequest(httpErrors.create('HTTP_FORM_FORBIDDEN_KEY', { key }));
  return key;
}

function place(record: FormRecord, keys: readonly string[], value: FormValue): void {
  let current: FormRecord | FormValue[] = record;
  for (const [index, key] of keys.entries()) {
    const next = keys[index + 1];
    if (next === undefined) {
      put(current, key, value);
      return;
    }
    const present = read(current, key);
    if (typeof present === 'object' && !isFile(present)) current = present;
    else {
      const made: FormRecord | FormValue[] = isListKey(next) ? [] : emptyRecord();
      put(current, key, made);
      current = made;
    }
  }
}

function isListKey(key: string): boolean {
  return key === '' || (/^\d{1,4}$/.test(key) && Number(key) < maxIndex);
}

function isFile(value: FormValue): value is UploadedFile {
  return typeof value === 'object' && 'bytes' in value && value.bytes instanceof Uint8Array;
}

function read(target: FormRecord | FormValue[], key: string): FormValue | undefined {
  if (!Array.isArray(target)) return target[key];
  return isListKey(key) && key !== '' ? target[Number(key)] : undefined;
}

function put(target: FormRecord | FormValue[], key: string, value: FormValue): void {
  if (Array.isArray(target)) {
    target.push(value); // lists follow the order of the body, so a client cannot create sparse arrays
    return;
  }
  const present = target[key];
  if (present === undefined) target[key] = value;
  else if (Array.isArray(present)) present.push(value);
  else target[key] = [present, value];
}
