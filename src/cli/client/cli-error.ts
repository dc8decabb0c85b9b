import type { BatchCounts } from '../../schemas/batch.ts'

/** Exit codes of commands. The higher of two codes wins. */
export const EXIT = {
  graded: 0,
  refused: 1,
  unverified: 2,
  failed: 3,
  parked: 4,
  interrupted: 130,
} as const
export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

export const EXIT_HELP = `Exit codes:
  0    every item is graded
  1    bad input, bad usage, or no service: no batch was made
  2    some item is unverified (its evidence does not hold), none failed
  3    some item failed or was cancelled; with --strict also: some trial was skipped, or has records that could not be read
       (files that are no trajectories, and other warnings, never change the code)
  4    the batch is parked and waits for you (the reason is printed); a batch whose judge is out for a while tries again
       at the time that is shown, and the command waits for it
  130  interrupted; grades are kept
  A reader that stops early (| head) ends the command with 0: --out FILE keeps the code`

/** Returns the exit code of an ended batch. */
export function exitOfCounts(counts: BatchCounts): ExitCode {
  if (counts.failed + counts.cancelled > 0) return EXIT.failed
  return counts.unverified > 0 ? EXIT.unverified : EXIT.graded
}

export interface Strictness {
  readonly strict?: boolean
}

export const STRICT_HELP =
  'exit with 3 where a trial was skipped, or has records that could not be read; other files and warnings do not count'

export const STRICT_UNREAD_HELP = 'exit with 3 where a trajectory has records that could not be read'

/** Raises the exit code to a failure where `--strict` is set and records were lost. */
export const strictCode = (code: ExitCode, { strict }: Strictness, lost: number): ExitCode =>
  strict && lost > 0 && code < EXIT.failed ? EXIT.failed : code

/** Reports a failure to the user: the message, the advice, and the exit code of the command. */
export class CliError extends Error {
  readonly advice: readonly string[]
  readonly exit: ExitCode

  constructor(message: string, advice: readonly string[] = [], exit: ExitCode = EXIT.refused) {
    super(message)
    this.name = 'CliError'
    this.advice = advice
    this.exit = exit
  }
}
