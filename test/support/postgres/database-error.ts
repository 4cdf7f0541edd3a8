import pg from 'pg';

/** Returns an error as the client of the database makes it of the one that the database has sent. */
export function databaseError(code: string): Error {
  return Object.assign(new pg.DatabaseError(code, 0, 'error'), { code });
}
