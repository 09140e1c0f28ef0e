import { headerText } from '#core/dump';
import type { StackPlace } from '#core/errors';
import { type SectionDefinition, defineSection } from '../define-section.js';
import { removed, separator, textsOfWrite } from '../../recording/create-recording-observer.js';

/**
 * Header writes: `by` is the listener or package, null for the application; `value` is null if the header was removed.
 */
export interface HeadersSection {
  readonly writes: readonly {
    readonly by: string | null;
    readonly name: string;
    readonly value: string | null;
    /** The call that set the header: the innermost one in the application, or else in the package. */
    readonly location?: StackPlace;
    /** The location was captured earlier, when the route first set the header. */
    readonly isRemembered?: true;
  }[];
}

const maxValueLength = 500;

/** The raw data is one text, because nearly every request has header writes. */
export const headersDefinition: SectionDefinition = defineSection<string, HeadersSection>({
  id: 'headers',
  clean(joined, redactor) {
    const texts = joined.split(separator);
    const values = new Map<string, string>();
    const writes: HeadersSection['writes'][number][] = [];
    for (let at = 0; at + textsOfWrite <= texts.length; at += textsOfWrite) {
      const [by = '', name = '', value = '', text = '', remembered] = texts.slice(at, at + textsOfWrite);
      const key = name.toLowerCase();
      const isChange = value !== (values.get(key) ?? removed);
      values.set(key, value);
      if (!isChange) continue; // the header already had this value
      const location = parseLocation(text);
      const isRemembered = remembered === '' ? {} : { isRemembered: true as const };
      writes.push({
        by: by === '' ? null : by,
        name,
        value: value === removed ? null : redactor.value(name, headerText(value)).slice(0, maxValueLength),
        ...(location === undefined ? {} : { location, ...isRemembered }),
      });
    }
    return { writes };
  },
});

function parseLocation(text: string): StackPlace | undefined {
  const [, file, line, column, name] = /^(.+):(\d+):(\d+) (.*)$/s.exec(text) ?? [];
  return file === undefined
    ? undefined
    : { name: name === '' ? undefined : name, file, line: Number(line), column: Number(column) };
}
