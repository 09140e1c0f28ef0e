import type { FoundPackage, LoadedModules, Undo } from '#core/patches';
import type { ProfileRecord } from '#profiler';
import type { KnownLibrary } from './frameworks.js';
import { calledLibraries, describeSupported, knownLibraries } from './libraries.js';

/** A known library that this process has loaded, as in its records. */
export type LoadedLibrary = NonNullable<ProfileRecord['libraries']>[number];

/** This process's watched modules. Module state like Node's module cache. */
const watched = new Set<LoadedModules>();
let ended = 0; // changes in modules that are no longer watched, and in the set

/** Adds modules to those from which the loaded libraries are read. The returned function removes them. */
export function watchLibraries(modules: readonly LoadedModules[]): Undo {
  for (const one of modules) watched.add(one);
  ended++;
  return () => {
    for (const one of modules) if (watched.delete(one)) ended += one.changes + 1;
  };
}

/** Counts changes to `loadedLibraries`. */
export function libraryChanges(): number {
  let changes = ended;
  for (const one of watched) changes += one.changes;
  return changes;
}

/**
 * Returns the known libraries found among the loaded modules so far, by name, and whether they are recorded. Libraries
 * in a bundle are not found.
 */
export function loadedLibraries(): readonly LoadedLibrary[] {
  const copies = new Map<string, FoundPackage>();
  for (const copy of [...watched].flatMap((one) => one.found())) {
    const key = `${copy.name} ${copy.folder}`;
    const { isLoaded = false, isPatched = false, isRefused = false } = copies.get(key) ?? {};
    copies.set(key, {
      ...copy,
      isLoaded: copy.isLoaded || isLoaded,
      isPatched: copy.isPatched || isPatched,
      isRefused: copy.isRefused || isRefused,
    });
  }
  const found = new Map<string, LoadedLibrary>();
  for (const copy of copies.values()) {
    const library = knownLibraries.find(({ name }) => name === copy.name);
    const one = library === undefined ? undefined : describeCopy(copy, library);
    if (one !== undefined) found.set(JSON.stringify(one), one);
  }
  return [...found.values()].toSorted(
    (a, b) => a.name.localeCompare(b.name, 'en') || a.version.localeCompare(b.version, 'en'),
  );
}

/** In that case nothing is missed: a program may load only a part of a library. */
const nothingToPatch = 'none of the patched files is loaded';

/** Undefined for an unknown dependency. */
function describeCopy(copy: FoundPackage, library: KnownLibrary): LoadedLibrary | undefined {
  const { name, version, isLoaded, isSupported, isPatched, isRefused } = copy;
  const loaded = isLoaded ? ({ isLoaded } as const) : {};
  const recorded = isSupported && (isPatched || (isLoaded && library.publishes === true));
  if (recorded) return { name, version, ...loaded, isRecorded: true };
  if (isSupported && !isLoaded) return undefined;
  const lacking = isRefused ? 'its files lack the functions to patch' : nothingToPatch;
  const why = isSupported ? lacking : describeSupported(library.versions);
  return { name, version, ...loaded, isRecorded: false, records: library.records, why };
}

/** A line about loaded libraries. */
export interface LibraryLine {
  readonly text: string;
  /** Whether a library is not recorded because of its version or its files. */
  readonly isProblem: boolean;
}

/** Describes loaded libraries: `pg 8.16.0: loaded, recorded`, and one line for each that is not recorded. */
export function describeLibraries(libraries: readonly LoadedLibrary[]): readonly LibraryLine[] {
  const recorded = libraries.filter(({ isRecorded }) => isRecorded);
  const [loaded, patched] = [
    recorded.filter(({ isLoaded }) => isLoaded),
    recorded.filter(({ isLoaded }) => !isLoaded),
  ].map((list) => list.map(({ name, version }) => `${name} ${version}`).join(', '));
  const lines: LibraryLine[] = [];
  if (loaded !== '') lines.push({ text: `${loaded}: loaded, recorded`, isProblem: false });
  if (patched !== '')
    lines.push({
      text: `${patched}: recorded if loaded; Node does not report loaded ECMAScript modules`,
      isProblem: false,
    });
  for (const { name, version, isLoaded = false, isRecorded, records = '', why = '' } of libraries) {
    if (isRecorded) continue;
    const isCalled = calledLibraries.some((one) => one.name === name);
    const how = isLoaded ? 'loaded' : 'installed';
    const text = `${name} ${version}: ${how}; its ${records} are not recorded: ${why}`;
    lines.push({ text, isProblem: !isCalled && why !== nothingToPatch });
  }
  if (lines.length === 0)
    lines.push({
      text: 'no known library was found among the loaded modules; those in a bundle are not found',
      isProblem: false,
    });
  return lines;
}
