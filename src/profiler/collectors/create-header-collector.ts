import { spanNameOf } from '../tape/span-registry.js';
import type { Collector } from '../model/collector.js';
import { type CompletedPart, definePart } from './define-part.js';
import { headerWrites } from '../taps/header-follower.js';

/**
 * The `headers` section of a record: which listener set which response header. `by` is null for the controller; `value` is
 * null if the header was removed.
 */
export interface HeadersSection {
  readonly writes: readonly {
    readonly by: string | null;
    readonly name: string;
    readonly value: string | null;
  }[];
}

const maxValueLength = 500;

/** For each write `by`, `name` and `value`, one after the other. */
type RawWrites = readonly (string | null)[];

export const headersPart: CompletedPart = definePart<RawWrites>({
  clean: (writes, redactor) => {
    const clean = redactor.headers(writes.flatMap((text, at) => (at % 3 === 0 ? [] : [text ?? ''])));
    return writes.map((text, at) => {
      if (at % 3 !== 2 || text === null) return text;
      return (clean[((at - 2) / 3) * 2 + 1] ?? '').slice(0, maxValueLength);
    });
  },
  complete(flat): HeadersSection {
    const writes: HeadersSection['writes'][number][] = [];
    for (let at = 0; at + 2 < flat.length; at += 3)
      writes.push({ by: flat[at] ?? null, name: flat[at + 1] ?? '', value: flat[at + 2] ?? null });
    return { writes };
  },
});

/** Creates the `headers` collector, which records which listener wrote which response header. */
export function createHeaderCollector(): Collector {
  return {
    name: 'headers',
    part: headersPart,
    collect({ request }): RawWrites | undefined {
      const writes = request.scope.getOwn(headerWrites);
      if (writes === undefined || writes.length === 0) return undefined;
      const flat: (string | null)[] = [];
      for (const { by, name, value = null } of writes)
        flat.push(by === undefined ? null : spanNameOf(by), name, value);
      return flat;
    },
  };
}
