/** A command line that cannot be understood or run; the message is for whoever typed it. */
export class UsageError extends Error {}
