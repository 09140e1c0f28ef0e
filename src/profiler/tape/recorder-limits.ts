/** Limits of one record. Bodies in bytes; `sections` and `parameters` are numbers of entries. */
export interface RecorderLimits {
  readonly requestBody: number;
  readonly responseBody: number;
  /** Number of log lines. */
  readonly logs: number;
  /** Characters of all log lines together. */
  readonly logText: number;
  /** Characters of one log message. */
  readonly message: number;
  readonly sections: number;
  /** Characters of one section as JSON. */
  readonly section: number;
  readonly parameters: number;
}

export const recorderLimits: RecorderLimits = {
  requestBody: 65_536,
  responseBody: 16_384,
  logs: 500,
  logText: 262_144,
  message: 10_000,
  sections: 30,
  section: 262_144,
  parameters: 50,
};
