/** A file that came with a form. Its name and type are what the client says, and prove nothing. */
export interface UploadedFile {
  /** Name of the form field. */
  readonly field: string;
  /** Last part of the name that the client gave, without folders; may be empty. */
  readonly filename: string;
  /** Media type that the client gave. */
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}
