import { createRedactor, type Redactor } from '#dump';
import { definePart } from '../form/define-part.js';
import type { OutputOf } from '../form/form.js';
import { spanNameOf } from '../form/span-registry.js';
import type { Collector } from '../model/collector.js';
import { headerWrites } from '../taps/header-follower.js';

const form = { writes: [{ by: 'word?', name: 'word', value: 'text?' }] } as const;

/**
 * The `headers` section of a record: which listener set which response header. `by` is null for the controller; `value` is
 * null if the header was removed.
 */
export type HeadersSection = OutputOf<typeof form>;

const maxValueLength = 500;

/** Creates the `headers` collector, which records which listener wrote which response header. */
export function createHeaderCollector({
  redactor = createRedactor(),
}: { readonly redactor?: Redactor } = {}): Collector {
  return {
    name: 'headers',
    part: definePart(form),
    collect({ request }): HeadersSection | undefined {
      const writes = request.scope.getOwn(headerWrites);
      if (writes === undefined || writes.length === 0) return undefined;
      const flat: string[] = [];
      for (const { name, value = '' } of writes) flat.push(name, value);
      const clean = redactor.headers(flat);
      return {
        writes: writes.map(({ by, name, value }, at) => ({
          by: by === undefined ? null : spanNameOf(by),
          name,
          value: value === undefined ? null : (clean[at * 2 + 1] ?? '').slice(0, maxValueLength),
        })),
      };
    },
  };
}
