/** The formats of an export. An import reads the same, and Azurite's data file as `json`. */
export const transferFormats = ['ndjson', 'json', 'csv'] as const;

/** A format of imports and exports. */
export type TransferFormat = (typeof transferFormats)[number];

/** How an import treats an existing entity: rejects the new one, replaces it, or merges the properties. */
export const importModes = ['insert', 'replace', 'merge'] as const;

/** How an import treats an existing entity. */
export type ImportMode = (typeof importModes)[number];

/** The mapping of CSV columns. */
export interface ColumnMap {
  /** The property name for a column, or null to leave it out. Other columns keep their names. */
  readonly columns?: Readonly<Record<string, string | null>>;
  /** The Edm type of a property whose column has none. */
  readonly types?: Readonly<Record<string, string>>;
}

/** The options of an import. */
export interface ImportWish {
  /** The account that gets everything. Absent: the one that the data names, or the first one. */
  readonly account?: string;
  /** The table that gets everything. Tables are created if they are missing. */
  readonly table?: string;
  /** The table of rows for which the data names none. */
  readonly defaultTable?: string;
  /** Default: `insert`. */
  readonly mode?: ImportMode;
  /** Whether the first rejected row ends the import and restores the tables. */
  readonly strict?: boolean;
  /** Whether rows are only checked, against the stored entities and the rows before them. */
  readonly dryRun?: boolean;
  /** Whether types of untyped CSV columns are inferred from the first values. */
  readonly infer?: boolean;
  readonly map?: ColumnMap;
}

/** A row that was not imported. */
export interface RejectedRow {
  /** Its file, if there are files. */
  readonly file?: string;
  /** The line on which the row begins, from 1. */
  readonly line: number;
  /** The place in that line, from 1: a character in JSON, a cell in CSV. Absent: the whole row. */
  readonly column?: number;
  readonly table?: string;
  readonly partitionKey?: string;
  readonly rowKey?: string;
  /** The error code of the service. */
  readonly code: string;
  /** The fault with its value, and the fix. */
  readonly message: string;
}

/** The result of an import. */
export interface ImportReport {
  /** Number of imported entities. */
  readonly rows: number;
  /** Number of tables in the data. */
  readonly tables: number;
  /** Number of rejected rows. */
  readonly rejectedRows: number;
  /** The first 1,000 of them. */
  readonly rejected: readonly RejectedRow[];
  /** The types that `infer` chose, by table and property. */
  readonly inferred?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Number of keys that a dry run had no room for. Duplicates among them go unnoticed. Absent: none. */
  readonly keysNotKept?: number;
  /** Notes about a copy of an account, such as a mask that matched no entity. Absent: none. */
  readonly notes?: readonly string[];
  /** How long it took. Unit: milliseconds. */
  readonly ms: number;
  /** The id to undo an import that replaces or merges, for a while; absent if it cannot be undone. */
  readonly undo?: string;
}

/** The data to export. */
export interface ExportWish {
  /** One account. Absent: all, if the format can tell them apart, otherwise the only one that has tables. */
  readonly account?: string;
  /** One table. Absent: all. CSV needs it, unless there is only one. */
  readonly table?: string;
  /** Default: `ndjson`. */
  readonly format?: TransferFormat;
  /** A `$filter` for the entities. */
  readonly filter?: string;
  /** The properties to export beside the keys. Absent: all. */
  readonly select?: readonly string[];
}

/** Returns a readable line for a row: its file or line, its table and keys, and the reason for the rejection. */
export function lineOfRejectedRow({
  file,
  line,
  column,
  table,
  partitionKey,
  rowKey,
  code,
  message,
}: RejectedRow): string {
  const place =
    file === undefined
      ? `Line ${line}${column === undefined ? '' : `, column ${column}`}`
      : `${file}:${line}${column === undefined ? '' : `:${column}`}`;
  const key = partitionKey === undefined && rowKey === undefined ? '' : ` ('${partitionKey ?? ''}', '${rowKey ?? ''}')`;
  return `${place}: ${table ?? 'no table'}${key}: ${code}: ${message}`;
}
