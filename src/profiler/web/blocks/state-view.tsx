import type { VNode } from 'preact';
import type { Block } from '../../panels/blocks/block.js';
import { BlockList } from './block-view.js';
import { say } from '../../words/say.js';

/** The state of the store below the list: where records lie, how many were made and what became of them. */
export function StateView({ blocks }: { blocks: readonly Block[] }): VNode {
  return (
    <section class="state" aria-label={say('State of the profiler')}>
      <BlockList blocks={blocks} level={2} />
    </section>
  );
}
