import { readFileSync } from 'node:fs';
import { createScriptAsset, type InlineAsset } from '#html';

/** A script of the profiler's pages, compiled from the file of this name in `browser`. */
export function readBrowserScript(...names: readonly string[]): InlineAsset {
  const texts = names.map((name) =>
    readFileSync(new URL(`./browser/${name}.js`, import.meta.url), 'utf8')
      .replaceAll(/^ +/gm, '')
      .replace(/\n\/\/# sourceMappingURL=.*\n?$/, '\n'),
  );
  return createScriptAsset(texts.join(''));
}

/** The script of a list: on wide windows a record opens beside it. */
export const paneScript: InlineAsset = readBrowserScript('pane');

/** The script of a list that can be followed. */
export const liveScript: InlineAsset = readBrowserScript('live');

/** The script of every page. Pages work without it. */
export const browserScript: InlineAsset = readBrowserScript('profiler-page', 'palette');
