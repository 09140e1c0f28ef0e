import type { StackPlace } from '#errors';
import type { Collector } from '../model/collector.js';
import { type CompletedPart, definePart } from './define-part.js';
import { headerWrites, type HeaderWrites, textsOfWrite } from '../taps/header-follower.js';

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
    /** The place is that of an earlier time at which the route set the header. */
    readonly isRemembered?: true;
  }[];
}

const maxValueLength = 500;

export const headersPart: CompletedPart = definePart<HeaderWrites>({
  clean: (taken, redactor) => {
    const writes = changesOf(taken);
    const pairs = writes.flatMap((text, at) => ([1, 2].includes(at % textsOfWrite) ? [text ?? ''] : []));
    const clean = redactor.headers(pairs);
    return writes.map((text, at) => {
      if (at % textsOfWrite !== 2 || text === null) return text;
      return (clean[((at - 2) / textsOfWrite) * 2 + 1] ?? '').slice(0, maxValueLength);
    });
  },
  complete(flat): HeadersSection {
    const writes: HeadersSection['writes'][number][] = [];
    for (let at = 0; at + textsOfWrite <= flat.length; at += textsOfWrite) {
      const [by = null, name, value = null, text, remembered = null] = flat.slice(at, at + textsOfWrite);
      const place = parsePlace(text ?? '');
      const isRemembered = remembered === null ? {} : { isRemembered: true as const };
      writes.push({
        by,
        name: name ?? '',
        value,
        ...(place === undefined ? {} : { place, ...isRemembered }),
      });
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
    collect({ request }): HeaderWrites | undefined {
      const writes = request.scope.getOwn(headerWrites);
      return writes?.length === 0 ? undefined : writes;
    },
  };
}

/** Leaves out the writes that gave a header the value that it had already. */
function changesOf(writes: HeaderWrites): HeaderWrites {
  const values = new Map<string, string | null>();
  const changes: (string | null)[] = [];
  for (let at = 0; at + textsOfWrite <= writes.length; at += textsOfWrite) {
    const write = writes.slice(at, at + textsOfWrite);
    const [, name = '', value = null] = write;
    const key = name?.toLowerCase() ?? '';
    if (value !== (values.get(key) ?? null)) changes.push(...write);
    values.set(key, value);
  }
  return changes;
}
