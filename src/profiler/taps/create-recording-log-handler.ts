import type { LogHandler } from '#log';
import { currentRecording } from './current-recording.js';

/** Puts each log record into the record of the request that it was written for. */
export function createRecordingLogHandler(): LogHandler {
  return {
    handle(record) {
      currentRecording()?.log(record);
    },
  };
}
