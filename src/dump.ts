/**
 * Snapshots of foreign values as data that is safe to store and to show: bounded, redacted, and taken without running a
 * getter, a Proxy trap, `toJSON` or `toString`. `dump` never throws.
 */
export { createDump, dump } from './dump/dump-value.js';
export type { DumpOptions } from './dump/dump-value.js';
export type { DumpLimits, Picture, PictureEntry, PictureType } from './dump/picture.js';
export { renderPictureLine, renderPictureText } from './dump/render-picture-text.js';
export { PictureView, pictureStyles } from './dump/picture-view.js';
export { createRedactor } from './dump/redaction/create-redactor.js';
export type { Redactor } from './dump/redaction/create-redactor.js';
export { labelledNames, labelNames } from './dump/redaction/secret-names.js';
export type { RedactorOptions } from './dump/redaction/secret-names.js';
export { hidePathValues } from './dump/redaction/redact-url.js';
export { redactedMark } from './dump/redaction/redact-url.js';
export { classNameOf, findData, takeGetter } from './dump/read-data.js';
