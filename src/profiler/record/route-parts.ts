import type { RecordedController, RecordedRoute } from '../model/profile-record.js';
import { describeNamed, readNamed, writeNamed } from './named-values.js';
import type { RequestRecording } from './request-recording.js';
import type { ShapeTable } from './shape-table.js';
import type { WordReader } from './word-reader.js';
import type { WordWriter } from './word-writer.js';

/** Whether there is a route, and whether there was no time to explain it: too frequent under load for the rare parts. */
const routeCode = { none: 0, known: 1, untraced: 2 } as const;

/** Route and controller belong to the shape of a record, but for what was given to them. */
export function describeRoute(recording: RequestRecording, shape: ShapeTable): void {
  const { routeNote, traceOmitted, controllerNote } = recording;
  shape.add(routeNote === undefined ? routeCode.none : traceOmitted ? routeCode.untraced : routeCode.known);
  if (routeNote !== undefined) {
    shape.add(routeNote.path);
    describeNamed(recording.parameters, shape);
  }
  shape.add(controllerNote?.name ?? null);
  if (controllerNote === undefined) return;
  shape.add(controllerNote.file ?? null);
  shape.add(controllerNote.line ?? 0);
  describeNamed(recording.arguments, shape);
}

export function writeRoute(recording: RequestRecording, pack: WordWriter): void {
  if (recording.routeNote !== undefined) writeNamed(recording.parameters, pack);
  if (recording.controllerNote !== undefined) writeNamed(recording.arguments, pack);
}

/** What is known of a route where it was called. */
export interface ReadRoute extends Pick<RecordedRoute, 'path' | 'parameters'> {
  readonly isUntraced: boolean;
}

export function readRoute(shape: WordReader, pack: WordReader): ReadRoute | null {
  const code = shape.number();
  if (code === routeCode.none) return null;
  return { isUntraced: code === routeCode.untraced, path: shape.word(), parameters: readNamed(shape, pack) };
}

export function readController(shape: WordReader, pack: WordReader): RecordedController | null {
  const name = shape.word();
  if (name === null) return null;
  return { name, file: shape.word(), line: shape.number() || null, arguments: readNamed(shape, pack) };
}
