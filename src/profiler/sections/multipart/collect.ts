import { RequestRecording } from '../../recording/request-recording.js';
import type { CollectedSection } from '../section.js';
import { multipartDefinition } from './section.js';

/** Collects the names and sizes of the parts of a multipart body, as `multipart`, which the panel of the request shows. */
export const multipartCollector: CollectedSection = {
  definition: multipartDefinition,
  collect: (recording) =>
    recording instanceof RequestRecording ? recording.bodyParts?.section() : undefined,
};
