import type { SectionPart } from '../model/section-part.js';
import { createBudgetCollector } from '../collectors/create-budget-collector.js';
import { createDumpCollector } from '../collectors/create-dump-collector.js';
import { renderPart } from '../collectors/create-render-collector.js';
import { dbPart } from '../collectors/db-part.js';
import { createOutgoingCollectors } from '../collectors/outgoing/outgoing-collectors.js';
import { spanCollector } from '../collectors/span-collector.js';

/** What is made of the sections that this package's own collectors keep. */
export const ownParts: readonly (readonly [name: string, part: SectionPart])[] = partsOf();

/** Of collectors that listen, only what they declare is wanted: nothing is recorded here. */
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
