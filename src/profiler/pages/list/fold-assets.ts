import type { ProfileSummary } from '../../model/profile-summary.js';
import { problemsOf } from '../../findings/row-problems.js';
import type { ListFilters, ParsedFilters } from './list-filters.js';

/** Fewer are shown as they are: the line would take as much room. */
const minRun = 3;
const assetFile =
  /\.(?:avif|css|eot|gif|ico|jpe?g|js|jsx|map|mjs|mp4|otf|png|svelte|svg|ts|tsx|ttf|vue|wasm|webm|webmanifest|webp|woff2?)$/i;
/** Paths below which bundlers and development servers serve modules, with or without an extension. */
const assetFolder = /^\/(?:@fs|@id|@vite|_astro|_next\/static|_nuxt|node_modules)\//;
const keptApart: ReadonlySet<keyof ListFilters> = new Set(['own', 'limit', 'page']);

/**
 * Folds runs of requests for assets into one line each, which is their number. A request that failed, or about which
 * something stands out, is never folded, nor is any if the list is filtered or sorted: who searches sees every match.
 */
export function foldAssets(
  rows: readonly ProfileSummary[],
  { filters, collected }: ParsedFilters,
): readonly (ProfileSummary | number)[] {
  const names = Object.keys(filters) as (keyof ListFilters)[]; // Object.keys returns string[]
  if (names.some((name) => filters[name] !== '' && !keptApart.has(name))) return rows;
  const isAsset = (row: ProfileSummary): boolean =>
    /^(?:GET|HEAD)$/.test(row.method) &&
    row.status >= 200 &&
    row.status < 400 &&
    (assetFile.test(row.path) || assetFolder.test(row.path)) &&
    problemsOf(row, collected).length === 0;
  const lines: (ProfileSummary | number)[] = [];
  let run: ProfileSummary[] = [];
  for (const row of [...rows, undefined]) {
    if (row !== undefined && isAsset(row)) run.push(row);
    else {
      lines.push(...(run.length < minRun ? run : [run.length]));
      if (row !== undefined) lines.push(row);
      run = [];
    }
  }
  return lines;
}
