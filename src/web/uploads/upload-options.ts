/** A file of a form while it comes in. */
export interface IncomingFile {
  /** Name of the form field. */
  readonly field: string;
  /** As the client says, without any folders: for people to read, never a path. */
  readonly filename: string;
  /** As the client claims. */
  readonly mediaType: string;
  /** The bytes as they come; fails with 413 above the limit, and when the client leaves. */
  readonly stream: AsyncIterable<Uint8Array>;
}

export interface UploadOptions {
  /** A folder that files are written to, under random names; or what takes each file as it comes. */
  readonly to: string | ((file: IncomingFile) => unknown);
  /** Bytes of one file. Default 10 MiB. */
  readonly maxFileBytes?: number;
  /** Default 10. */
  readonly maxFiles?: number;
  /** Media types that clients may claim, `image/*` included. Default: any. */
  readonly types?: readonly string[];
  /** Default 100. */
  readonly maxFields?: number;
  /** Bytes of one field that is no file. Default 65,536. */
  readonly maxFieldBytes?: number;
}
