import type { VNode } from 'preact';
import { say } from '../../words/say.js';

/** The keyboard shortcuts, and the switch that turns them off (WCAG 2.1.4). Opened by the page's script. */
export function KeysDialog(): VNode {
  const keys: readonly (readonly [key: string, does: string])[] = [
    ['/', say('search')],
    ['Ctrl K', say('go to a panel, route or record')],
    ['j k', say('next and previous row')],
    ['[ ]', say('older and newer record')],
    ['1 … 9', say('panel by number')],
    ['g …', say('panel by its letter, shown beside its name')],
    ['g h', say('list of requests')],
    ['l', say('latest record')],
    ['f', say('follow new requests')],
    ['c', say('mark for comparison')],
    ['y', say('copy the token')],
    ['m', say('copy the record as Markdown')],
    ['?', say('this list')],
  ];
  return (
    <dialog class="keys" aria-labelledby="keys-title">
      <h2 id="keys-title">{say('Keyboard shortcuts')}</h2>
      <dl>
        {keys.map(([key, does]) => (
          <>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{does}</dd>
          </>
        ))}
      </dl>
      <form method="dialog">
        <p>
          <label class="check">
            <input type="checkbox" data-keys-off="" /> {say('Turn shortcuts off')}
          </label>
        </p>
        <button class="button" type="submit">
          {say('Close')}
        </button>
      </form>
    </dialog>
  );
}
