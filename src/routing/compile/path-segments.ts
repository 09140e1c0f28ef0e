const slash = 47;

/** A segment of a path that a `wild` step stands for, and the ones before it. */
export interface WildSegment {
  readonly start: number;
  readonly end: number;
  readonly before: WildSegment | undefined;
}

/** Where the segment that begins at `start` ends: before the next slash, or at the end of the path. */
export function segmentEnd(path: string, start: number): number {
  const end = path.indexOf('/', start);
  return end === -1 ? path.length : end;
}

/** `/` alone does not: its slash is the first one. */
export function endsInSlash(path: string): boolean {
  return path.charCodeAt(path.length - 1) === slash && path.length > 1;
}

export function endsInTwoSlashes(path: string): boolean {
  return endsInSlash(path) && path.charCodeAt(path.length - 2) === slash;
}
