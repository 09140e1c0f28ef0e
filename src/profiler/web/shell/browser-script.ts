import { readFileSync } from 'node:fs';
import { createScriptAsset, type InlineAsset } from '#html';

/** The script of the profiler's pages, compiled from `browser/profiler-page.ts`. Pages work without it. */
export const browserScript: InlineAsset = createScriptAsset(
  readFileSync(new URL('./browser/profiler-page.js', import.meta.url), 'utf8').replace(
    /\n\/\/# sourceMappingURL=.*\n?$/,
    '\n',
  ),
);
