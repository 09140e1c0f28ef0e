import type { StackPlace } from '#errors';
import { spanNameOf } from '../tape/span-registry.js';
import type { Collector } from '../model/collector.js';
import { type CompletedPart, definePart } from './define-part.js';
import { headerWrites } from '../taps/header-follower.js';

/**
 * The `headers` section of a record: who set which response header. `by` is the listener, or the package of the code that
 * did; null for the controller and other code of the application. `value` is null if the header was removed.
 */
export interface HeadersSection {
  readonly writes: readonly {
    readonly by: string | null;
    readonly name: string;
    readonly value: string | null;
    /** The call that set it: the innermost one of the application, otherwise that of the package. */
    readonly place?: StackPlace;
  }[];
}

const maxValueLength = 500;

/** For each write `by`, `name`, `value` and the place as `file:line:column name`, one after the other. */
type RawWrites = readonly (string | null)[];
const fieldsOfWrite = 4;

export const headersPart: CompletedPart = definePart<RawWrites>({
  clean: (writes, redactor) => {
    const pairs = writes.flatMap((text, at) => ([1, 2].includes(at % fieldsOfWrite) ? [text ?? ''] : []));
    const clean = redactor.headers(pairs);
    return writes.map((text, at) => {
      if (at % fieldsOfWrite !== 2 || text === null) return text;
      return (clean[((at - 2) / fieldsOfWrite) * 2 + 1] ?? '').slice(0, maxValueLength);
    });
  },
  complete(flat): HeadersSection {
    const writes: HeadersSection['writes'][number][] = [];
    for (let at = 0; at + 3 < flat.length; at += fieldsOfWrite) {
      const [by = null, name, value = null, text] = flat.slice(at, at + fieldsOfWrite);
      const place = parsePlace(text ?? '');
      writes.push({ by, name: name ?? '', value, ...(place === undefined ? {} : { place }) });
    }
    return { writes };
  },
});

function parsePlace(text: string): StackPlace | undefined {
  const [, file, line, column, name] = /^(.+):(\d+):(\d+) (.*)$/s.exec(text) ?? [];
  return file === undefined
    ? undefined
    : { name: name === '' ? undefined : name, file, line: Number(line), column: Number(column) };
}

/** Creates the `headers` collector, which records who wrote which response header. */
export function createHeaderCollector(): Collector {
  return {
    name: 'headers',
    part: headersPart,
    collect({ request }): RawWrites | undefined {
      const writes = request.scope.getOwn(headerWrites);
      if (writes === undefined || writes.length === 0) return undefined;
      const flat: (string | null)[] = [];
      for (const { by, sites, name, value = null } of writes) {
        const calls = sites?.() ?? [];
        const setter = by === undefined ? packageOf(calls[0]?.file ?? '') : spanNameOf(by);
        const place = calls.find(({ file }) => packageOf(file) === null) ?? calls[0];
        flat.push(setter, name, value, place === undefined ? null : placeText(place));
      }
      return flat;
    },
  };
}

function placeText({ file, line, column, name = '' }: StackPlace): string {
  return `${file}:${line}:${column} ${name}`;
}

/** Returns the name of the package that a file belongs to; null for files of the application. */
function packageOf(file: string): string | null {
  const inner = file.split(/[\\/]node_modules[\\/]/);
  return inner.length < 2 ? null : (/^(?:@[^\\/]+[\\/])?[^\\/]+/.exec(inner.at(-1) ?? '')?.[0] ?? null);
}
