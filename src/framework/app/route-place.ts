import { fileURLToPath } from 'node:url';
import { noteCallSites, type SourceLoader } from '#errors';

/** Where a route was declared: an absolute path and a line from 1; undefined where no line of the application is known. */
export type RoutePlace = (
  sources: SourceLoader,
) => { readonly file: string; readonly line: number } | undefined;

/** Notes the place from which `below` is being called; its source is looked up when the place is asked for. */
export function noteRoutePlace(below: (...args: never[]) => unknown): RoutePlace {
  const sites = noteCallSites(below, { depth: 12, limit: 1 });
  return (sources) => {
    const [site] = sites();
    if (site === undefined) return undefined;
    const { file, line, column } = site;
    const path = file.startsWith('file://') ? fileURLToPath(file) : file;
    const original = sources.findOriginal({ path, line, column });
    return { file: original?.path ?? path, line: original?.line ?? line };
  };
}
