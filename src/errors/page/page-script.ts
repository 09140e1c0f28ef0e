import { createScriptAsset, type InlineAsset } from '#html';

/**
 * Progressive enhancement only: copies the Markdown or the stack (buttons and the key `m`) and expands all frames for
 * printing. Without the script, both texts are on the page and can be selected.
 */
export const pageScript: InlineAsset = createScriptAsset(`(() => {
  const status = document.querySelector('[data-status]');
  const [copied, selected] = status.dataset.status.split('|');
  const say = (text) => { status.textContent = text; setTimeout(() => { status.textContent = ''; }, 2500); };
  const copy = async (button) => {
    const source = document.getElementById(button.dataset.copy);
    const text = source.textContent;
    try {
      await navigator.clipboard.writeText(text);
      say(copied);
    } catch {
      const fold = source.closest('details');
      if (fold) fold.open = true;
      getSelection().selectAllChildren(source);
      say(document.execCommand('copy') ? copied : selected);
    }
  };
  for (const button of document.querySelectorAll('[data-script]')) button.hidden = false;
  addEventListener('click', (event) => {
    const button = event.target instanceof Element && event.target.closest('[data-copy]');
    if (button) void copy(button);
  });
  addEventListener('keydown', (event) => {
    if (event.key !== 'm' || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target instanceof Element && event.target.closest('input, textarea, select, [contenteditable]')) return;
    const button = document.querySelector('[data-copy="markdown"]');
    if (button) void copy(button);
  });
  let folded = [];
  addEventListener('beforeprint', () => {
    folded = [...document.querySelectorAll('main details:not([open])')];
    for (const fold of folded) fold.open = true;
  });
  addEventListener('afterprint', () => { for (const fold of folded) fold.open = false; });
})();`);
