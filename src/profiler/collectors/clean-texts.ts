import type { Redactor } from '#dump';
import type { RecordedCallSite } from './message-reader.js';

/**
 * Returns a copy of plain data with the secrets in its texts redacted; members named in `except` stay as they are. For the
 * writer's thread.
 */
export function cleanTexts<Data>(data: Data, redactor: Redactor, except: readonly string[] = []): Data {
  const clean = (value: unknown): unknown => {
    if (typeof value === 'string') return redactor.text(value);
    if (Array.isArray(value)) return value.map(clean);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => {
        if (name === 'callSite') return [name, cleanCallSite(member, redactor)];
        return [name, except.includes(name) ? member : clean(member)];
      }),
    );
  };
  return clean(data) as Data; // of the same form
}

function cleanCallSite(frames: readonly RecordedCallSite[], redactor: Redactor): readonly RecordedCallSite[] {
  return frames.map(({ name, file, line, column }) => ({
    name: name === null ? null : cleanPlace(name, redactor),
    file: cleanPlace(file, redactor),
    line,
    column,
  }));
}

/** Redacts names of files and functions. */
export const cleanPlace: (text: string, redactor: Redactor) => string = remembered(
  (text, redactor) => redactor.text(text),
  { max: 2000, isKept: (text, clean) => clean === text && text.length <= 500 },
);

/**
 * Returns a function that remembers what it made of a text, for recurring texts of the program, which has few of them.
 * `isKept` must refuse any text that may contain data of a request, which must not outlive it.
 */
export function remembered<Made>(
  make: (text: string, redactor: Redactor) => Made,
  { max, isKept }: { readonly max: number; readonly isKept: (text: string, made: Made) => boolean },
): (text: string, redactor: Redactor) => Made {
  const memories = new WeakMap<Redactor, Map<string, Made>>();
  return (text, redactor) => {
    let known = memories.get(redactor);
    if (known === undefined) memories.set(redactor, (known = new Map()));
    const found = known.get(text);
    if (found !== undefined) return found;
    const made = make(text, redactor);
    if (!isKept(text, made)) return made;
    if (known.size >= max) known.clear();
    known.set(text, made);
    return made;
  };
}
