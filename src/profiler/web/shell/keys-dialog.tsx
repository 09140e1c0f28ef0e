import type { VNode } from 'preact';

const KEYS: readonly (readonly [key: string, does: string])[] = [
  ['/', 'search'],
  ['j', 'next row'],
  ['k', 'previous row'],
  ['[', 'older record'],
  [']', 'newer record'],
  ['1 … 9', 'panel by number'],
  ['l', 'latest record'],
  ['y', 'copy the token'],
  ['m', 'copy the record as Markdown'],
  ['?', 'this list'],
];

/** The keyboard shortcuts, and the switch that turns them off (WCAG 2.1.4). Opened by the page's script. */
export function KeysDialog(): VNode {
  return (
    <dialog class="keys" aria-labelledby="keys-title">
      <h2 id="keys-title">Keyboard shortcuts</h2>
      <dl>
        {KEYS.map(([key, does]) => (
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
            <input type="checkbox" data-keys-off="" /> Turn shortcuts off
          </label>
        </p>
        <button class="button" type="submit">
          Close
        </button>
      </form>
    </dialog>
  );
}
