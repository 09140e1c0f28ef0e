import type { VNode } from 'preact';
import { stateBlocks } from '../panels/state-blocks.js';
import { BlockList } from './blocks/block-view.js';
import type { ProfileReader } from './profile-reader.js';

/** The state of the store below the list: where records lie, how many were made and what became of them. */
export function StateView({ reader }: { reader: ProfileReader }): VNode {
  return (
    <section class="state" aria-label="State of the profiler">
      <BlockList blocks={stateBlocks(reader.state(), reader.counters())} level={2} />
    </section>
  );
}
