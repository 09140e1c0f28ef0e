/** Maximum sizes of the parts of a request. */
export interface RequestLimits {
  /** Bytes of a body. */
  readonly body: number;
  /** Bytes that a multipart body may announce if a route streams it; reading it whole is limited by `body`. */
  readonly upload: number;
  /** Bytes of the request target. */
  readonly target: number;
  /** Header fields. */
  readonly headers: number;
  /** Parameters of the query. */
  readonly queryParameters: number;
  /** Levels of a JSON body. */
  readonly jsonDepth: number;
  /** Fields of a form, files included. */
  readonly formFields: number;
  /** Levels of a form's bracketed names (`a[b][c]`). */
  readonly formDepth: number;
  /** Files of a form. */
  readonly files: number;
}

/** The default limits of a server: bodies of 1 MiB, targets of 8 KiB. */
export const defaultRequestLimits: RequestLimits = Object.freeze({
  body: 1_048_576,
  upload: 1_073_741_824,
  target: 8192,
  headers: 2000,
  queryParameters: 1000,
  jsonDepth: 64,
  formFields: 1000,
  formDepth: 20,
  files: 20,
});
