/** Writes a line of the log, with fields or without. */
interface WriteLine {
  (message: string): void;
  (fields: object, message: string): void;
}

/** The members of a pino logger that a server uses. */
export interface Logger {
  /** The least severe level that is written: `debug`, `info`, … */
  readonly level: string;
  readonly debug: WriteLine;
  readonly info: WriteLine;
  readonly warn: WriteLine;
  readonly error: WriteLine;
}
