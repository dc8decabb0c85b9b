import type { ReadLimits } from '../../formats/common/reading.ts'

export type { ReadLimits }

const MIB = 1024 * 1024

/** Bounds of the paths that a user gives. A file beyond a bound is refused by name, never cut. */
export type ArchiveLimits = Readonly<typeof DEFAULT_LIMITS>

export const DEFAULT_LIMITS = {
  /** Bytes of one file that is read as a whole. */
  max_file_bytes: 64 * MIB,
  /** Bytes of one line of a file of grade requests. */
  max_line_bytes: 64 * MIB,
  /** Bytes of one entry of an archive, unpacked. */
  max_entry_bytes: 256 * MIB,
  /** Bytes of all entries of an archive, unpacked; skipped entries count too, because they were unpacked. */
  max_archive_bytes: 4096 * MIB,
  /** Entries of an archive, and names in a folder. */
  max_entries: 200_000,
  /** Unpacked bytes for each packed byte, once `ratio_free_bytes` are unpacked. */
  max_ratio: 1000,
  /** Bytes that may be unpacked before the ratio counts: short texts of spaces compress well, and do no harm. */
  ratio_free_bytes: 32 * MIB,
  /** UTF-16 units of a path inside of an archive. */
  max_path_chars: 1000,
  /** Depth of folders: in an archive, and of a walked folder. */
  max_depth: 32,
  /** Count of archives that are opened one inside of the other. */
  max_nested: 3,
  /** Segments and subagent files of one run. */
  max_run_files: 100,
  /** Refused entries of an archive that are reported by name; beyond them only their number is reported. */
  max_refusals: 100,
  /** Bounds of a reader of `src/formats`. */
  read: { max_steps: 20_000, max_part_chars: 8_000_000 } as ReadLimits,
}
