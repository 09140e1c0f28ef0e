import type { Redactor } from '#core/dump';
import type { SectionDefinition, SectionNumber, SectionSteps } from './section.js';
import type { TimelineEntry, ProfileRecord } from '../model/profile-record.js';
import type { RecordedCallSite } from '../model/find-location.js';

export type { SectionDefinition } from './section.js';

/** Defines a built-in section, whose functions receive the data from `collect` (`Raw`) or from `clean` (`Clean`). */
export function defineSection<Raw, Clean = Raw>(definition: {
  readonly id: string;
  readonly numbers?: Readonly<
    Record<string, Omit<SectionNumber, 'of'> & { readonly of: (data: Raw | Clean) => number }>
  >;
  readonly timeline?: (data: Clean) => readonly TimelineEntry[];
  readonly steps?: SectionSteps;
  readonly clean?: (data: Raw, redactor: Redactor) => Clean;
  readonly complete?: (data: Clean, startedAt: number) => unknown;
}): SectionDefinition {
  return definition as SectionDefinition; // see above
}

/** Returns a copy of plain data with secrets in its texts redacted, except in the members named in `except`. */
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
  return clean(data) as Data; // has the same shape
}

function cleanCallSite(frames: readonly RecordedCallSite[], redactor: Redactor): readonly RecordedCallSite[] {
  return frames.map(({ name, file, line, column }) => ({
    name: name === null ? null : cleanLocation(name, redactor),
    file: cleanLocation(file, redactor),
    line,
    column,
  }));
}

export const cleanLocation: (text: string, redactor: Redactor) => string = remembered(
  (text, redactor) => redactor.text(text),
  { max: 2000, isKept: (text, clean) => clean === text && text.length <= 500 },
);

/** Caches results for recurring program texts. `isKept` must reject any text that contains request data. */
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

/** Returns a section if it has the expected fields; the rest is guaranteed by our own code and schema. */
export function findSection<Section>(
  { sections }: ProfileRecord,
  name: string,
  fields: readonly (keyof Section & string)[],
): Section | undefined {
  const data = Object.hasOwn(sections, name) ? sections[name] : undefined;
  if (typeof data !== 'object' || data === null) return undefined;
  return fields.every((field) => Object.hasOwn(data, field)) ? (data as Section) : undefined; // see above
}
