import { RequestRecording } from '../../recording/request-recording.js';
import type { CollectedSection } from '../section.js';
import { multipartDefinition } from './section.js';

/** Collects the names and sizes of multipart parts as `multipart`, shown in the request panel. */
export const multipartCollector: CollectedSection = {
  definition: multipartDefinition,
  collect: (recording) =>
    recording instanceof RequestRecording ? recording.bodyParts?.section() : undefined,
};
