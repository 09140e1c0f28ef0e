import { statSync } from 'node:fs';
import { safely } from '#core/coded-error';
import {
  type CodePosition,
  describeLocation,
  ownSourceFolders,
  pathOfFile,
  type SourceLoader,
  type StackFrame,
} from '#core/errors';
import type { ProfileRecord } from '../../model/profile-record.js';

/**
 * Maps the positions in a record's sections and events (every object with file, line and column) to the original
 * sources. They are recorded as compiled positions, because mapping needs file access. Positions in a file recompiled
 * after the request stay as they are, because the new source map describes other code.
 */
export function withOriginalLocations(record: ProfileRecord, sources: SourceLoader): ProfileRecord {
  const known = new Map<string, CodePosition>();
  const originalOf = (location: CodePosition): CodePosition => {
    const key = `${location.file}:${location.line}:${location.column}`;
    let original = known.get(key);
    if (original === undefined)
      known.set(key, (original = findOriginal(location, record.startedAt, sources)));
    return original;
  };
  const { sections, events, exception } = record;
  const mapped = mapLocations({ sections, events }, originalOf) as typeof record; // mapping keeps the shape
  const mappedException = mapFrames(exception, originalOf) as typeof exception; // likewise
  return { ...record, ...mapped, exception: mappedException };
}

/** Maps a report's package frames, which are recorded at their compiled positions. */
function mapFrames(value: unknown, originalOf: (location: CodePosition) => CodePosition): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => mapFrames(item, originalOf));
  if (isPackageFrame(value)) {
    const { file: path, line, column } = originalOf({ ...value, file: value.path });
    if (path === value.path && line === value.line) return value;
    const { file } = describeLocation({ ...value, file: path }, process.cwd(), ownSourceFolders);
    return { ...value, file, path, line, column };
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, mapFrames(member, originalOf)]),
  );
}

type PackageFrame = StackFrame & { readonly path: string };

/** A frame with an excerpt already shows lines from its own file. */
function isPackageFrame(value: object): value is PackageFrame {
  const { kind, path, excerpt } = value as Partial<Record<string, unknown>>; // each field is checked
  return kind === 'library' && typeof path === 'string' && excerpt === undefined && isLocation(value);
}

function mapLocations(value: unknown, originalOf: (location: CodePosition) => CodePosition): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => mapLocations(item, originalOf));
  if (isLocation(value)) return { ...value, ...originalOf(value) };
  const mapped = Object.create(null) as Record<string, unknown>; // typed as any by the library
  for (const [key, member] of Object.entries(value)) mapped[key] = mapLocations(member, originalOf);
  return mapped;
}

function isLocation(value: object): value is CodePosition {
  const { file, line, column } = value as Partial<Record<string, unknown>>; // each field is checked
  return typeof file === 'string' && typeof line === 'number' && typeof column === 'number';
}

function findOriginal(
  { file, line, column }: CodePosition,
  startedAt: number,
  sources: SourceLoader,
): CodePosition {
  const path = pathOfFile(file);
  const original = sources.findOriginal({ path, line, column });
  if (original === undefined || isNewer(path, startedAt)) return { file: path, line, column };
  return { file: original.path, line: original.line, column: original.column };
}

function isNewer(path: string, than: number): boolean {
  return safely(() => (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) > than, true);
}
