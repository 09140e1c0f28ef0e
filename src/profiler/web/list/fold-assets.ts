import type { ProfileSummary } from '../../model/profile-summary.js';
import { problemsOf } from '../../findings/row-problems.js';
import type { ListFilters } from './list-filters.js';

/** Consecutive requests for files of a page, shown as one line. */
export interface FoldedAssets {
  readonly assets: readonly ProfileSummary[];
}

/** Fewer are shown as they are: the line would take as much room. */
const minRun = 3;
const assetFile =
  /\.(?:avif|css|eot|gif|ico|jpe?g|js|jsx|map|mjs|mp4|otf|png|svelte|svg|ts|tsx|ttf|vue|wasm|webm|webmanifest|webp|woff2?)$/i;
/** Paths below which bundlers and development servers serve modules, with or without an extension. */
const assetFolder = /^\/(?:@fs|@id|@vite|_astro|_next\/static|_nuxt|node_modules)\//;
const keptApart: ReadonlySet<keyof ListFilters> = new Set(['own', 'limit', 'page']);

/**
 * Folds runs of requests for assets into one line each. A request that failed, or about which something stands out, is
 * never folded, nor is any if the list is filtered or sorted: who searches sees every match.
 */
export function foldAssets(
  rows: readonly ProfileSummary[],
  filters: ListFilters,
): readonly (ProfileSummary | FoldedAssets)[] {
  const names = Object.keys(filters) as (keyof ListFilters)[]; // Object.keys returns string[]
  if (names.some((name) => filters[name] !== '' && !keptApart.has(name))) return rows;
  const lines: (ProfileSummary | FoldedAssets)[] = [];
  let run: ProfileSummary[] = [];
  const endRun = (): void => {
    lines.push(...(run.length < minRun ? run : [{ assets: run }]));
    run = [];
  };
  for (const row of rows) {
    if (isAsset(row)) run.push(row);
    else {
      endRun();
      lines.push(row);
    }
  }
  endRun();
  return lines;
}

function isAsset(row: ProfileSummary): boolean {
  const { method, status, path } = row;
  if ((method !== 'GET' && method !== 'HEAD') || status < 200 || status >= 400) return false;
  return (assetFile.test(path) || assetFolder.test(path)) && problemsOf(row).length === 0;
}
