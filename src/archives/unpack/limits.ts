import type { ReadLimits } from '../../formats/common/reading.ts'

export type { ReadLimits }

const MIB = 1024 * 1024

/** Bounds of the paths that a user gives. A file beyond a bound is refused by name, never cut. */
export interface ArchiveLimits {
  /** Bytes of one file that is read as a whole. */
  readonly max_file_bytes: number
  /** Bytes of one line of a file of grade requests. */
  readonly max_line_bytes: number
  /** Bytes of one entry of an archive, unpacked. */
  readonly max_entry_bytes: number
  /** Bytes of all entries of an archive, unpacked; skipped entries count too, because they were unpacked. */
  readonly max_archive_bytes: number
  /** Entries of an archive, and names in a folder. */
  readonly max_entries: number
  /** Unpacked bytes for each packed byte, once `ratio_free_bytes` are unpacked. */
  readonly max_ratio: number
  /** Bytes that may be unpacked before the ratio counts: short texts of spaces compress well, and do no harm. */
  readonly ratio_free_bytes: number
  /** UTF-16 units of a path inside of an archive. */
  readonly max_path_chars: number
  /** Depth of folders: in an archive, and of a walked folder. */
  readonly max_depth: number
  /** Count of archives that are opened one inside of the other. */
  readonly max_nested: number
  /** Segments and subagent files of one run. */
  readonly max_run_files: number
  /** Skipped items reported one by one for each path; beyond them only their number is reported. */
  readonly max_refusals: number
  /** Bounds of a reader of `src/formats`. */
  readonly read: ReadLimits
}

export const DEFAULT_LIMITS: ArchiveLimits = {
  max_file_bytes: 64 * MIB,
  max_line_bytes: 64 * MIB,
  max_entry_bytes: 256 * MIB,
  max_archive_bytes: 4096 * MIB,
  max_entries: 200_000,
  max_ratio: 1000,
  ratio_free_bytes: 32 * MIB,
  max_path_chars: 1000,
  max_depth: 32,
  max_nested: 3,
  max_run_files: 100,
  max_refusals: 100,
  read: { max_steps: 20_000, max_part_chars: 8_000_000 },
}
