import type { Form, SectionPart } from '../model/section-part.js';
import type { PackWriter } from '../pack/pack-writer.js';
import type { PieceReader } from '../pack/pack-reader.js';
import { compileAnyForm } from './form.js';
import type { Kind } from './kinds.js';
import { collectedName } from './summary-columns.js';

const maxNameLength = 100;

/** Form of a section: its JSON, which is stored with the section, and the compiled form. */
export interface SectionForm {
  readonly word: string;
  readonly kind: Kind<unknown, unknown>;
}

export function sectionFormOf(form: Form): SectionForm {
  return { word: JSON.stringify(form), kind: compileAnyForm(form) };
}

/** Form of plain data, used for sections that declare none. */
export const plainForm: SectionForm = sectionFormOf('value');

/** A number that a section contributes to the summary: its column, and the function that computes it from the data. */
export interface SectionNumber {
  readonly column: string;
  readonly of: (data: unknown) => number;
}

/** Returns the numbers that a part declares. A number counts as 0 if its function throws, or if it is negative or NaN. */
export function sectionNumbers(
  section: string,
  { summary = {} }: SectionPart,
  failed: (error: unknown) => void,
): readonly SectionNumber[] {
  return Object.entries(summary).map(([name, field]) => ({
    column: collectedName(section, name),
    of(data) {
      try {
        const number = field.of(data);
        return number >= 0 ? number : 0;
      } catch (error) {
        failed(error);
        return 0;
      }
    },
  }));
}

/** The data of a section with its form and its numbers. */
export interface SectionInput {
  readonly name: string;
  readonly form: SectionForm;
  readonly data: unknown;
  readonly numbers?: readonly SectionNumber[] | undefined;
}

export function writeSections(
  out: PackWriter,
  sections: readonly SectionInput[],
  failed: (error: unknown) => void,
): void {
  out.number(sections.length);
  for (const { name, form, data } of sections) {
    out.word(name.slice(0, maxNameLength));
    const mark = out.mark();
    try {
      out.word(form.word);
      form.kind.write(out, data);
    } catch (error) {
      // Data that does not match its declared form loses its own section only.
      out.rewind(mark);
      out.word(null);
      failed(error);
    }
  }
}

/** Reads sections, each with the form that is stored with it. */
export function readSections(from: PieceReader): Record<string, unknown> {
  // Null prototype, because a collector may be called `__proto__`.
  const sections = Object.create(null) as Record<string, unknown>; // any in the library's type
  for (let left = from.count(); left > 0; left--) {
    const name = from.word() ?? '';
    const form = from.word();
    if (form !== null) sections[name] = compiledForm(form).read(from);
  }
  return sections;
}

/** Cache of compiled forms by their JSON. Module state because an application has few forms, which occur in every record. */
const compiled = new Map<string, Kind<unknown, unknown>>();
const maxCompiled = 100;

function compiledForm(word: string): Kind<unknown, unknown> {
  const known = compiled.get(word);
  if (known !== undefined) return known;
  const kind = compileAnyForm(JSON.parse(word) as Form); // an invalid form is rejected
  if (compiled.size < maxCompiled) compiled.set(word, kind);
  return kind;
}
