import { headerText } from '#core/dump';
import type { StackPlace } from '#core/errors';
import { type SectionDefinition, defineSection } from '../define-section.js';
import { removed, separator, textsOfWrite } from '../../recording/create-recording-observer.js';

/** Who set which response header: `by` is the listener or package, null for the application; `value` is null if removed. */
export interface HeadersSection {
  readonly writes: readonly {
    readonly by: string | null;
    readonly name: string;
    readonly value: string | null;
    /** The call that set it: the innermost one of the application, otherwise that of the package. */
    readonly location?: StackPlace;
    /** The place is that of an earlier time at which the route set the header. */
    readonly isRemembered?: true;
  }[];
}

const maxValueLength = 500;

/** The data is the text of the writes: hardly any request is without some. */
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
      if (!isChange) continue; // the header had this value already
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
