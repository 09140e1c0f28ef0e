import type { VNode } from 'preact';
import { say } from '../../words/say.js';

/** Shown by the script `live`: starts and stops following, and says what came. */
export function FollowButton({ position, query }: { position: string; query: string }): VNode {
  const parameters = new URLSearchParams(query);
  parameters.delete('after');
  return (
    <span hidden data-live={`live?${parameters.toString()}`} data-after={position}>
      <button class="button" type="button" data-key="f" aria-pressed="false">
        {say('Follow')}
      </button>{' '}
      <output
        data-one={say('1 new request')}
        data-many={say('{n} new requests', { n: '{n}' })}
        data-gap={say('Some requests are not shown: reload the page')}
        data-lost={say('The connection was lost')}
      />
    </span>
  );
}
