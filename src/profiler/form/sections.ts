import type { Form, SectionPart } from '../model/section-part.js';
import type { PackWriter } from '../pack/pack-writer.js';
import type { PieceReader } from '../pack/pack-reader.js';
import { compileAnyForm } from './form.js';
import type { Kind } from './kinds.js';
import { collectedName } from './summary-columns.js';

const maxNameLength = 100;

/** How a section is written, and the word that says how to read it. */
export interface SectionForm {
  readonly word: string;
  readonly kind: Kind<unknown, unknown>;
}

export function sectionFormOf(form: Form): SectionForm {
  return { word: JSON.stringify(form), kind: compileAnyForm(form) };
}

/** A form without which data is plain. */
export const plainForm: SectionForm = sectionFormOf('value');

/** A number of a section that lists know: its column, and how it is read of the data. */
export interface SectionNumber {
  readonly column: string;
  readonly of: (data: unknown) => number;
}

/** The numbers that a part declares; what cannot be read, or is none, is 0. */
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

/** What a collector keeps, with the form that it declared. */
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
      // Data of another shape than was declared costs its own section only.
      out.rewind(mark);
      out.word(null);
      failed(error);
    }
  }
}

/** Reads sections, each by the form that is stored with it. */
export function readSections(from: PieceReader): Record<string, unknown> {
  // Without prototype: a collector may be called `__proto__`.
  const sections = Object.create(null) as Record<string, unknown>; // any in the library's type
  for (let left = from.count(); left > 0; left--) {
    const name = from.word() ?? '';
    const form = from.word();
    if (form !== null) sections[name] = compiledForm(form).read(from);
  }
  return sections;
}

/** By the words of their forms: an application has few, and each stands in every record. */
const compiled = new Map<string, Kind<unknown, unknown>>();
const maxCompiled = 100;

function compiledForm(word: string): Kind<unknown, unknown> {
  const known = compiled.get(word);
  if (known !== undefined) return known;
  const kind = compileAnyForm(JSON.parse(word) as Form); // what is no form is refused
  if (compiled.size < maxCompiled) compiled.set(word, kind);
  return kind;
}
