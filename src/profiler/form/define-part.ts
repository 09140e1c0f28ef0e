import type { Form, SectionPart, SummaryField } from '../model/section-part.js';
import type { TimelineEntry } from '../model/time-breakdown.js';
import type { InputOf, OutputOf } from './form.js';

/**
 * Defines a part whose data is already bounded and free of secrets. Its functions receive data of the types that its form
 * declares, since nothing else is collected for it or stored in it.
 */
export function definePart<const F extends Form>(
  form: F,
  part: {
    readonly summary?: Readonly<
      Record<string, Omit<SummaryField, 'of'> & { readonly of: (data: InputOf<F>) => number }>
    >;
    readonly timeline?: (data: InputOf<F> | OutputOf<F>) => readonly TimelineEntry[];
    readonly complete?: (stored: OutputOf<F>, startedAt: number) => unknown;
  } = {},
): SectionPart {
  return { form, isClean: true, ...(part as object) }; // its functions take the types of the form, which `SectionPart` cannot express
}
