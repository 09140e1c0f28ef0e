import type { SectionPart } from '../model/section-part.js';
import { createBudgetCollector } from '../collectors/create-budget-collector.js';
import { createDumpCollector } from '../collectors/create-dump-collector.js';
import { renderPart } from '../collectors/create-render-collector.js';
import { dbPart } from '../collectors/db-part.js';
import { createOutgoingCollectors } from '../collectors/outgoing/outgoing-collectors.js';
import { spanCollector } from '../collectors/span-collector.js';

/** Declarations of the sections of this package's own collectors, by name. */
export const ownParts: readonly (readonly [name: string, part: SectionPart])[] = partsOf();

/** Creates the collectors for their declarations only; those that subscribe to something are closed again at once. */
function partsOf(): typeof ownParts {
  const [dumps, outgoing] = [createDumpCollector(), createOutgoingCollectors()];
  for (const listening of [dumps, outgoing]) listening.close();
  const collectors = [
    spanCollector,
    dumps,
    { name: 'db', part: dbPart },
    { name: 'view', part: renderPart },
    ...outgoing.collectors,
    createBudgetCollector(),
  ];
  return collectors.map(({ name, part = {} }) => [name, part]);
}
