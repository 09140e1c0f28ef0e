import { queryAnchor } from '../collectors/db-part.js';
import type { DbQuery } from '../collectors/db-section.js';
import { say } from '../words/say.js';
import type { Block } from './blocks/block.js';
import { note } from './blocks/make-blocks.js';
import type { PanelContext } from './panel.js';
import { readSelect } from './sql/read-select.js';

/** Returns the plan of a query, if it was just requested, and the button that requests it, if it can be explained. */
export function explainBlocks(query: DbQuery, index: number, { explain }: PanelContext): readonly Block[] {
  if (explain === undefined || !explain.knows(query.connection)) return [];
  if (readSelect(query) === undefined) return [];
  const fields = { query: String(index) };
  const action = `${explain.href}#${queryAnchor(index)}`;
  const plan = explain.plan?.query === index ? explain.plan.blocks : [];
  return [...plan, { kind: 'form', label: say('Explain (does not run it)'), action, fields }];
}

/** Explains why queries have no plan although they could be explained: their client is unknown to this process. */
export function explainNote(queries: readonly DbQuery[], { explain }: PanelContext): readonly Block[] {
  if (explain === undefined) return [];
  const names = new Set(
    queries.filter((query) => readSelect(query) !== undefined).map(({ connection }) => connection),
  );
  return [...names]
    .filter((name) => !explain.knows(name))
    .slice(0, 3)
    .map((connection) =>
      note(
        say(
          'Queries of “{connection}” can be explained once this process has its client: recordQueries(client).',
          { connection },
        ),
        'neutral',
      ),
    );
}
