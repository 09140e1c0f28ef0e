/** Thrown for a command line that cannot be understood or run; the message is for the user who typed it. */
export class UsageError extends Error {}
