import { readFileSync } from 'node:fs';
import { createScriptAsset, type InlineAsset } from '#html';

/** Reads scripts of the profiler's pages, compiled from the same-named files in `browser`, as one asset. */
function readBrowserScript(...names: readonly string[]): InlineAsset {
  const texts = names.map((name) =>
    readFileSync(new URL(`./browser/${name}.js`, import.meta.url), 'utf8')
      .replaceAll(/^ +/gm, '')
      .replace(/\n\/\/# sourceMappingURL=.*\n?$/, '\n'),
  );
  return createScriptAsset(texts.join(''));
}

/** Script of the list: in wide windows, records open in a pane next to it. */
export const paneScript: InlineAsset = readBrowserScript('pane');

/** Script of a list that can be followed. */
export const liveScript: InlineAsset = readBrowserScript('live');

/** Script of every page. Pages work without it. */
export const browserScript: InlineAsset = readBrowserScript('profiler-page', 'palette');
